/** `ekiden resume`: the same team, where it was. */
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";
import { hostTeam } from "../run-team.ts";

export async function run(call: Invocation): Promise<number> {
  // Says so when there is nothing to resume, before a new team is made in its place.
  await withTeam(call, "look", async () => {});
  return hostTeam(call, { resume: true });
}
