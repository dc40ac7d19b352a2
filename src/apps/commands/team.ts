/** `ekiden team`: who works on what, who is idle and why, who has stopped. */
import { systemClock } from "../../adapters/clock.ts";
import { type TeamData, teamData, teamViews } from "../../core/views/team.ts";
import type { Store } from "../../ports/index.ts";
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";

export async function run(call: Invocation): Promise<undefined> {
  await withTeam(call, "look", async (store) => {
    const team = await readTeam(store);
    await call.show(team, () => teamViews(team));
  });
}

export async function readTeam({ team, roster, board }: Store): Promise<TeamData> {
  const [members, hosts, tasks] = [await roster.members(), await roster.hosts(), await board.tasks()];
  const now = systemClock.now();
  const live = new Set<string>(hosts.filter((host) => host.leaseUntil > now).map((host) => host.id));
  return teamData(team, members, live, tasks, now);
}
