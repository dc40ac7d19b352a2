/** `ekiden team`: who works on what, who is idle and why, who has stopped. */
import { teamViews } from "../../core/views/team.ts";
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";
import { team } from "../queries/team.ts";

export async function run(call: Invocation): Promise<undefined> {
  await withTeam(call, "look", async (store) => call.show(await team(store), teamViews));
}
