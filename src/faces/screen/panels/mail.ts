/** The latest mail of the person, the lead and the teammates, newest first; unread mail is marked. */

import { type Mail, words } from "../../../core/board/mail.ts";
import { LEAD, PERSON } from "../../../core/ids.ts";
import { clock } from "../../kit/print.ts";
import type { Row } from "../draw/list.ts";
import { nameOf, oneLine, type Style, safe, shortened } from "../draw/style.ts";
import type { Listed, Panel, PanelInput } from "./panel.ts";

const EACH = 15;
const SHOWN = 60;

export const mailPanel: Panel = {
  title: "mail",
  read: async ({ team, store, style }: PanelInput): Promise<Listed> => {
    const names = new Set([PERSON, LEAD, ...[...team.picture.members.values()].map(({ name }) => name)]);
    const boxes = await Promise.all([...names].map((name) => store.mail.box(name, EACH)));
    const mail = boxes
      .flat()
      .sort((a, b) => b.at - a.at)
      .slice(0, SHOWN);
    return { empty: "No mail yet.", rows: mail.map((one) => mailRow(one, style)) };
  },
};

function mailRow({ id, at, from, to, body, urgent, deliveredAt }: Mail, { paint }: Style): Row {
  const text = words(body);
  const between = `${nameOf(from, paint)} → ${nameOf(to, paint)}`;
  const answersTo = from === PERSON ? to : from;
  return {
    id: String(id),
    text: `${from} ${to} ${text}`,
    actions: [
      { key: "enter", word: "read", show: () => `${between}  ${paint("dim", clock(at))}\n${safe(text)}` },
      { key: "m", word: `write to ${answersTo}`, line: `/send ${answersTo} ` },
      ...(from === PERSON ? [] : [{ key: "o", word: "its sender", line: `/to ${from}` }]),
    ],
    lines: (width) => [
      shortened(
        `${deliveredAt === null ? paint("warn", "●") : " "} ${paint("dim", clock(at))} ${between}${urgent ? paint("bad", " urgent") : ""}  ${oneLine(text)}`,
        width,
      ),
    ],
  };
}
