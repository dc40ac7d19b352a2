/** `ekiden resume`: the same team, where it was. */
import type { Call } from "../call.ts";
import { hostTeam } from "../hosting.ts";
import { withTeam } from "../open.ts";

export async function run(call: Call): Promise<number> {
  // Says so when there is nothing to resume, before a new team is made in its place.
  await withTeam(call, "look", async () => {});
  return hostTeam(call, { resume: true });
}
