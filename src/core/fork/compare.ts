/** Two teams side by side. */
import type { Counts, Status } from "../board/task.ts";
import type { Name, TaskId } from "../ids.ts";
import { type Cell, counted, money, right, span, type View } from "../views/view.ts";

export type SideData = {
  readonly team: Name;
  /** As the last run said it: "concluded", or why it stopped; "" for none. */
  readonly outcome: string;
  readonly counts: Counts;
  /** US dollars: of tasks that are not completed, and of everything. */
  readonly lostUsd: number;
  readonly usd: number;
  /** From the first turn or claim to the last fact of a task. */
  readonly ms: number;
  readonly turns: number;
  readonly calls: number;
  /** Completions that were refused. */
  readonly refusals: number;
};

export type CompareData = {
  readonly sides: readonly [SideData, SideData];
  /** One is a fork of the other, or both are of one team: only what came after that is counted. */
  readonly sinceFork: boolean;
  /** Tasks that are not the same in both; null: that team has no such task. */
  readonly tasks: readonly {
    readonly id: TaskId;
    readonly subject: string;
    readonly states: readonly [Status | null, Status | null];
  }[];
  /** Files that differ, with the lines that only the second or only the first has (null: binary). null: both work in one folder. */
  readonly files:
    | readonly { readonly path: string; readonly added: number | null; readonly removed: number | null }[]
    | null;
  /** The files that differ, where it is asked for. */
  readonly diff?: string;
};

const usd = (amount: number): string => money(amount) || "$0";

/** The rows, and which of two figures is better: the smaller, or neither. */
const ROWS: readonly (readonly [string, (side: SideData) => string, ((side: SideData) => number)?])[] = [
  ["spent on what is not completed", (side) => usd(side.lostUsd), (side) => side.lostUsd],
  ["spent", (side) => usd(side.usd), (side) => side.usd],
  ["completed", ({ counts }) => `${counts.completed} of ${counts.total}`, ({ counts }) => -counts.completed],
  ["failed", ({ counts }) => String(counts.failed), ({ counts }) => counts.failed],
  ["cancelled", ({ counts }) => String(counts.cancelled)],
  ["refused completions", (side) => String(side.refusals), (side) => side.refusals],
  ["time", (side) => span(side.ms), (side) => side.ms],
  ["turns", (side) => String(side.turns)],
  ["calls", (side) => String(side.calls)],
  ["outcome", (side) => side.outcome || "not ended"],
];

export function compareViews({ sides, sinceFork, tasks, files }: CompareData): View[] {
  const [a, b] = sides;
  const rows = ROWS.map(([what, show, rank]): Cell[] => {
    const [x, y] = [rank?.(a) ?? 0, rank?.(b) ?? 0];
    const cell = (side: SideData, isBetter: boolean): Cell => ({
      text: show(side),
      tone: isBetter ? "good" : "plain",
    });
    return [{ text: what, tone: "dim" }, cell(a, x < y), cell(b, y < x)];
  });
  return [
    {
      kind: "table",
      columns: [{ name: sinceFork ? "since the fork" : "" }, right(a.team), right(b.team)],
      rows,
      empty: "",
    },
    {
      kind: "table",
      columns: [{ name: "task" }, { name: "subject", grow: true }, { name: a.team }, { name: b.team }],
      rows: tasks.map(({ id, subject, states }): Cell[] =>
        [`#${id}`, subject, ...states.map((state) => state ?? "-")].map((text) => ({ text })),
      ),
      empty: "All tasks are the same in both.",
    },
    {
      kind: "table",
      columns: [{ name: "file", grow: true }, right(`only ${a.team}`), right(`only ${b.team}`)],
      rows: (files ?? []).map(({ path, added, removed }): Cell[] => [
        { text: path },
        { text: removed === null ? "binary" : counted(removed, "line") },
        { text: added === null ? "binary" : counted(added, "line") },
      ]),
      empty: files === null ? "Both work in the same folder." : "No file differs.",
    },
  ];
}
