/** The crons of a team, as a table and as lines. */
import type { Cron } from "../board/cron.ts";
import type { Name } from "../ids.ts";
import { showTime } from "../text/zone.ts";
import type { View } from "./view.ts";

export type CronsData = { readonly team: Name; readonly crons: readonly Cron[] };

const notesOn = ({ once, session }: Pick<Cron, "once" | "session">): string =>
  [once ? "once" : "", session === null ? "" : "this session"].filter(Boolean).join(", ");

export const cronsViews = ({ crons }: CronsData): View[] => [
  {
    kind: "table",
    columns: [
      { name: "id" },
      { name: "when" },
      { name: "next" },
      { name: "for" },
      { name: "text", grow: true },
      { name: "" },
      { name: "fired", align: "right" },
    ],
    rows: crons.map((cron) => [
      { text: `c${cron.id}`, tone: "strong" },
      { text: cron.expression },
      { text: showTime(cron.nextAt, cron.zone) },
      { text: cron.target.kind === "mail" ? cron.target.to : "a task" },
      { text: cron.text },
      { text: notesOn(cron), tone: "dim" },
      { text: String(cron.fired) },
    ]),
    empty: 'No crons are set. Set one: ekiden cron add "0 9 * * mon-fri" "Look at the build"',
  },
];

/** "c3 (30 9 * * 1-5) next at 2026-05-04 09:30 (Europe/Berlin) → lead: text" */
export function cronLine(cron: Omit<Cron, "by" | "lastAt" | "fired">): string {
  const { id, expression, nextAt, zone, target, text } = cron;
  const to = target.kind === "mail" ? target.to : "a new task";
  const notes = notesOn(cron);
  return `c${id} (${expression}${notes && `; ${notes}`}) next at ${showTime(nextAt, zone)} → ${to}: ${text}`;
}
