/** The latest mail of the person, the lead and the teammates, newest first; what is unread is marked. */
import { LEAD, PERSON } from "../../../core/ids.ts";
import { words } from "../../../core/mail.ts";
import { colourOf } from "../../../core/views/identity.ts";
import { clock } from "../../terminal/print.ts";
import { oneLine, shortened } from "../style.ts";
import type { Drawn, Panel, PanelInput } from "./panel.ts";

const EACH = 15;
const SHOWN = 60;

export const mailPanel: Panel = {
  title: "mail",
  read: async ({ team, store, style }: PanelInput): Promise<Drawn> => {
    const names = new Set([PERSON, LEAD, ...[...team.picture.members.values()].map(({ name }) => name)]);
    const boxes = await Promise.all([...names].map((name) => store.mail.box(name, EACH)));
    const mail = boxes
      .flat()
      .sort((a, b) => b.at - a.at)
      .slice(0, SHOWN);
    const { paint } = style;
    return (width) =>
      mail.length === 0
        ? [paint("dim", "No mail yet.")]
        : mail.map(({ at, from, to, body, urgent, deliveredAt }) =>
            shortened(
              `${deliveredAt === null ? paint("warn", "●") : " "} ${paint("dim", clock(at))} ${paint(colourOf(from), from)} → ${paint(colourOf(to), to)}${urgent ? paint("bad", " urgent") : ""}  ${oneLine(words(body))}`,
              width,
            ),
          );
  },
};
