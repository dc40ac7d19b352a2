import { expect, it } from "vitest";
import type { Event } from "../event.ts";
import { asTaskId, instant, type Name } from "../ids.ts";
import { Spent } from "./spent.ts";

const alice = "alice" as Name;
const task = asTaskId(1);
const at = instant(5);
const turn = (usd: number): Event => ({
  ...{ seq: 1, at, type: "turn.taken", who: alice, model: "m", ms: 1, text: "", usd },
  ...{ inputTokens: 1, cachedTokens: 0, outputTokens: 0 },
});

it("counts what follows a task for it until its owner rests: the report, and the price that an agent program names", () => {
  const spent = new Spent();
  const facts: Event[] = [
    turn(0.01),
    { seq: 1, at, type: "task.claimed", subject: "Build", task, by: alice, attempt: 1 },
    turn(0.1),
    { seq: 1, at, type: "task.completed", subject: "Build", task, by: alice, attempt: 1, result: "" },
    turn(1),
    { seq: 1, at, type: "teammate.phase", who: alice, phase: "idle", reason: "awaiting_tasks" },
    turn(10),
  ];
  for (const fact of facts) spent.apply(fact);
  const { tasks } = spent.costs();
  expect(tasks["1"]?.usd).toBeCloseTo(1.1);
  expect(tasks.idle?.usd).toBeCloseTo(10.01);
});
