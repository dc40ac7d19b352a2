/** `ekiden cost`: tokens and money, by member. */
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";
import { costs, costsViews } from "../queries/costs.ts";

export async function run(call: Invocation): Promise<undefined> {
  await withTeam(call, "look", async (store) => call.show(await costs(store), costsViews));
}
