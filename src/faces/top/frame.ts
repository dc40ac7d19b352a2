/** One frame of `ekiden top` as lines: a head with the figures of the team, then the panes. */
import type { Event } from "../../core/event.ts";
import type { Host } from "../../core/host.ts";
import type { Instant, Name } from "../../core/ids.ts";
import type { Member } from "../../core/member.ts";
import type { Task } from "../../core/task.ts";
import { type BoardData, boardViews, progressShare, progressText } from "../../core/views/board.ts";
import type { Sentence } from "../../core/views/sentence.ts";
import { teamData, teamViews } from "../../core/views/team.ts";
import { money, tokens, type View } from "../../core/views/view.ts";
import { lines as linesOf, newsLines, progressBar } from "../terminal/print.ts";
import { clean, columns, cut, type Terminal } from "../terminal/terminal.ts";
import { HINT } from "./keys.ts";
import { firstShown, PANES, type Pane, share } from "./panes.ts";

export type News = { readonly at: Event["at"]; readonly said: Sentence };

/** What is known of a team, as it was read last. */
export type Known = {
  readonly team: Name;
  readonly teams: number;
  /** In the order of `inOrder`, with the ages of the moment `readAt`. */
  readonly board: BoardData;
  readonly readAt: Instant;
  /** The tasks that members have. */
  readonly held: readonly Task[];
  readonly members: readonly Member[];
  readonly hosts: readonly Host[];
  /** The last thing that each member did. */
  readonly steps: ReadonlyMap<Name, string>;
  /** The last line that a command of a member has printed, if it runs now on this machine. */
  readonly printed: ReadonlyMap<string, string>;
  readonly news: readonly News[];
  /** Why nothing newer is known. */
  readonly trouble: string;
};

export type Look = { readonly focus: Pane; readonly back: Readonly<Record<Pane, number>> };
/** The length of each pane's content, and how many lines of it are in view. */
export type Extent = Readonly<Record<Pane, { readonly lines: number; readonly height: number }>>;
export type Frame = { readonly lines: string[]; readonly extent: Extent };

const FIRST: readonly Task["status"][] = ["in_progress", "failed", "pending", "cancelled", "completed"];

/** What happens and what needs somebody comes first, what is completed last. */
export const inOrder = (tasks: readonly Task[]): Task[] =>
  [...tasks].sort(
    (a, b) =>
      FIRST.indexOf(a.status) - FIRST.indexOf(b.status) ||
      openBlockers(a) - openBlockers(b) ||
      (a.status === "completed" ? b.id - a.id : a.id - b.id),
  );
const openBlockers = (task: Task): number => (task.status === "pending" ? Math.min(1, task.openBlockers) : 0);

export function frame(
  term: Terminal,
  size: { readonly rows: number; readonly columns: number },
  known: Known,
  look: Look,
  now: Instant,
): Frame {
  const active = known.members.filter(({ activity }) => activity.phase !== "shutdown");
  // Who has stopped is shown only where nobody else is there.
  const members = active.length > 0 ? active : known.members;
  const counts = { team: members.length + 1, board: known.board.tasks.length + 1, feed: known.news.length };
  const wants = { team: Math.max(counts.team, 1), board: Math.max(counts.board, 1), feed: counts.feed };
  const heights = share(Math.max(0, size.rows - PANES.length - 2), wants, look.focus);
  const from = (pane: Pane, head: number): number =>
    firstShown(pane, look.back[pane], counts[pane] - head, heights[pane] - head);
  const window = <T>(pane: Pane, list: readonly T[], head: number): T[] =>
    list.slice(from(pane, head), from(pane, head) + Math.max(0, heights[pane] - head));

  const { board } = known;
  const shownTasks = window("board", board.tasks, 1).map((task) => ({
    ...task,
    ageMs: task.ageMs + (now - known.readAt),
  }));
  const whole = teamData(known.team, window("team", members, 1), known.hosts, known.held, now);
  const parts: Record<Pane, string[]> = {
    team: viewLines(
      term,
      teamTable(teamViews({ ...whole, hosts: [] })[0], whole.members, known, size.columns),
    ),
    // A window without a task is not an empty board.
    board:
      shownTasks.length > 0 || board.tasks.length === 0
        ? viewLines(term, boardViews(board, shownTasks)[0])
        : [],
    feed: window("feed", known.news, 0).flatMap(({ at, said }) => newsLines(term, at, said).slice(0, 1)),
  };
  const titles: Readonly<Record<Pane, string>> = {
    team: `team: ${active.length} of ${known.members.length} here`,
    board: `board: ${progressText(board.counts)}`,
    feed: "feed",
  };
  const body = PANES.flatMap((pane) => {
    const hidden = counts[pane] - (pane === "feed" ? 0 : 1) - (heights[pane] - (pane === "feed" ? 0 : 1));
    const more = hidden > 0 ? ` · ${hidden} more` : "";
    return [
      rule(term, `${titles[pane]}${more}`, size.columns, pane === look.focus),
      ...parts[pane].slice(0, heights[pane]),
      ...Array<string>(Math.max(0, heights[pane] - parts[pane].length)).fill(""),
    ];
  });
  const hint = term.paint(known.trouble ? "bad" : "dim", cut(known.trouble || HINT, size.columns));
  const lines = [head(term, known, size.columns, now), ...body, hint].slice(0, size.rows);
  const extent = Object.fromEntries(
    PANES.map((pane) => {
      const one = pane === "feed" ? 0 : 1;
      return [pane, { lines: counts[pane] - one, height: heights[pane] - one }];
    }),
  ) as Extent;
  return { lines, extent };
}

const viewLines = (term: Terminal, view: View | undefined): string[] => (view ? linesOf(term, view) : []);

/** Columns that leave their room to what the members do. */
const NARROW = 100;

/** Adds to the task of each member what it did last and what its command prints. */
function teamTable(
  whole: View | undefined,
  members: readonly Member[],
  { steps, printed }: Known,
  width: number,
): View | undefined {
  if (whole?.kind !== "table") return whole;
  const kept = (_: unknown, i: number): boolean => width >= NARROW || whole.columns[i]?.minor !== true;
  const view = {
    ...whole,
    columns: whole.columns.filter(kept),
    rows: whole.rows.map((row) => row.filter(kept)),
  };
  const at = view.columns.findIndex(({ name }) => name === "doing");
  const rows = view.rows.map((row, i) => {
    const member = members[i];
    const parts = member?.activity.phase === "work" ? [steps.get(member.name), printed.get(member.name)] : [];
    const step = parts.filter(Boolean).join(" │ ");
    return step === ""
      ? row
      : row.map((cell, column) => (column === at ? { ...cell, text: `${cell.text} · ${step}` } : cell));
  });
  return { ...view, rows };
}

function head(
  term: Terminal,
  { team, teams, board: { counts }, members, hosts }: Known,
  width: number,
  now: Instant,
): string {
  const isRunning = hosts.some(({ leaseUntil }) => leaseUntil > now);
  const sum = (of: (member: Member) => number): number => members.reduce((all, one) => all + of(one), 0);
  const used = sum(({ inputTokens, outputTokens }) => inputTokens + outputTokens);
  const parts = [
    `team ${team}${teams > 1 ? ` (${teams} in the store)` : ""}`,
    isRunning ? "running" : "at rest",
    used > 0 ? `${tokens(used)} tokens` : "",
    money(sum(({ usd }) => usd)),
  ].filter((part) => part !== "");
  const text = cut(`ekiden top · ${parts.join(" · ")}`, width);
  const room = width - columns(text) - 2;
  if (room < 12 || counts.total === 0) return term.paint("strong", text);
  return `${term.paint("strong", text)}  ${progressBar(term, progressShare(counts), Math.min(24, room))}`;
}

function rule(term: Terminal, title: string, width: number, focused: boolean): string {
  const text = cut(clean(`${focused ? "▸" : "─"} ${title} `), width);
  const line = "─".repeat(Math.max(0, width - columns(text)));
  return `${term.paint(focused ? "strong" : "dim", text)}${term.paint("dim", line)}`;
}
