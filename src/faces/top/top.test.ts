import { expect, it } from "vitest";
import { asTaskId, instant, LEAD, type Name } from "../../core/ids.ts";
import { type Member, NOTHING_SPENT } from "../../core/member.ts";
import type { Task } from "../../core/task.ts";
import { boardData } from "../../core/views/board.ts";
import { columns, type Terminal } from "../terminal/terminal.ts";
import { frame, inOrder, type Known, type Look } from "./frame.ts";
import { actionsOf } from "./keys.ts";
import { firstShown, nextPane, scrolled, share } from "./panes.ts";

const now = instant(1_000_000);
const task = (n: number, more: Partial<Task> = {}): Task =>
  ({
    id: asTaskId(n),
    subject: `Task ${n} 日本語のタスク`,
    description: "",
    blockedBy: [],
    openBlockers: 0,
    priority: 0,
    estimate: 1,
    role: null,
    touches: [],
    needsPlan: false,
    attempt: 0,
    lastFailure: null,
    createdBy: LEAD,
    describedBy: LEAD,
    createdAt: instant(0),
    updatedAt: instant(0),
    status: "pending",
    ...more,
  }) as Task;
const member = (name: string, more: Partial<Member> = {}): Member => ({
  name: name as Name,
  kind: "teammate",
  role: "",
  model: "x/y",
  prompt: "",
  needsPlan: false,
  ...NOTHING_SPENT,
  activity: { phase: "work" },
  since: instant(970_000),
  host: null,
  heartbeat: null,
  task: null,
  unread: 0,
  joinedAt: instant(0),
  ...more,
});
const known: Known = {
  team: "default" as Name,
  teams: 1,
  board: boardData(
    "default" as Name,
    inOrder([
      task(1, { status: "completed", owner: LEAD, startedAt: instant(0), endedAt: instant(5), result: "" }),
      task(2),
      task(3, { status: "in_progress", owner: "alice" as Name, startedAt: instant(0) }),
      ...Array.from({ length: 60 }, (_, i) => task(i + 4)),
    ]),
    now,
  ),
  readAt: now,
  held: [task(3)],
  members: [
    member("lead", { kind: "lead" }),
    member("alice", { task: asTaskId(3) }),
    member("bob", { activity: { phase: "shutdown", reason: "asked" } }),
  ],
  hosts: [],
  steps: new Map([["alice" as Name, "bash npm test"]]),
  printed: new Map([["alice", "12 passed"]]),
  news: Array.from({ length: 40 }, (_, i) => ({
    at: now,
    said: { who: "alice", text: `news ${i + 1} ${"x".repeat(200)}`, tone: "plain" as const },
  })),
  trouble: "",
};
const look: Look = { focus: "board", back: { team: 0, board: 0, feed: 0 } };
const drawn = (width: number, rows: number, more: Partial<Look> = {}) => {
  const term: Terminal = {
    isTTY: true,
    colour: false,
    width: () => width,
    write: () => {},
    paint: (_tone, text) => text,
  };
  return frame(term, { rows, columns: width }, known, { ...look, ...more }, now);
};

it.each([
  [80, 24],
  [120, 40],
  [200, 60],
  [30, 8],
  [20, 4],
  [1, 1],
])("fills a screen of %i columns and %i rows and no more", (width, rows) => {
  const { lines } = drawn(width, rows);
  expect(lines.length).toBeLessThanOrEqual(rows);
  if (width >= 20) for (const line of lines) expect(columns(line), line).toBeLessThanOrEqual(width);
});

it("shows what happens first, who is here with the last step, and the newest news", () => {
  const text = drawn(120, 40).lines.join("\n");
  expect(text).toMatch(/team: 2 of 3 here/);
  expect(text).toMatch(/alice@default.*#3 Task 3 .* · bash npm test │ 12 passed/);
  expect(text.indexOf("#3  ▶")).toBeLessThan(text.indexOf("#2  ○"));
  expect(text).toMatch(/board: 63 tasks.* · \d+ more/);
  expect(text).toContain("news 40");
  expect(text).not.toContain("bob@default");
});

it("scrolls each pane within its bounds, the feed from its end", () => {
  const { extent } = drawn(80, 24);
  const { lines, height } = extent.board;
  expect(lines).toBe(63);
  const end = scrolled("board", 0, lines, lines, height);
  const bottom = drawn(80, 24, { back: { team: 0, board: end, feed: 0 } }).lines.join("\n");
  expect(bottom).toMatch(/#1 +✓ completed/);
  expect(scrolled("board", end, 1, lines, height)).toBe(end);
  expect(scrolled("board", 0, -1, lines, height)).toBe(0);
  expect(scrolled("feed", 0, -3, 40, 10)).toBe(3);
  expect(firstShown("feed", 3, 40, 10)).toBe(27);
  expect(firstShown("feed", 99, 40, 10)).toBe(0);
});

it("gives the pane in focus half of the rows, and the feed what is left", () => {
  expect(share(20, { team: 50, board: 50, feed: 50 }, "board")).toEqual({ team: 6, board: 10, feed: 4 });
  expect(share(20, { team: 3, board: 2, feed: 50 }, "team")).toEqual({ team: 3, board: 2, feed: 15 });
  expect(share(0, { team: 3, board: 2, feed: 5 }, "feed")).toEqual({ team: 0, board: 0, feed: 0 });
  expect([nextPane("feed"), nextPane("team", -1)]).toEqual(["team", "feed"]);
});

it("reads keys that come together, and lets others pass", () => {
  expect(actionsOf("\x1b[A\x1b[Bq")).toEqual(["up", "down", "leave"]);
  expect(actionsOf("\x1b")).toEqual(["leave"]);
  expect(actionsOf("x\x1b[1;5Cé日")).toEqual([]);
});
