/** The teams of a store as data and views. */
import type { Name } from "../ids.ts";
import type { Counts } from "../task.ts";
import type { Cell, Column, View } from "./view.ts";

export type TeamsData = {
  readonly teams: readonly {
    readonly name: Name;
    /** Members that have not stopped. */
    readonly members: number;
    /** A process runs it now. */
    readonly running: boolean;
    readonly counts: Counts;
  }[];
};

export function teamsViews({ teams }: TeamsData): View[] {
  const right = (name: string): Column => ({ name, align: "right" });
  const columns = [
    { name: "team" },
    { name: "state" },
    ...["members", "tasks", "done", "failed", "open"].map(right),
  ];
  const rows = teams.map(({ name, members, running, counts }): Cell[] => [
    { text: name, tone: "strong" },
    running ? { text: "running", tone: "busy" } : { text: "at rest", tone: "dim" },
    ...[members, counts.total, counts.completed].map((count) => ({ text: String(count) })),
    { text: String(counts.failed), tone: counts.failed > 0 ? "bad" : "plain" },
    { text: String(counts.pending + counts.inProgress) },
  ]);
  return [{ kind: "table", columns, rows, empty: "The store has no teams yet. Start one: ekiden run GOAL" }];
}
