import { expect, it } from "vitest";
import type { Event } from "../../../../core/event.ts";
import { timeOfTask } from "./time-of-task.ts";

let seq = 0;
const fact = (at: number, type: string, more: object): Event => ({ seq: ++seq, at, type, ...more }) as Event;

const FACTS = [
  fact(0, "task.added", { task: 1, by: "person", subject: "one" }),
  fact(100, "task.claimed", { task: 1, by: "alice", attempt: 1 }),
  fact(120, "teammate.phase", { who: "alice", phase: "idle", reason: "awaiting_permission" }),
  fact(150, "teammate.phase", { who: "alice", phase: "work" }),
  fact(200, "task.released", { task: 1, by: "person", attempt: 1, reason: "" }),
  fact(210, "teammate.phase", { who: "alice", phase: "idle", reason: "awaiting_permission" }),
  fact(260, "task.claimed", { task: 1, by: "bob", attempt: 2 }),
  fact(300, "task.queued", { task: 1, by: "bob" }),
  fact(310, "gate.started", { task: 1, by: "bob" }),
];

it("says where the time of a task went, over all its tries", () => {
  const { total, tries, parts } = timeOfTask(1, FACTS, 400) ?? { total: 0, tries: 0, parts: [] };
  expect([total, tries]).toEqual([400, 2]);
  expect(Object.fromEntries(parts.map(({ kind, ms }) => [kind, ms]))).toEqual({
    begin: 160,
    task: 110,
    gate: 90,
    permission: 30,
    queue: 10,
  });
  expect(parts[0]?.words).toBe("waits to be begun");
  expect(parts.reduce((sum, { ms }) => sum + ms, 0)).toBe(total);
});

it("knows nothing of a task that nobody has begun", () => {
  expect(timeOfTask(1, FACTS.slice(0, 1), 400)).toBeNull();
  expect(timeOfTask(2, FACTS, 400)).toBeNull();
});

it("tells the model from its tools where the turns are known", () => {
  const turn = (at: number, ms: number, more: object = {}) =>
    fact(at, "turn.taken", { who: "alice", ms, ...more });
  const { parts } = timeOfTask(
    1,
    [
      ...FACTS.slice(0, 4),
      turn(90, 90),
      turn(118, 10),
      turn(180, 20),
      turn(190, 40, { subagent: "alice/1" }),
    ],
    200,
  ) ?? { parts: [] };
  expect(parts.map(({ words, ms }) => [words, ms])).toEqual([
    ["waits to be begun", 100],
    ["tools", 40],
    ["waits for a permission", 30],
    ["model", 30],
  ]);
});
