import { describe, expect, it } from "vitest";
import { criticalPath, inOrder } from "../../../../core/board/order.ts";
import type { Event } from "../../../../core/event.ts";
import { instant, name } from "../../../../core/ids.ts";
import { joined, type MemberRow } from "../../../../core/picture/member.ts";
import { Picture } from "../../../../core/picture/picture.ts";
import { lanes, withoutLost } from "../../../../core/picture/spans.ts";
import { blank, type Task } from "../../../../core/picture/task.ts";
import { CARD, layout } from "../graph/layout.ts";
import { Replay } from "../live/replay.ts";
import {
  deadBlocker,
  looksOf,
  pauseOf,
  putInLine,
  shownCounts,
  teamState,
  whyNobody,
  whyWaiting,
} from "./board.ts";
import { landings } from "./landings.ts";

const row = (id: number, more: Partial<Task> = {}): Task => ({ ...blank(id, `Task ${id}`, 0), ...more });
const member = (who: string, more: Partial<MemberRow> = {}): MemberRow => ({
  ...joined(name(who), "teammate", "", "m", 0),
  ...more,
});
const model = (tasks: Task[], members: MemberRow[] = [member("alice")]): Picture =>
  Picture.of(tasks, members);
let seq = 0;
/** A fact of the journal, as it comes over the wire: ids and names are plain there. */
const fact = (at: number, type: string, more: object): Event => {
  seq += 1;
  return { seq, at: instant(at), type, ...more } as Event;
};

it("shows a gate as running until it ends, also while its landing waits behind another one", () => {
  const about = { by: "alice", task: 1 };
  const events = [
    fact(0, "teammate.spawned", { who: "alice", kind: "teammate", role: "", model: "m" }),
    fact(1, "task.claimed", { ...about, subject: "", attempt: 1 }),
    fact(2, "gate.started", { ...about, command: "make" }),
    fact(3, "gate.started", { by: "bob", task: 2, command: "make" }),
    fact(4, "task.queued", { ...about, target: "main" }),
  ];
  const now = model([row(1), row(2)], [member("alice"), member("bob")]);
  for (const event of events) now.apply(event);
  expect([...now.tasks.values()].map(({ landing }) => landing?.is)).toEqual(["gate", "gate"]);
  const open = lanes(events).spans.filter(({ to }) => to === null);
  expect(open.map(({ kind, task }) => `${kind} ${task}`)).toEqual(["task 1", "gate 1", "gate 2"]);
  expect(landings(events).waiting.map(({ task, gate }) => `${task} ${gate}`)).toEqual(["1 make", "2 make"]);
  now.apply(fact(5, "task.reopened", { ...about, why: "gate", evidence: "" }));
  now.apply(fact(6, "task.queued", { ...about, target: "main" }));
  expect(now.tasks.get(1)?.landing?.is).toBe("queued");
});

it("says of a task in progress that nobody works on why, and of a lost process before all else", () => {
  const task = row(1, { status: "in_progress", owner: "alice", startedAt: 5 });
  const lost = model(
    [{ ...task, landing: { is: "gate", command: "make" } }],
    [member("alice", { hosted: false, phase: "idle", reason: "awaiting_permission" })],
  );
  expect(pauseOf(lost.tasks.get(1) as Task, lost)).toBe("away");
  expect(whyWaiting(lost.tasks.get(1) as Task, lost)).toMatch(/^alice is not running/);
  const alice = lost.members.get("alice");
  if (alice) lost.members.set("alice", { ...alice, frozen: 77 });
  expect(whyWaiting(lost.tasks.get(1) as Task, lost)).toMatch(
    /^alice stands still: process 77 stands still\./,
  );
  expect(whyNobody(lost)).toMatch(/^Nobody works: process 77 stands still\. .*kill -CONT 77/);
  expect(teamState(lost).word).toBe("Stands still");

  const now = model([task, row(2, { status: "completed" })]);
  putInLine(now, [
    fact(4, "gate.started", { by: "alice", task: 1, command: "of an earlier claim" }),
    fact(6, "task.queued", { by: "alice", task: 1, target: "main" }),
    fact(7, "task.queued", { by: "alice", task: 2, target: "main" }),
  ]);
  expect([...now.tasks.values()].map((one) => pauseOf(one, now))).toEqual(["queued", ""]);
});

it("shows a task whose target is red as one that waits, also after its gate", () => {
  const task = row(1, { status: "in_progress", owner: "alice" });
  const now = model([task]);
  putInLine(now, [fact(4, "gate.started", { by: "alice", task: 1, command: "npm test" })]);
  const pause = () => pauseOf(now.tasks.get(1) as Task, now);
  expect(pause()).toBe("gate");
  now.apply(fact(5, "teammate.phase", { who: "alice", phase: "idle", reason: "awaiting_base" }));
  expect(pause()).toBe("queued");
  expect(now.tasks.get(1)?.landing).toEqual({ is: "queued" });
  // Opened later, a page knows only the reason of the member.
  putInLine(now, [fact(4, "gate.started", { by: "alice", task: 1, command: "npm test" })]);
  expect(pause()).toBe("queued");
});

it("ends the bars of a lost host where its members were heard of last", () => {
  const all = lanes([
    fact(0, "teammate.spawned", { who: "alice", kind: "teammate", role: "", model: "m" }),
    fact(1, "task.claimed", { by: "alice", task: 1, subject: "", attempt: 1 }),
    fact(7, "turn.taken", { who: "alice" }),
    fact(9, "turn.taken", { who: "bob" }),
  ]);
  expect(withoutLost(all, () => true).spans).toMatchObject([{ from: 1, to: null }]);
  expect(withoutLost(all, () => false).spans).toMatchObject([{ from: 1, to: 7 }]);
});

it.each([
  ["awaiting_permission", true],
  ["awaiting_plan", true],
  ["rate_limited", false],
])("tells a task whose owner waits for a person: %s", (reason, asks) => {
  const task = row(1, { status: "in_progress", owner: "alice" });
  expect(pauseOf(task, model([task], [member("alice", { phase: "idle", reason })])) === "asks").toBe(asks);
});

describe("why a task waits", () => {
  it.each([
    [
      "a blocker in progress",
      [row(1, { status: "in_progress", owner: "bob" }), row(2, { blockedBy: [1] })],
      2,
      "bob works on #1",
    ],
    ["a failed blocker", [row(1, { status: "failed" }), row(2, { blockedBy: [1] })], 2, "#1, which failed"],
    ["nobody free yet", [row(1)], 1, "the next free teammate"],
    ["a role that nobody has", [row(1, { role: "painter" })], 1, "no teammate has it"],
    [
      "the same files",
      [row(1, { status: "in_progress", touches: ["src/**"] }), row(2, { touches: ["src/a.ts"] })],
      2,
      "#1 edits the same files",
    ],
  ] as const)("%s", (_what, tasks, id, why) => {
    const team = model([...tasks]);
    expect(whyWaiting(team.tasks.get(id) as never, team)).toContain(why);
  });

  it("the whole board stands still", () => {
    const idle = (reason: string) => member("alice", { phase: "idle", reason });
    const stuck = [row(1, { status: "failed" }), row(2, { blockedBy: [1] })];
    const gone = [member("alice", { hosted: false })];
    expect(whyNobody(model([...stuck, row(3)], gone))).toContain("no process runs");
    // Another run would not move it.
    expect(whyNobody(model(stuck, gone))).toContain("#2: Waits for #1, which failed");
    expect([deadBlocker(model(stuck, gone)), deadBlocker(model([...stuck, row(3)], gone))]).toEqual([
      1,
      null,
    ]);
    const asking = model(stuck, [idle("idle")]);
    asking.apply(fact(1, "permission.asked", { who: "alice", request: "r", tool: "bash", subject: "ls" }));
    expect(whyNobody(asking)).toContain("you have answered a question");
    asking.apply(fact(2, "request.withdrawn", { who: "alice", request: "r" }));
    expect(whyNobody(asking)).toContain("#2: Waits for #1, which failed");
    expect(whyNobody(model(stuck, [idle("rate_limited")]))).toContain("provider does not answer");
    expect(whyNobody(model(stuck, [member("alice", { phase: "work" })]))).toBe("");
    expect(whyNobody(model([row(1)], [idle("idle")]))).toBe("");
    expect(whyNobody(model([row(1, { status: "completed" })], []))).toBe("");
  });

  it("counts only what somebody works on as in progress", () => {
    const held = (id: number, owner: string) => row(id, { status: "in_progress", owner });
    const team = model(
      [held(1, "alice"), held(2, "bob"), held(3, "carol"), row(4)],
      [
        member("alice", { task: 1, phase: "work" }),
        member("bob", { task: 2, phase: "idle", reason: "awaiting_permission" }),
        member("carol", { task: 3, hosted: false }),
      ],
    );
    expect(shownCounts(team)).toMatchObject({ busy: 1, asks: 1, away: 1, ready: 1, waiting: 0 });
  });

  it("nobody is at work", () => {
    const team = model([row(1)], [member("alice", { hosted: false })]);
    expect(whyWaiting(team.tasks.get(1) as never, team)).toContain("start the team");
  });
});

describe("the critical path", () => {
  it("is the chain with the most unfinished work, not the longest one", () => {
    const { tasks } = model([
      row(1, { status: "completed", estimate: 50 }),
      row(2, { blockedBy: [1] }),
      row(3, { blockedBy: [2] }),
      row(4, { blockedBy: [3] }),
      row(5, { blockedBy: [1], estimate: 9 }),
      row(6, { blockedBy: [5] }),
    ]);
    expect(criticalPath(tasks)).toEqual([5, 6]);
    expect(criticalPath(model([row(1), row(2)]).tasks)).toEqual([]);
  });
});

it("every task comes after what it waits for, and nothing is lost in a cycle", () => {
  const nodes = [
    row(1, { blockedBy: [3] }),
    row(2),
    row(3, { blockedBy: [2] }),
    row(4, { blockedBy: [5] }),
    row(5, { blockedBy: [4] }),
  ];
  const order = inOrder(model(nodes).tasks);
  expect(order.slice(0, 3)).toEqual([2, 3, 1]);
  expect(order.toSorted()).toEqual([1, 2, 3, 4, 5]);
});

describe("a layout", () => {
  const laid = (nodes: Task[]) => {
    return layout(model(nodes).tasks);
  };
  /** Cards that overlap. */
  const clashes = ({ places }: ReturnType<typeof laid>): number => {
    const all = [...places.values()];
    return all.filter(([x, y], i) =>
      all.some(([a, b], j) => j > i && Math.abs(a - x) < CARD.width && Math.abs(b - y) < CARD.height),
    ).length;
  };

  it("puts blockers to the left, and no card over another", () => {
    const nodes = Array.from({ length: 120 }, (_, i) =>
      row(i + 1, { blockedBy: [i % 7, i % 11, i - 13].filter((one) => one > 0 && one <= i) }),
    );
    const all = laid(nodes);
    for (const { id, blockedBy = [] } of nodes)
      for (const blocker of blockedBy)
        expect(all.places.get(blocker)?.[0]).toBeLessThan(all.places.get(id)?.[0] as number);
    expect(clashes(all)).toBe(0);
    expect(all.edges).toHaveLength(nodes.flatMap((node) => node.blockedBy ?? []).length);
  });

  it("folds a layer that is far too tall into columns", () => {
    const all = laid(Array.from({ length: 400 }, (_, i) => row(i + 1)));
    expect(clashes(all)).toBe(0);
    expect(all.height).toBeLessThan(all.width);
  });
});

const RUN: readonly Event[] = [
  fact(0, "teammate.spawned", { who: "alice", kind: "teammate", role: "", model: "m" }),
  fact(1, "task.added", { task: 1, subject: "Paint", by: "person", blockedBy: [] }),
  fact(2, "task.added", { task: 2, subject: "Dry", by: "person", blockedBy: [1] }),
  fact(10, "task.claimed", { task: 1, subject: "Paint", by: "alice", attempt: 1 }),
  fact(15, "teammate.phase", { who: "alice", phase: "idle", reason: "awaiting_permission" }),
  fact(18, "teammate.phase", { who: "alice", phase: "work" }),
  fact(20, "gate.started", { task: 1, by: "alice", command: "make" }),
  fact(25, "task.reopened", { task: 1, by: "alice", attempt: 1, why: "gate", evidence: "red" }),
  fact(30, "task.completed", { task: 1, subject: "Paint", by: "alice", attempt: 1, result: "ok" }),
  fact(40, "task.claimed", { task: 2, subject: "Dry", by: "alice", attempt: 1 }),
];

it("an answer that is older than the last fact changes no phase", () => {
  const team = model([row(1)]);
  team.apply(fact(1, "task.claimed", { task: 1, subject: "Task 1", by: "alice", attempt: 1 }));
  const { version } = team;
  team.apply(fact(2, "teammate.phase", { who: "alice", phase: "idle", reason: "no_tool_use" }));
  team.setMembers([member("alice", { hosted: false })], version);
  expect(team.members.get("alice")).toMatchObject({ phase: "idle", hosted: false, task: 1 });
  team.setMembers([member("alice", { phase: "work", hosted: true })], null);
  expect(team.members.get("alice")).toMatchObject({ phase: "idle", hosted: true, task: 1 });
});

describe("a replay", () => {
  const at = (time: number): Replay => {
    const replay = new Replay(RUN, () => {});
    replay.seek(40);
    replay.seek(time);
    return replay;
  };

  it("shows all of a run whose clock was set back", () => {
    const isLate = (nth: number): boolean => nth > 0 && nth < 4;
    const back = RUN.map((event, nth) =>
      isLate(nth) ? { ...event, at: (event.at + 5_000) as never } : event,
    );
    const [plain, replay] = [new Replay(RUN, () => {}), new Replay(back, () => {})];
    for (const one of [plain, replay]) one.seek(one.end);
    expect(looksOf(replay.model).counts).toEqual(looksOf(plain.model).counts);
    replay.seek(replay.start);
    expect(replay.model.tasks.size).toBe(0);
  });

  it("shows the board and the team as they were, forwards and backwards", () => {
    expect([...at(0).model.tasks]).toEqual([]);
    expect(looksOf(at(5).model).counts).toMatchObject({ ready: 1, waiting: 1 });
    expect(at(16).model.members.get("alice")).toMatchObject({
      phase: "idle",
      reason: "awaiting_permission",
      task: 1,
    });
    expect(at(22).model.tasks.get(1)).toMatchObject({ status: "in_progress", landing: { is: "gate" } });
    expect(at(26).model.tasks.get(1)).toMatchObject({
      status: "in_progress",
      landing: { is: "refused", evidence: "red" },
    });
    expect(looksOf(at(35).model).counts).toMatchObject({ done: 1, ready: 1 });
    expect(at(99).model.tasks.get(2)).toMatchObject({ status: "in_progress", owner: "alice" });
  });

  it("counts again when a task has changed, and keeps the counts when none has", () => {
    const { model: team } = at(5);
    const before = looksOf(team);
    team.apply(fact(6, "mail.sent", { mail: 1, from: "alice", to: "lead", kind: "note" }));
    expect(looksOf(team)).toBe(before);
    team.apply(fact(7, "task.cancelled", { task: 2, by: "person", reason: "" }));
    expect(looksOf(team).counts).toMatchObject({ ready: 1, cancelled: 1 });
  });

  it("takes the same facts twice without harm to the board", () => {
    const twice = model([]);
    for (const event of [...RUN, ...RUN.slice(-2)]) twice.apply(event);
    expect(twice.tasks.get(2)).toEqual({ ...at(40).model.tasks.get(2) });
  });
});

it("lanes show work, gates and waits, and what still continues has no end", () => {
  const { names, spans, marks } = lanes(RUN);
  expect(names).toEqual(["alice"]);
  expect(spans.map(({ kind, from, to, end }) => [kind, from, to, end])).toEqual([
    ["permission", 15, 18, ""],
    ["gate", 20, 25, ""],
    ["task", 10, 30, "completed"],
    ["task", 40, null, ""],
  ]);
  expect(marks).toEqual([{ who: "alice", at: 25, kind: "refused" }]);
});
