/**
 * Tells the person when nobody who could take a ready task is able to work, and when that ends. A run that nobody watches ends when it lasts:
 * `ekiden resume` continues with it.
 */
import { rests, type Stalled, stalledIn, stalledWords } from "../core/board/stalled.ts";
import { aboutSpan } from "../core/board/time-left.ts";
import { EkidenError, isEkidenError } from "../core/errors.ts";
import { type HostId, LEAD } from "../core/ids.ts";
import type { Parts } from "./parts.ts";

const LOOK_MS = 2_000;

/** `onOut`: it lasted for `providerTimeoutMs`. `onLost`: the file of the store was deleted or replaced, so nothing can continue. Until the signal aborts. Never rejects. */
export async function watchAble(
  { store, clock, settings }: Pick<Parts, "store" | "clock" | "settings">,
  host: HostId,
  signal: AbortSignal,
  onOut: (error: EkidenError) => Promise<void>,
  onLost: (error: EkidenError) => void,
): Promise<void> {
  let stalled: Stalled | null = null;
  let since = clock.now();
  while (!signal.aborted) {
    await clock.sleep(LOOK_MS, signal);
    if (signal.aborted) return;
    try {
      const members = await store.roster.members();
      // The process of the lead tells it, once for the team.
      const ofLead = members.find(({ name }) => name === LEAD)?.host;
      if (ofLead && ofLead !== host) continue;
      const now = members.some(rests) ? stalledIn(members, await store.board.tasks()) : null;
      if (now && !stalled) {
        since = clock.now();
        const { tasks, members: unable, why } = now;
        await store.journal.note([{ type: "work.stalled", tasks, members: unable, why }]);
      } else if (!now && stalled) await store.journal.note([{ type: "work.recovered" }]);
      stalled = now;
      // The end of a limit comes by itself.
      const isKnown = members.some(
        ({ activity }) => activity.phase === "idle" && activity.reason === "at_limit",
      );
      if (isKnown || !now?.isAll || clock.now() - since < settings.providerTimeoutMs) continue;
      const lasted = `For ${aboutSpan(settings.providerTimeoutMs)} (setting providerTimeoutMs) `;
      await onOut(new EkidenError("model_overloaded", lasted + stalledWords(now)));
    } catch (error) {
      // Another one is away for a while: the next look tries again.
      if (isEkidenError(error, "store_foreign")) return onLost(error);
    }
  }
}
