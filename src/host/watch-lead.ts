/** Follows the lead of a headless run: one process runs it at a time, and the others wait for its end or take it over. */
import { LEAD } from "../core/ids.ts";
import type { Team } from "../runtime/team/team.ts";
import { asEkidenError } from "./outcome.ts";
import type { Parts } from "./parts.ts";

/** The lead cannot continue: its teammates finish the tasks that they can. Resolves when nothing continues any more. Never rejects. */
export async function withoutLead(
  { store, clock }: Pick<Parts, "store" | "clock">,
  signal: AbortSignal,
): Promise<void> {
  let isTold = false;
  while (!signal.aborted) {
    try {
      const { pending, inProgress } = await store.board.counts();
      if (pending + inProgress === 0 || (await store.board.announceQuiet()) !== "busy") return;
      if (!isTold)
        await store.journal.warn(LEAD, "The lead cannot continue. The others finish what they can.");
      isTold = true;
    } catch {
      // The store is away: the next look tries again.
    }
    await clock.sleep(LOOK_MS, signal);
  }
}

/** Wake-ups may get lost. */
const LOOK_MS = 1_000;
/** The lead of another run leaves at once when the team is quiet. The lead of a terminal stays: the team is then quiet for so long. */
const QUIET_MS = 3_000;

/**
 * When the lead has left, the run is over. So it is when the team of another process stays quiet, because the lead of a terminal never
 * leaves. When the process of the lead is gone, this process takes it over, also when it lost the lead before.
 * Until the signal aborts. Never rejects.
 */
export async function watchLead(
  { store, clock }: Pick<Parts, "store" | "clock">,
  team: Team,
  signal: AbortSignal,
  finish: (how: "concluded" | "model", error?: Error) => Promise<void>,
): Promise<void> {
  let quietAt = clock.now();
  try {
    while (!signal.aborted) {
      if ((await team.ended(LEAD))?.kind === "left") return; // `onEnd` decides
      const mark = store.wake.mark();
      const lead = await store.roster.member(LEAD);
      if (signal.aborted || team.isEnding) return;
      if (lead?.activity.phase === "shutdown") return await finish("concluded");
      if (lead?.host === null) await team.adoptAll();
      if (team.names.includes(LEAD)) continue;
      const isQuiet = lead?.activity.phase === "idle" && (await store.board.announceQuiet()) === "quiet";
      if (!isQuiet) quietAt = clock.now();
      else if (clock.now() - quietAt >= QUIET_MS) return await finish("concluded");
      await store.wake.changed(mark, ["journal", "board"], LOOK_MS, signal);
    }
  } catch (error) {
    if (!signal.aborted) await finish("model", asEkidenError(error));
  }
}
