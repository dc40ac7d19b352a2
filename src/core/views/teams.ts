/** The teams of a store as data and views. */

import type { Counts } from "../board/task.ts";
import { DEFAULT_TEAM, type Name } from "../ids.ts";
import { type Cell, right, type View } from "./view.ts";

/** The command with which a person starts a team of the store. */
export const runTeam = (team: Name): string =>
  team === DEFAULT_TEAM ? "ekiden resume" : `ekiden --team ${team} resume`;

export type TeamsData = {
  readonly teams: readonly {
    readonly name: Name;
    /** Members that have not stopped. */
    readonly members: number;
    /** A process runs it now. */
    readonly running: boolean;
    /** No process runs it, and there is work or mail for it. */
    readonly waiting: boolean;
    readonly counts: Counts;
  }[];
};

export function teamsViews({ teams }: TeamsData): View[] {
  const columns = [
    { name: "team" },
    { name: "state" },
    ...["members", "tasks", "done", "failed", "open"].map(right),
  ];
  const rows = teams.map(({ name, members, running, waiting, counts }): Cell[] => [
    { text: name, tone: "strong" },
    stateOf(name, running, waiting),
    ...[members, counts.total, counts.completed].map((count) => ({ text: String(count) })),
    { text: String(counts.failed), tone: counts.failed > 0 ? "bad" : "plain" },
    { text: String(counts.pending + counts.inProgress) },
  ]);
  return [{ kind: "table", columns, rows, empty: "The store has no teams yet. Start one: ekiden run GOAL" }];
}

function stateOf(name: Name, running: boolean, waiting: boolean): Cell {
  if (running) return { text: "running", tone: "busy" };
  return waiting ? { text: `waits for: ${runTeam(name)}`, tone: "warn" } : { text: "at rest", tone: "dim" };
}
