/** The crons of a team, as a table and as lines. */
import type { CronId, HostId, Instant, Name } from "../ids.ts";
import { showTime } from "../zone.ts";
import type { View } from "./view.ts";

export type CronData = {
  readonly id: CronId;
  readonly expression: string;
  readonly zone: string;
  readonly text: string;
  readonly target: { readonly kind: "mail"; readonly to: Name } | { readonly kind: "task" };
  readonly once: boolean;
  readonly session: HostId | null;
  readonly by: Name;
  readonly nextAt: Instant;
  readonly lastAt: Instant | null;
  readonly fired: number;
};

export type CronsData = { readonly team: Name; readonly crons: readonly CronData[] };

const notesOn = ({ once, session }: Pick<CronData, "once" | "session">): string =>
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
export function cronLine(cron: Omit<CronData, "by" | "lastAt" | "fired">): string {
  const { id, expression, nextAt, zone, target, text } = cron;
  const to = target.kind === "mail" ? target.to : "a new task";
  const notes = notesOn(cron);
  return `c${id} (${expression}${notes && `; ${notes}`}) next at ${showTime(nextAt, zone)} → ${to}: ${text}`;
}
