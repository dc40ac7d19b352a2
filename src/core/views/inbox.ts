/** A mailbox as a feed, newest last. */

import { kindWords, type Mail, words } from "../board/mail.ts";
import type { Name } from "../ids.ts";
import type { View } from "./view.ts";

export type InboxData = { readonly name: Name; readonly unread: number; readonly mail: readonly Mail[] };

export const inboxViews = (inbox: InboxData): View[] => [
  {
    kind: "feed",
    lines: inbox.mail.map((mail) => ({
      at: mail.at,
      who: mail.from,
      text: `${mail.deliveredAt === null ? "● " : ""}${mail.urgent ? "urgent: " : ""}${mail.body.kind === "note" ? "" : `[${kindWords(mail.body.kind)}] `}${words(mail.body)}`,
      tone: mail.deliveredAt === null ? "strong" : "plain",
    })),
    empty: `No mail for ${inbox.name}.`,
  },
];
