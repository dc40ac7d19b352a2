import { expect, it } from "vitest";
import { type Member, NOTHING_SPENT } from "../board/member.ts";
import type { Task } from "../board/task.ts";
import { asTaskId, type HostId, instant, LEAD, mailId, type Name } from "../ids.ts";
import { boardData, boardViews, countTasks, taskHistory, taskViews } from "./board.ts";
import { inboxViews } from "./inbox.ts";
import { landingsViews } from "./landing.ts";
import { teamData, teamViews } from "./team.ts";
import { transcriptViews } from "./transcript.ts";
import { money, span, tokens, type View } from "./view.ts";

const alice = "alice" as Name;
const team = "default" as Name;
const now = instant(1_000_000);
const id = asTaskId;
const facts = (n: number, blockedBy: number[] = [], openBlockers = 0) => ({
  id: id(n),
  subject: `Task ${n}`,
  description: "",
  blockedBy: blockedBy.map(id),
  openBlockers,
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
});
const tasks: Task[] = [
  {
    ...facts(1),
    status: "completed",
    owner: alice,
    attempt: 1,
    startedAt: instant(0),
    endedAt: instant(940_000),
    result: "ok",
  },
  { ...facts(2, [1]), status: "in_progress", owner: alice, attempt: 2, startedAt: instant(995_000) },
  { ...facts(3, [1, 2], 1), status: "pending" },
  {
    ...facts(4),
    status: "failed",
    owner: alice,
    attempt: 3,
    startedAt: instant(0),
    endedAt: instant(0),
    reason: "exit 1",
  },
  { ...facts(5, [4], 1), status: "pending", role: "tester" },
  { ...facts(6), status: "pending" },
];
const board = boardData(team, tasks, now);
const text = (views: readonly View[]): string =>
  views
    .map((view) => {
      if (view.kind === "table")
        return view.rows.map((row) => row.map((cell) => cell.text).join("|")).join("\n");
      if (view.kind === "figures")
        return view.figures.map((figure) => `${figure.label}: ${figure.text}`).join("\n");
      return view.kind === "feed" ? view.lines.map((line) => `${line.who}: ${line.text}`).join("\n") : "";
    })
    .join("\n");

it("shows what each task waits for, and when that will never end", () => {
  expect(text(boardViews(board))).toBe(
    [
      "#1|✓ completed|Task 1|alice||1m00s|1",
      "#2|▶ in progress|Task 2|alice||5s|2",
      "#3|◌ waiting|Task 3||#2|16m|",
      "#4|✗ failed|Task 4|alice||16m|3",
      "#5|◌ waiting|Task 5|(tester)|#4!|16m|",
      "#6|○ ready|Task 6|||16m|",
      "board: 6 tasks: 1 completed, 1 in progress, 1 failed, 3 to do (1 ready)",
    ].join("\n"),
  );
  expect(countTasks(tasks)).toEqual({
    pending: 3,
    ready: 1,
    inProgress: 1,
    completed: 1,
    failed: 1,
    cancelled: 0,
    total: 6,
  });
});

it("shows a ready task as waiting while another edits the same files", () => {
  const touching: Task[] = [
    {
      ...facts(1),
      touches: ["src/api/**"],
      status: "in_progress",
      owner: alice,
      attempt: 1,
      startedAt: instant(0),
    },
    { ...facts(2), touches: ["src/api/a.ts"], status: "pending" },
    { ...facts(3), touches: ["docs/**"], status: "pending" },
  ];
  const shown = boardData(team, touching, now);
  expect(shown.tasks.map(({ heldBy }) => heldBy)).toEqual([null, 1, null]);
  expect(text(boardViews(shown))).toContain("#2|◌ waiting|Task 2||#1 (same files)|16m|\n#3|○ ready|Task 3|");
  const held = taskHistory(id(2), shown, []);
  expect(held && text(taskViews(held))).toContain(
    "held by: #1, which edits the same files\ntouches: src/api/a.ts",
  );
});

it("dumps every task with every field", () => {
  const keys = board.tasks.map((task) => Object.keys(task).sort().join());
  for (const task of board.tasks)
    expect(task).toMatchObject({ id: expect.any(Number), waitsFor: expect.any(Array) });
  expect(board.tasks[3]).toMatchObject({ status: "failed", startedAt: 0 });
  expect(board.tasks[2]).toMatchObject({ owner: null, ready: false, waitsFor: [2], result: null });
  expect(JSON.parse(JSON.stringify(board)).tasks[0]).toMatchObject({
    owner: "alice",
    result: "ok",
    endedAt: 940_000,
  });
  expect(keys).toHaveLength(6);
});

it("tells one task with its history, or that there is none", () => {
  const claimed = {
    seq: 1,
    at: now,
    type: "task.claimed",
    subject: "Count",
    task: id(2),
    by: alice,
    attempt: 2,
  } as const;
  const history = taskHistory(id(2), board, [claimed, { ...claimed, seq: 2, task: id(1) }]);
  expect(history?.history).toEqual([claimed]);
  if (history) expect(text(taskViews(history))).toContain("alice: claimed #2 Count (attempt 2)");
  expect(taskHistory(id(99), board, [])).toBeNull();
  expect(history && text(taskViews(history))).not.toMatch(/^(role|priority|estimate):/m);
  const rare = boardData(
    team,
    [{ ...facts(1), status: "pending", role: "编码者", priority: -1, estimate: 2.5 }],
    now,
  );
  const told = taskHistory(id(1), rare, []);
  expect(told && text(taskViews(told))).toContain("role: 编码者\npriority: -1\nestimate: 2.5");
  expect(told && text(taskViews(told))).not.toContain("attempt:");
  expect(history && text(taskViews(history))).toContain("attempt: 2");
});

it("tells who works, who is idle and why, and who only looks alive", () => {
  const member = (name: string, more: Partial<Member>): Member => ({
    name: name as Name,
    kind: "teammate",
    role: "",
    model: "x/y",
    prompt: "",
    needsPlan: false,
    ...NOTHING_SPENT,
    activity: { phase: "work" },
    since: instant(970_000),
    host: "live" as HostId,
    heartbeat: instant(999_000),
    task: null,
    unread: 0,
    joinedAt: instant(0),
    ...more,
  });
  const members = [
    member("lead", {
      kind: "lead",
      activity: { phase: "idle", reason: "awaiting_messages" },
      usd: 1.5,
      inputTokens: 12_345,
    }),
    member("alice", { task: id(2), unread: 3 }),
    member("bob", { host: "dead" as HostId, task: id(3) }),
    member("carol", { host: null, heartbeat: null, activity: { phase: "shutdown", reason: "asked" } }),
  ];
  const host = {
    machine: "box",
    pid: 7,
    identity: "",
    version: "1.0.0",
    capacity: 0,
    members: 2,
    working: 1,
  };
  const hosts = [
    { ...host, id: "live" as HostId, leaseUntil: instant(1_012_000) },
    { ...host, id: "dead" as HostId, pid: 8, capacity: 4, working: 0, leaseUntil: instant(997_000) },
  ];
  expect(text(teamViews(teamData(team, members, hosts, tasks, now)))).toBe(
    [
      "lead@default|lead|idle (waiting for mail)|30s||1s ago|x/y|12k|$1.50",
      "alice@default||#2 Task 2|30s|3|1s ago|x/y|0|",
      "bob@default||not running, has #3 Task 3|30s||1s ago|x/y|0|",
      "carol@default||stopped (on request)|30s|||x/y|0|",
      "box, pid 7|2|1|12s left|1.0.0",
      "box, pid 8|2 of 4|0|over for 3s|1.0.0",
    ].join("\n"),
  );
});

it("marks unread and urgent mail, and shows a conversation", () => {
  const mail = {
    id: mailId(1),
    from: LEAD,
    to: alice,
    at: now,
    urgent: true,
    body: { kind: "note", text: "Hello" },
    deliveredAt: null,
  } as const;
  const [inbox] = inboxViews({ name: alice, unread: 1, mail: [mail, { ...mail, deliveredAt: now }] });
  expect(inbox?.kind === "feed" && inbox.lines.map((line) => `${line.text}/${line.tone}`)).toEqual([
    "● urgent: Hello/strong",
    "urgent: Hello/plain",
  ]);
  const call = { type: "call", id: "1", tool: "bash", input: { command: "ls" } } as const;
  const entries = [
    { seq: 1, at: now, entry: { kind: "heard", text: "Hi" } },
    {
      seq: 2,
      at: now,
      entry: { kind: "said", message: { role: "assistant", content: [{ type: "text", text: "Yes" }, call] } },
    },
    {
      seq: 3,
      at: now,
      entry: { kind: "result", result: { type: "result", id: "1", tool: "bash", text: "a", isError: false } },
    },
  ] as const;
  expect(text(transcriptViews({ name: alice, entries }))).toBe(
    '→: Hi\nalice: Yes\nalice calls: bash {"command":"ls"}\n← bash: a',
  );
  const failed = {
    ...entries[2],
    entry: { kind: "result", result: { ...entries[2].entry.result, isError: true } },
  };
  const [feed] = transcriptViews({ name: alice, entries: [entries[2], failed as (typeof entries)[2]] });
  expect(feed?.kind === "feed" && feed.lines.map(({ tone }) => tone)).toEqual(["dim", "bad"]);
});

it("names kinds of mail and reasons in words", () => {
  const mail = {
    id: mailId(1),
    from: alice,
    to: LEAD,
    at: now,
    urgent: false,
    body: { kind: "idle_notice", reason: "no_tool_use", completed: [id(1)] },
    deliveredAt: now,
  } as const;
  expect(text(inboxViews({ name: LEAD, unread: 0, mail: [mail] }))).toBe(
    "alice: [notice of being idle] Idle (turn finished), completed #1.",
  );
});

it("writes spans, tokens and money short", () => {
  expect([950, 61_000, 3_700_000, 90_000_000].map(span)).toEqual(["0s", "1m01s", "1h01m", "1d1h"]);
  expect([999, 1234, 45_678, 600_500, 2_345_678].map(tokens)).toEqual(["999", "1.2k", "46k", "601k", "2.3M"]);
  expect([0, 0.0123, 12.3].map(money)).toEqual(["", "$0.0123", "$12.30"]);
  expect([59_999, 60_000, 600_000, 3_600_000, 86_400_000].map(span)).toEqual([
    "59s",
    "1m00s",
    "10m",
    "1h00m",
    "1d0h",
  ]);
  expect([1_000, 10_000, 1_000_000].map(tokens)).toEqual(["1.0k", "10k", "1.0M"]);
  expect(money(0.1)).toBe("$0.10");
});

it("names a landed commit and the tree that its gate has seen by nine characters", () => {
  const commit = "123456789abcdef0";
  const landed = { at: 0, task: 7, team: "default", commit, tree: "fedcba9876543210" };
  const row = { ...landed, subject: "Count", command: "npm test", gateMs: 2_000 };
  expect(text(landingsViews({ waiting: [], reserved: [], landed: [row] }))).toContain(
    "#7 landed as 123456789 (Count); gated on its tree fedcba987: npm test (2s)",
  );
});
