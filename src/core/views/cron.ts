/** The alarms of a team, as a table. */
import type { CronId, HostId, Instant, Name } from "../ids.ts";
import { showTime } from "../zone.ts";
import type { View } from "./view.ts";

export type AlarmData = {
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

export type CronsData = { readonly team: Name; readonly alarms: readonly AlarmData[] };

export const cronsViews = ({ alarms }: CronsData): View[] => [
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
    rows: alarms.map((alarm) => [
      { text: `c${alarm.id}`, tone: "strong" },
      { text: alarm.expression },
      { text: showTime(alarm.nextAt, alarm.zone) },
      { text: alarm.target.kind === "mail" ? alarm.target.to : "a task" },
      { text: alarm.text },
      {
        text: [alarm.once ? "once" : "", alarm.session === null ? "" : "this session"]
          .filter(Boolean)
          .join(", "),
        tone: "dim",
      },
      { text: String(alarm.fired) },
    ]),
    empty: 'No alarms are set. Set one: ekiden cron add "0 9 * * mon-fri" "Look at the build"',
  },
];
