/** The teams of a person, in all projects, as data and views. */

import type { Counts } from "../board/task.ts";
import type { Instant, Name } from "../ids.ts";
import { keyOfWindow, type LoginWindow } from "../limits/window.ts";
import { loginsView } from "./logins.ts";
import { type Cell, money, right, span, type Tone, type View } from "./view.ts";

const STATES = ["needs you", "working", "idle", "stopped", "done", "unreadable"] as const;
export type TeamState = (typeof STATES)[number];

export type ListedTeam = {
  readonly team: Name;
  readonly cwd: string;
  readonly state: TeamState;
  /** Questions that wait for the person. */
  readonly questions: number;
  /** Members that have not stopped, and how many of them work. */
  readonly members: number;
  readonly working: number;
  readonly counts: Counts | null;
  readonly usd: number;
  /** When a member last did something else than before; null where nobody ever did anything. */
  readonly since: Instant | null;
  /** The windows of its logins that are used up. */
  readonly limits: readonly LoginWindow[];
  /** The reason why it cannot be read. */
  readonly note: string;
};
export type PsData = { readonly now: Instant; readonly teams: readonly ListedTeam[] };

const TONES: Readonly<Record<TeamState, Tone>> = {
  "needs you": "warn",
  working: "busy",
  idle: "plain",
  stopped: "plain",
  done: "good",
  unreadable: "bad",
};

/** Teams that need the person first, then the latest. */
export const inOrder = (teams: readonly ListedTeam[]): ListedTeam[] =>
  [...teams].sort(
    (a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state) || (b.since ?? 0) - (a.since ?? 0),
  );

export function psViews({ now, teams }: PsData): View[] {
  const columns = [
    ...[{ name: "state" }, { name: "team" }, { name: "project", grow: true as const }],
    ...["members", "tasks", "failed", "cost", "for"].map(right),
  ];
  const rows = teams.map(({ state, team, cwd, questions, members, counts, usd, since, note }): Cell[] => [
    { text: questions > 1 ? `${state} (${questions})` : state, tone: TONES[state] },
    { text: team, tone: "strong" },
    { text: note === "" ? cwd : `${cwd}: ${note}` },
    { text: String(members) },
    { text: counts ? `${counts.completed}/${counts.total}` : "" },
    { text: String(counts?.failed ?? ""), tone: counts && counts.failed > 0 ? "bad" : "plain" },
    { text: usd > 0 ? money(usd) : "" },
    { text: since === null ? "" : span(now - since) },
  ]);
  const empty = "You have run no team yet. Start one: ekiden run GOAL";
  // Teams share logins: each window once.
  const windows = new Map(
    teams.flatMap(({ limits }) => limits.map((one) => [keyOfWindow(one), one] as const)),
  );
  const logins = loginsView([...windows.values()], [], now);
  return [{ kind: "table", columns, rows, empty }, ...(windows.size > 0 ? [logins] : [])];
}
