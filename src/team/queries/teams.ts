/** The teams that share a store. Views: core/views/teams.ts. */
import { LEAD } from "../../core/ids.ts";
import type { TeamsData } from "../../core/views/teams.ts";
import type { Store } from "../../ports/index.ts";
import { liveHosts } from "./hosts.ts";

/** The figures of one team. */
export async function teamFigures({ team, roster, board, mail }: Store): Promise<TeamsData["teams"][number]> {
  const [members, hosts, counts] = [
    await roster.members(),
    await liveHosts({ roster }),
    await board.counts(),
  ];
  const running = hosts.length > 0;
  const open = counts.pending + counts.inProgress;
  return {
    name: team,
    members: members.filter(({ activity }) => activity.phase !== "shutdown").length,
    running,
    waiting: !running && (open > 0 || (await mail.unread(LEAD)).some(({ body }) => body.kind === "note")),
    counts,
  };
}
