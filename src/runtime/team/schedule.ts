/**
 * Lets alarms go off. Cron times are whole minutes, so one look at the start of every minute misses nothing, also of what other
 * processes have set meanwhile; which process fires is settled in the store.
 */
import { messageOf } from "../../core/errors.ts";
import type { Clock, Firing, Store } from "../../ports/index.ts";

export type ScheduleParts = {
  readonly store: Store;
  readonly clock: Clock;
  /** Told what this process let go off. */
  readonly onFiring?: (firings: readonly Firing[]) => void;
};

const MINUTE = 60_000;

/** Looks at once, which lets go off what was missed, and then every minute until the signal aborts. Never rejects. */
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
      const text = `Alarms could not be looked after: ${messageOf(error)}`;
      if (!warned) await store.journal.note([{ type: "warning.raised", who: null, text }]).catch(() => {});
      warned = true;
    }
    await clock.sleep(MINUTE - (clock.now() % MINUTE), signal);
  }
}
