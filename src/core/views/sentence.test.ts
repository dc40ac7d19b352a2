import { expect, it } from "vitest";
import type { Event, Fact } from "../event.ts";
import {
  asTaskId,
  type CronId,
  type HostId,
  instant,
  type JobId,
  LEAD,
  mailId,
  type Name,
  PERSON,
  type RequestId,
} from "../ids.ts";
import { isNews, sentence, tally } from "./sentence.ts";

const alice = "alice" as Name;
const one = asTaskId(1);
/** One of each: a new fact does not compile until it is here. */
const FACTS: { readonly [T in Fact["type"]]: Extract<Fact, { type: T }> } = {
  "team.created": { type: "team.created" },
  "team.deleted": { type: "team.deleted", team: "old" as Name, by: LEAD },
  "journal.pruned": { type: "journal.pruned", before: instant(0), by: LEAD },
  "login.window": {
    ...{ type: "login.window", program: "claude", login: "", machine: "box", kind: "5h" },
    ...{ usedPercent: 100, resetsAt: instant(0), source: "words" },
  },
  "work.stalled": { type: "work.stalled", tasks: [one], members: [alice], why: "Session limit." },
  "work.recovered": { type: "work.recovered" },
  "team.forked": { type: "team.forked", from: LEAD, line: 120, time: instant(1), by: PERSON },
  "run.began": { type: "run.began", turns: 0, usd: 0 },
  "team.resumed": { type: "team.resumed", host: "h" as HostId },
  "team.finished": {
    type: "team.finished",
    completed: 3,
    failed: 1,
    cancelled: 0,
    unfinished: 2,
    reason: "concluded",
  },
  "teammate.spawned": {
    type: "teammate.spawned",
    who: alice,
    kind: "teammate",
    role: "tester",
    model: "x/y",
  },
  "teammate.changed": {
    type: "teammate.changed",
    who: alice,
    by: LEAD,
    role: "reviewer",
    name: "ann" as Name,
  },
  "teammate.phase": { type: "teammate.phase", who: alice, phase: "idle", reason: "awaiting_tasks" },
  "task.added": {
    type: "task.added",
    task: one,
    subject: "Write\ntests",
    by: LEAD,
    blockedBy: [asTaskId(7)],
  },
  "task.changed": { type: "task.changed", task: one, by: LEAD, what: ["priority", "role"] },
  "task.claimed": { type: "task.claimed", task: one, subject: "Write tests", by: alice, attempt: 2 },
  "task.completed": {
    type: "task.completed",
    task: one,
    subject: "Write tests",
    by: alice,
    attempt: 2,
    result: "12 tests\nall green",
  },
  "task.failed": {
    type: "task.failed",
    task: one,
    subject: "Write tests",
    by: null,
    attempt: 3,
    reason: "three attempts",
  },
  "task.released": { type: "task.released", task: one, from: alice, why: "owner_died" },
  "task.cancelled": { type: "task.cancelled", task: one, by: LEAD, reason: "" },
  "task.unblocked": { type: "task.unblocked", task: one, by: asTaskId(2) },
  "task.queued": { type: "task.queued", task: one, by: alice, target: "main" },
  "gate.started": { type: "gate.started", task: one, by: alice, command: "npm test" },
  "task.signalled": {
    type: "task.signalled",
    task: one,
    by: alice,
    signals: ["check.sh:2 a line that ends the script with success"],
    gate: "red",
  },
  "task.proposed": {
    type: "task.proposed",
    task: one,
    by: alice,
    branch: "ekiden/1-write-tests",
    target: "main",
    commit: "0123456789abcdef0123456789abcdef01234567",
    said: "https://example.org/pull/1",
  },
  "task.landed": {
    type: "task.landed",
    task: one,
    by: alice,
    branch: "ekiden/1-write-tests",
    target: "main",
    commit: "0123456789abcdef",
  },
  "task.reviewed": {
    type: "task.reviewed",
    task: one,
    by: "alice/1" as Name,
    attempt: 2,
    verdict: "remarks",
    text: "a.ts:3: no test",
    of: "0123",
  },
  "task.checked": {
    ...{ type: "task.checked", task: one, by: alice, attempt: 2, when: "completion" },
    ...{ command: "npm test", outcome: "red", ms: 1_200, changed: ["a.log"] },
  },
  "task.reopened": {
    type: "task.reopened",
    task: one,
    by: alice,
    attempt: 2,
    why: "gate",
    evidence: "npm test\n1 failed",
  },
  "mail.sent": { type: "mail.sent", mail: mailId(1), from: LEAD, to: alice, kind: "note" },
  "mail.withdrawn": { type: "mail.withdrawn", mail: mailId(1), from: LEAD, to: alice, kind: "note" },
  "mail.delivered": { type: "mail.delivered", mail: mailId(1), from: LEAD, to: alice, kind: "note" },
  "turn.taken": {
    type: "turn.taken",
    who: alice,
    model: "m",
    inputTokens: 1,
    cachedTokens: 0,
    outputTokens: 1,
    usd: 0,
    ms: 1234,
    text: "",
  },
  "tool.called": {
    type: "tool.called",
    who: alice,
    tool: "bash",
    subject: "npm test",
    ms: 12,
    isError: true,
    note: "exit 1",
  },
  "question.asked": {
    type: "question.asked",
    who: alice,
    request: "r" as RequestId,
    question: "Which colour?",
  },
  "question.answered": {
    type: "question.answered",
    who: alice,
    request: "r" as RequestId,
    answer: "blue",
    by: PERSON,
  },
  "permission.asked": {
    type: "permission.asked",
    who: alice,
    request: "r" as RequestId,
    tool: "bash",
    subject: "rm x",
  },
  "permission.answered": {
    type: "permission.answered",
    who: alice,
    tool: "bash",
    subject: "rm x",
    allowed: false,
    by: "rule",
  },
  "shutdown.asked": { type: "shutdown.asked", who: alice, by: LEAD, reason: "done" },
  "shutdown.answered": { type: "shutdown.answered", who: alice, accepted: false, reason: "not yet" },
  "plan.submitted": { type: "plan.submitted", who: alice, task: one, attempt: 1 },
  "plan.answered": { type: "plan.answered", who: alice, task: one, attempt: 1, approved: true, by: LEAD },
  "request.withdrawn": { type: "request.withdrawn", who: alice, request: "r" as RequestId },
  "answer.ignored": { type: "answer.ignored", from: alice, request: "r", why: "second answer" },
  "context.compacted": { type: "context.compacted", who: alice, layer: "summary", before: 9000, after: 900 },
  "model.changed": { type: "model.changed", who: null, model: "anthropic/claude-haiku-5", by: LEAD },
  "effort.changed": { type: "effort.changed", who: null, effort: "high", by: LEAD },
  "order.given": {
    ...{ type: "order.given", order: "o", by: LEAD, until: instant(1) },
    what: { kind: "interrupt", who: alice },
  },
  "order.done": { type: "order.done", order: "o", host: "h" as HostId, isDone: false, text: "no such model" },
  "person.acted": { type: "person.acted", name: "Ann", what: "allowed it", by: LEAD },
  "work.undone": {
    type: "work.undone",
    by: PERSON,
    whose: [alice],
    task: asTaskId(3),
    files: 2,
    paths: ["a.ts", "b.ts"],
    kept: ["c.ts"],
    again: false,
  },
  "mode.changed": { type: "mode.changed", mode: "plan", by: LEAD },
  "model.retried": { type: "model.retried", who: alice, why: "429", attempt: 2, waitMs: 1500 },
  "job.started": { type: "job.started", who: alice, job: 1 as JobId, command: "npm test" },
  "job.ended": { type: "job.ended", who: alice, job: 1 as JobId, state: "failed", exitCode: 2 },
  "cron.added": { type: "cron.added", cron: 1 as CronId, by: LEAD, expression: "0 9 * * *", text: "Look" },
  "cron.fired": { type: "cron.fired", cron: 1 as CronId, to: alice, task: null, late: true },
  "cron.cancelled": { type: "cron.cancelled", cron: 1 as CronId, by: LEAD },
  "work.judged": {
    ...{ type: "work.judged", who: alice, task: one, calls: 60, spent: 1.2, verdict: "hint" },
    ...{ text: "read the test first", model: "anthropic/claude-haiku-4-5", usd: 0.002 },
  },
  "base.judged": {
    ...{ type: "base.judged", by: alice, target: "main", commit: "1a2b3c4d5e6f", author: "ann", ms: 5 },
    ...{ authoredAt: new Date(2026, 0, 2, 12, 4).getTime(), names: ["a", "b", "c"], gate: "npm test" },
    ...{ verdict: "red", repair: one },
  },
  "gate.flaky": {
    ...{ type: "gate.flaky", task: one, by: alice, commit: "1a2b3c4d5e6f", command: "npm test" },
    names: ["times out"],
  },
  "task.drifted": { type: "task.drifted", task: one, by: alice, files: ["a.ts", "b.ts"] },
  "board.held": { type: "board.held", by: LEAD, large: false },
  "board.shown": { type: "board.shown", by: LEAD, request: "r1" as RequestId },
  "board.released": { type: "board.released", by: LEAD, why: "approved" },
  "note.written": { type: "note.written", by: alice, kind: "trap", text: "The port is random.", task: one },
  "note.changed": { type: "note.changed", by: alice, note: 12, text: "" },
  "memory.kept": { type: "memory.kept", who: alice, topics: ["build", "people"] },
  "warning.raised": { type: "warning.raised", who: null, text: "80 % of the budget" },
};

it("has one line for every fact", () => {
  const told = Object.values(FACTS).map((fact, i): string => {
    const event: Event = { seq: i, at: instant(0), ...fact };
    const { who, text, tone } = sentence(event);
    return `${isNews(event) ? "*" : " "} ${tone.padEnd(5)} ${who.padEnd(6)} ${text}`;
  });
  expect(told.join("\n")).toMatchInlineSnapshot(`
    "  dim          the team was created
    * warn  lead   deleted the team old
    * dim   lead   deleted facts and conversations from before 1970-01-01T00:00:00.000Z
    * warn         claude: the window of five hours is used up, resets 1970-01-01 00:00 UTC
    * bad          nobody can work on #1 now: alice cannot work (Session limit.). They try again automatically.
    * good         a member can work again
    * plain person forked this team from lead, as it was at line 120 (1970-01-01T00:00:00.001Z)
    * dim          a run began
    * dim          the team was resumed
    * warn         finished: 3 completed, 1 failed, 2 unfinished
    * plain alice  joined as tester on x/y
    * plain lead   renamed alice to ann and made ann reviewer
      dim   alice  is idle (waiting for tasks)
    * plain lead   added #1 Write tests, after #7
      dim   lead   changed #1: priority, role
    * busy  alice  claimed #1 Write tests (attempt 2)
    * good  alice  completed #1 Write tests: 12 tests all green
    * bad          failed #1 Write tests: three attempts
    * warn  alice  #1 is back on the board (the process of its owner died)
    * warn  lead   cancelled #1
      dim          #1 is ready now that #2 is completed
      dim   alice  waits for other tasks before #1 can land on main
    * busy  alice  runs the gate for #1: npm test
    * bad   alice  changed how #1 is judged (with the tests of the target: red): check.sh:2 a line that ends the script with success
    * good  alice  proposed #1 for main: https://example.org/pull/1
    * good  alice  landed #1 on main (012345678)
    * warn  alice/1 reviewed #1 and has remarks: a.ts:3: no test
    * warn  alice  ends #1 with its check red: npm test (1s); it changed files: a.log. To take back what was done for #1: ekiden undo 1
    * warn  alice  could not land #1 (the gate failed) and works on it again: npm test 1 failed
      dim   lead   → alice (note)
      dim   lead   took back the unread note to alice
      dim   alice  read the note from lead
      dim   alice  thought for 1.2 s
    * warn  alice  runs npm test and fails: exit 1 (12 ms)
      warn  alice  asks you: Which colour? (request r)
    * plain person answered alice: blue
    * warn  alice  asks to run rm x (request r)
    * warn  alice  may not run rm x (decided by rule)
    * plain lead   asked alice to stop: done
    * warn  alice  refused to stop: not yet
    * plain alice  submitted a plan for #1
    * good  lead   approved the plan of alice for #1
      dim   alice  withdrew the request r
    * warn  alice  answered a request, and the answer was ignored: second answer
      dim   alice  compacted its context (summary): 9000 → 900 tokens
      plain lead   set the model anthropic/claude-haiku-5 for all members
      plain lead   set the effort high for all members
      dim   lead   orders: interrupt for alice
      dim          an order was refused: no such model
    * dim   Ann    on the page: allowed it
    * plain person undid changes of alice in 2 files: a.ts, b.ts; left: c.ts
      plain lead   set the permission mode plan
    * warn  alice  retries the model call in 1.5 s (attempt 2): 429
      dim   alice  runs j1 in the background: npm test
    * warn  alice  j1 failed (exit code 2)
    * plain lead   set the cron c1 (0 9 * * *): Look
    * plain        the cron c1 fired late: → alice
    * dim   lead   the cron c1 was cancelled
    * warn  alice  anthropic/claude-haiku-4-5 looked at #1 after 60 model calls and $1.20: it got a hint: read the test first
    * bad          main is red since 1a2b3c4 (by ann, 12:04): 3 tests fail without any task. #1 repairs it.
    * warn  alice  had a gate that was red and then green on the same files of #1 (npm test): times out
    * warn  alice  changes files that #1 does not name: a.ts, b.ts
    * dim          nothing begins before you have approved the board
    * busy  lead   has planned the board and waits for your word
    * plain        the board begins: you have approved it
    * plain alice  noted (trap, #1): The port is random.
    * dim   alice  removed the note n12
    * dim   alice  noted for later sessions: build, people
    * warn         80 % of the budget"
  `);
});

it("sums up only what there is", () => {
  expect(tally({ completed: 2, failed: 0, cancelled: 0, unfinished: 0 })).toBe("2 completed");
});

/** Variants of a fact that the list above holds once. */
it.each([
  ["team.finished", { failed: 0, unfinished: 0 }, "good", "finished: 3 completed"],
  ["team.finished", { failed: 0, unfinished: 1 }, "warn", "finished: 3 completed, 1 unfinished"],
  [
    "team.finished",
    { failed: 1, cancelled: 1, unfinished: 0 },
    "warn",
    "finished: 3 completed, 1 failed, 1 cancelled",
  ],
  [
    "team.finished",
    { reason: "interrupted", failed: 0, unfinished: 1 },
    "warn",
    "stopped (interrupted): 3 completed, 1 unfinished",
  ],
  ["task.added", { blockedBy: [] }, "plain", "added #1 Write tests"],
  ["task.claimed", { attempt: 1 }, "busy", "claimed #1 Write tests"],
  ["turn.taken", { text: "", ms: 99 }, "dim", "thought"],
  ["turn.taken", { text: "", ms: 100 }, "dim", "thought for 100 ms"],
  ["turn.taken", { text: "", ms: 1_000 }, "dim", "thought for 1.0 s"],
  ["job.ended", { exitCode: null }, "warn", "j1 failed"],
  ["job.ended", { state: "done", exitCode: 0 }, "dim", "j1 is done"],
  ["job.ended", { state: "unknown", exitCode: null }, "warn", "j1 was lost with the process that ran it"],
] as [Fact["type"], object, string, string][])("says of %s with %j, %s: %s", (type, more, tone, text) => {
  const event = { seq: 1, at: instant(0), ...FACTS[type], ...more } as Event;
  expect(sentence(event)).toMatchObject({ tone, text });
});

it("leaves out of a short feed what the runbook model says", () => {
  const turn = { seq: 1, at: instant(0), ...FACTS["turn.taken"], text: "Hello" } as Event;
  expect([isNews(turn), isNews({ ...turn, model: "runbook" } as Event)]).toEqual([true, false]);
});
