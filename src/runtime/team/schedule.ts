/**
 * Fires cron jobs. Cron times are whole minutes, so one look at the start of every minute is enough, also for cron jobs of other processes.
 * The store decides which process fires.
 */
import { messageOf } from "../../core/errors.ts";
import type { Clock, Firing, Store } from "../../ports/index.ts";

export type ScheduleParts = {
  readonly store: Store;
  readonly clock: Clock;
  /** Gets the cron jobs that this process fired. */
  readonly onFiring?: (firings: readonly Firing[]) => void;
};

const MINUTE = 60_000;

/** Looks at once, for cron jobs that were missed, then every minute until the signal aborts. Never rejects. */
export async function keepSchedule(
  { store, clock, onFiring }: ScheduleParts,
  signal: AbortSignal,
): Promise<void> {
  let warned = false;
  while (!signal.aborted) {
    try {
      const firings = await store.crons.fire();
      if (firings.length > 0) onFiring?.(firings);
      warned = false;
    } catch (error) {
      const text = `Cron jobs cannot be fired: ${messageOf(error)}`;
      if (!warned) await store.journal.warn(null, text).catch(() => {});
      warned = true;
    }
    await clock.sleep(MINUTE - (clock.now() % MINUTE), signal);
  }
}
