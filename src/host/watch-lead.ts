/** Follows the lead of a headless run: one process runs it at a time, and the others wait for its end or take it over. */
import { LEAD } from "../core/ids.ts";
import type { Store } from "../ports/index.ts";
import type { Team } from "../runtime/team/team.ts";
import { asEkidenError } from "./outcome.ts";

/** Wake-ups may get lost. */
const LOOK_MS = 1_000;

/**
 * When the lead has left, the run is over. When its process is gone, this process takes it over, also when it lost the lead before.
 * Until the signal aborts. Never rejects.
 */
export async function watchLead(
  store: Store,
  team: Team,
  signal: AbortSignal,
  finish: (how: "concluded" | "model", error?: Error) => Promise<void>,
): Promise<void> {
  try {
    while (!signal.aborted) {
      if ((await team.ended(LEAD))?.kind === "left") return; // `onEnd` decides
      const mark = store.wake.mark();
      const lead = await store.roster.member(LEAD);
      if (signal.aborted || team.isEnding) return;
      if (lead?.activity.phase === "shutdown") return await finish("concluded");
      if (lead?.host === null) await team.adoptAll();
      if (!team.names.includes(LEAD)) await store.wake.changed(mark, ["journal", "board"], LOOK_MS, signal);
    }
  } catch (error) {
    if (!signal.aborted) await finish("model", asEkidenError(error));
  }
}
