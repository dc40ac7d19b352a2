/** Finds out whether a team has concluded: nobody would find anything to do. */
import { systemClock } from "../../adapters/clock.ts";
import { notFound } from "../../core/errors.ts";
import { LEAD } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";

export type Conclusion = { readonly completed: number; readonly failed: number; readonly cancelled: number };

/**
 * The tasks by how they ended, or null while something is left to do: a task, mail to the lead, a cron job that is due.
 * @throws EkidenError `not_found` where there never was any work
 */
export async function concluded({ board, roster, mail, crons }: Store): Promise<Conclusion | null> {
  const { total, pending, inProgress, completed, failed, cancelled } = await board.counts();
  if (pending + inProgress > 0) return null;
  const members = await roster.members();
  if (total + members.length === 0 && (await mail.box(LEAD, 1)).length + (await crons.list()).length === 0)
    throw notFound(
      "this team has neither a goal nor a task: the process that made it ended before it stored them. Begin again: ekiden run GOAL (or ekiden run FILE.md).",
    );
  if (members.length === 0 || members.some(({ activity }) => activity.phase !== "shutdown")) return null;
  const now = systemClock.now();
  if ((await mail.unread(LEAD)).some(({ body }) => body.kind === "note" || body.kind === "cron")) return null;
  if ((await crons.list()).some(({ nextAt }) => nextAt <= now)) return null;
  return { completed, failed, cancelled };
}
