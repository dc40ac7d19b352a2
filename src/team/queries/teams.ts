/** The teams that share a store. Views: core/views/teams.ts. */
import { systemClock } from "../../adapters/clock.ts";
import { LEAD } from "../../core/ids.ts";
import type { TeamsData } from "../../core/views/teams.ts";
import type { Store } from "../../ports/index.ts";

/** The figures of one team. */
export async function teamFigures({ team, roster, board, mail }: Store): Promise<TeamsData["teams"][number]> {
  const [members, hosts, counts] = [await roster.members(), await roster.hosts(), await board.counts()];
  const now = systemClock.now();
  const running = hosts.some(({ leaseUntil }) => leaseUntil > now);
  const open = counts.pending + counts.inProgress;
  return {
    name: team,
    members: members.filter(({ activity }) => activity.phase !== "shutdown").length,
    running,
    waiting: !running && (open > 0 || (await mail.unread(LEAD)).some(({ body }) => body.kind === "note")),
    counts,
  };
}
