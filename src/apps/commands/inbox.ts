/** `ekiden inbox`: a mailbox as it lies there. Looking does not consume. */
import { EkidenError } from "../../core/errors.ts";
import { HARNESS, LEAD, type Name, name, PERSON, quote } from "../../core/ids.ts";
import { type InboxData, inboxViews } from "../../core/views/inbox.ts";
import type { Store } from "../../ports/index.ts";
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";

export async function run(
  call: Invocation,
  [text = ""]: readonly string[],
  options: { limit?: string },
): Promise<undefined> {
  const who = name(text);
  const limit = Number(options.limit ?? 50);
  if (!Number.isInteger(limit) || limit < 1)
    throw new EkidenError("bad_input", `--limit ${quote(options.limit)} is not a number of 1 or more.`);
  await withTeam(call, "look", async (store) => {
    const inbox = await readInbox(store, who, limit);
    await call.show(inbox, () => inboxViews(inbox));
  });
}

/** @throws EkidenError `not_found`: nobody of that name, with the names there are */
export async function readInbox(store: Store, who: Name, limit = 50): Promise<InboxData> {
  const mail = await store.mail.box(who, limit);
  if (mail.length === 0) await mustExist(store, who);
  return { name: who, unread: mail.filter((one) => one.deliveredAt === null).length, mail };
}

export async function mustExist({ roster, team }: Store, who: Name): Promise<void> {
  if (who === PERSON || who === LEAD || who === HARNESS) return;
  const names = (await roster.members()).map((member) => member.name);
  if (names.includes(who)) return;
  const known = names.length > 0 ? `There are ${names.join(", ")} and ${PERSON}.` : "It has no members yet.";
  throw new EkidenError("not_found", `nobody in team "${team}" is called "${who}". ${known}`);
}
