/** The tables of teams, members, hosts, crons, questions and pruned teams: the marks in each row, and what limits change. */
import { expect, it } from "vitest";
import type { Cron } from "../board/cron.ts";
import type { Host } from "../board/host.ts";
import { type Member, NOTHING_SPENT } from "../board/member.ts";
import type { Counts } from "../board/task.ts";
import { asCronId, DEFAULT_TEAM, type HostId, instant, LEAD, type Name, type RequestId } from "../ids.ts";
import { cronLine, cronsViews } from "./cron.ts";
import { isActive, type PrunedTeam, pruneViews } from "./prune.ts";
import { type QuestionData, questionViews } from "./request.ts";
import { teamData, teamViews } from "./team.ts";
import { teamsViews } from "./teams.ts";
import type { View } from "./view.ts";

const alice = "alice" as Name;
/** The rows of a table, each cell as "text" or "text/tone". */
const rows = (view: View | undefined): string[] =>
  view?.kind === "table"
    ? view.rows.map((row) => row.map(({ text, tone }) => (tone ? `${text}/${tone}` : text)).join(" | "))
    : [];
const said = (view: View | undefined): string[] =>
  view?.kind === "feed" ? view.lines.map((l) => l.text) : [];

const cron: Cron = {
  ...{ id: asCronId(3), expression: "30 9 * * *", zone: "UTC", text: "Look", by: LEAD, fired: 2 },
  ...{ target: { kind: "mail", to: alice }, once: false, session: null, lastAt: null },
  ...{ createdAt: instant(0), nextAt: instant(34_200_000) },
};
const member = (more: Partial<Member> = {}): Member => ({
  ...{ name: alice, kind: "teammate", role: "", model: "x/y", prompt: "", needsPlan: false },
  ...{ ...NOTHING_SPENT, activity: { phase: "work" }, since: instant(0), host: "h" as HostId },
  ...{ heartbeat: null, task: null, unread: 0, joinedAt: instant(0) },
  ...more,
});
const host = (more: Partial<Host> = {}): Host => ({
  ...{ id: "h" as HostId, machine: "box", pid: 7, identity: "", version: "1.0.0" },
  ...{ capacity: 0, members: 2, working: 0, leaseUntil: instant(5_000) },
  ...more,
});
const question = (more: Partial<QuestionData> = {}): QuestionData => ({
  ...{ id: "r1" as RequestId, kind: "permission", by: alice, of: LEAD, at: instant(0) },
  ...{ deadline: instant(0), leftMs: 61_000, task: null, attempt: null, text: "bash: ls" },
  ...more,
});

it.each([
  [{}, "alice | Look | /dim", "c3 (30 9 * * *) next at 1970-01-01 09:30 (UTC) → alice: Look"],
  [
    { once: true },
    "alice | Look | once/dim",
    "c3 (30 9 * * *; once) next at 1970-01-01 09:30 (UTC) → alice: Look",
  ],
  [
    { once: true, session: "h" as HostId, target: { kind: "task" } },
    "a task | Look | once, this session/dim",
    "c3 (30 9 * * *; once, this session) next at 1970-01-01 09:30 (UTC) → a new task: Look",
  ],
] as const)("shows the cron %j in a row and in a line", (more, row, line) => {
  const [shown] = rows(cronsViews({ team: DEFAULT_TEAM, crons: [{ ...cron, ...more }] })[0]);
  expect(shown).toBe(`c3/strong | 30 9 * * * | 1970-01-01 09:30 (UTC) | ${row} | 2`);
  expect(cronLine({ ...cron, ...more })).toBe(line);
});

it("shows what was pruned of each team, and what would be", () => {
  const team = (name: string, deleted: string): PrunedTeam => ({
    ...{ name: name as Name, facts: 5, entries: 7, deleted },
  });
  const data = {
    ...{ before: instant(0), outputFiles: 1, images: 2, gates: 3 },
    teams: [team("a", "yes"), team("b", "no"), team("c", "it has work")],
  };
  const [table, figures] = pruneViews({ ...data, dryRun: false });
  expect(rows(table)).toEqual([
    "a/strong | 5 | 7 | yes/warn",
    "b/strong | 5 | 7 | /dim",
    "c/strong | 5 | 7 | it has work/dim",
  ]);
  const label = (view: View | undefined) => (view?.kind === "figures" ? view.figures[0]?.label : null);
  expect(label(figures)).toBe("deleted, from before");
  expect(label(pruneViews({ ...data, dryRun: true })[1])).toBe("would be deleted, from before");
});

it("keeps the team of a member that has not stopped", () => {
  const idle = member({ activity: { phase: "idle", reason: "awaiting_tasks" } });
  const stopped = member({ activity: { phase: "shutdown", reason: "asked" } });
  expect([member(), idle, stopped].map(isActive)).toEqual([true, true, false]);
});

it.each([
  [{}, "bash: ls"],
  [{ task: 4, rule: "bash(ls)" }, "#4: bash: ls (always: bash(ls))"],
  [{ text: "\none\ntwo" }, "one …"],
  [{ text: "one\n" }, "one"],
] as [object, string][])("shows the question %j in a row as %j", (more, what) => {
  const [table] = questionViews({ team: DEFAULT_TEAM, requests: [question(more)] });
  expect(rows(table)).toEqual([`r1/strong | permission | alice | lead | 1m01s/dim | ${what}`]);
});

it.each([
  ["a short call", {}, []],
  ["a call of 60 characters", { text: "x".repeat(60) }, []],
  ["a longer call", { text: "x".repeat(61) }, [`asks to run (request r1):\n${"x".repeat(61)}`]],
  ["a call of two lines", { text: "a\nb" }, ["asks to run (request r1):\na\nb"]],
  [
    "an edit with its reason",
    { text: "edit a", diff: "+\u001b", why: "it is new" },
    ["asks to run (request r1):\nWhy it is asked: it is new.\nedit a\n+\\x1b"],
  ],
  [
    "a plan",
    { kind: "plan", task: 4, attempt: 2, text: "Do it" },
    ["plans #4 (attempt 2, request r1):\nDo it"],
  ],
  ["a long reason to stop", { kind: "shutdown", text: "x\n".repeat(61) }, []],
] as [string, object, string[]][])("shows in full what a person must judge: %s", (_, more, expected) => {
  const [, feed] = questionViews({ team: DEFAULT_TEAM, requests: [question(more)] });
  expect(said(feed)).toEqual(expected);
  expect(feed === undefined).toBe(expected.length === 0);
});

it("shows a member as not running from the moment at which the lease of its host ends", () => {
  const shown = (now: number) =>
    rows(teamViews(teamData(DEFAULT_TEAM, [member()], [host()], [], instant(now)))[0])[0];
  expect(shown(4_999)).toContain("thinking/busy");
  expect(shown(5_000)).toContain("not running/warn");
});

it("counts the unread mail and all tokens of a member", () => {
  const one = member({ unread: 1, inputTokens: 700, outputTokens: 200, usd: 0.5 });
  const views = teamViews(teamData(DEFAULT_TEAM, [one], [host()], [], instant(0)));
  expect(rows(views[0])).toEqual([
    "alice@default/strong |  | thinking/busy | 0s/dim | 1/warn | /dim | x/y/dim | 900 | $0.50",
  ]);
});

it.each([
  [{}, "2 | 0/dim | 5s left/dim"],
  [{ capacity: 1, working: 1 }, "2 of 1 | 1/busy | 5s left/dim"],
  [{ leaseUntil: instant(1) }, "2 | 0/dim | 0s left/dim"],
  [{ leaseUntil: instant(0) }, "2 | 0/dim | over for 0s/warn"],
  [{ leaseUntil: instant(-2_000) }, "2 | 0/dim | over for 2s/warn"],
  [{ leaseUntil: instant(-1_795_916_634_571) }, "2 | 0/dim | taken over/warn"],
])("shows the host %j as %j", (more, expected) => {
  const views = teamViews(teamData(DEFAULT_TEAM, [], [host(more)], [], instant(0)));
  expect(rows(views[1])).toEqual([`box, pid 7/strong | ${expected} | 1.0.0/dim`]);
});

it("shows no table of hosts when no process runs the team", () => {
  expect(teamViews(teamData(DEFAULT_TEAM, [member()], [], [], instant(0)))).toHaveLength(1);
});

const NO_TASKS: Counts = {
  ...{ pending: 0, ready: 0, inProgress: 0, completed: 0, failed: 0, cancelled: 0, total: 0 },
};
it.each([
  ["blue", { running: true }, {}, "running/busy | 2 | 0 | 0 | 0/plain | 0"],
  ["blue", {}, { failed: 1, total: 1 }, "at rest/dim | 2 | 1 | 0 | 1/bad | 0"],
  [
    "blue",
    { waiting: true },
    { pending: 3, inProgress: 1, completed: 2, total: 6 },
    "waits for: ekiden --team blue resume/warn | 2 | 6 | 2 | 0/plain | 4",
  ],
  [DEFAULT_TEAM, { waiting: true }, {}, "waits for: ekiden resume/warn | 2 | 0 | 0 | 0/plain | 0"],
])("shows the team %s, %j, with the tasks %j", (name, state, counts, expected) => {
  const team = { name: name as Name, members: 2, running: false, waiting: false, ...state };
  expect(rows(teamsViews({ teams: [{ ...team, counts: { ...NO_TASKS, ...counts } }] })[0])).toEqual([
    `${name}/strong | ${expected}`,
  ]);
});

it("gives the width that is left to the column of the text, and lets only columns go that matter less", () => {
  const columns = (view: View | undefined) => (view?.kind === "table" ? view.columns : []);
  const tables = [
    cronsViews({ team: DEFAULT_TEAM, crons: [] })[0],
    questionViews({ team: DEFAULT_TEAM, requests: [] })[0],
    ...teamViews(teamData(DEFAULT_TEAM, [], [host()], [], instant(0))),
  ];
  const growing = tables.map((view) => columns(view).flatMap(({ name, grow }) => (grow ? [name] : [])));
  expect(growing).toEqual([["text"], ["what"], ["doing"], ["host"]]);
  const minor = tables.flatMap(columns).flatMap(({ name, minor }) => (minor ? [name] : []));
  expect(minor).toEqual(["heartbeat", "model"]);
});
