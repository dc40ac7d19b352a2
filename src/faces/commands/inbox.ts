/** `ekiden inbox`: a mailbox. Reading it does not mark mail as read. */
import { name } from "../../core/ids.ts";
import { inboxViews } from "../../core/views/inbox.ts";
import { withTeam } from "../../project/open.ts";
import { inbox } from "../../team/queries/inbox.ts";
import { type Invocation, wholeNumber } from "../invocation.ts";

export async function run(
  call: Invocation,
  [text = ""]: readonly string[],
  options: { limit?: string },
): Promise<undefined> {
  const who = name(text);
  const limit = wholeNumber("--limit", options.limit ?? "50");
  await withTeam(call, "look", async (store) => call.show(await inbox(store, who, limit), inboxViews));
}
