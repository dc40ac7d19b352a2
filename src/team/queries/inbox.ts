/** A mailbox. Reading it does not mark mail as read. Views: core/views/inbox.ts. */
import type { Name } from "../../core/ids.ts";
import type { InboxData } from "../../core/views/inbox.ts";
import type { Store } from "../../ports/index.ts";
import { mustExist } from "./team.ts";

/** The last `limit` mails. @throws EkidenError `not_found` with the names that exist */
export async function inbox(store: Store, who: Name, limit = 50): Promise<InboxData> {
  const mail = await store.mail.box(who, limit);
  if (mail.length === 0) await mustExist(store, who);
  return { name: who, unread: mail.filter((one) => one.deliveredAt === null).length, mail };
}
