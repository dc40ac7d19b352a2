/** `ekiden inbox`: a mailbox. Reading it does not mark mail as read. */
import { name } from "../../../core/ids.ts";
import { inboxViews } from "../../../core/views/inbox.ts";
import { withTeam } from "../../../project/open.ts";
import { inbox } from "../../../team/queries/inbox.ts";
import { wholeNumber } from "../../kit/invocation.ts";
import type { Run } from "../entry.ts";

export const run: Run<{ limit?: string }> = async (call, [text = ""], options) => {
  const who = name(text);
  const limit = wholeNumber("--limit", options.limit ?? "50");
  await withTeam(call, "look", async (store) => call.show(await inbox(store, who, limit), inboxViews));
};
