/** `ekiden requests`: the open questions, with the plans in full. */
import { questionViews } from "../../core/views/request.ts";
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";
import { requests } from "../queries/requests.ts";

export async function run(call: Invocation): Promise<undefined> {
  await withTeam(call, "look", async (store) => call.show(await requests(store), questionViews));
}
