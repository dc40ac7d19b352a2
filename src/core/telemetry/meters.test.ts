/** These tests check what the facts of a run add to its metrics. */
import { expect, it } from "vitest";
import type { Fact } from "../event.ts";
import { asTaskId, instant, type Name } from "../ids.ts";
import { Meters } from "./meters.ts";
import type { ToldEvent } from "./told.ts";

const alice = "alice" as Name;
const task = asTaskId(1);
let seq = 0;
const at = (ms: number, fact: Fact): ToldEvent => {
  seq += 1;
  return { ...fact, seq, at: instant(ms) } as ToldEvent;
};
const added = { type: "task.added", task, subject: "a", by: alice, blockedBy: [] } as const;
const claimed = { type: "task.claimed", task, subject: "a", by: alice, attempt: 1 } as const;
const namesOf = (meters: Meters): string[] => meters.snapshot().map(({ name }) => name);

it("has the time from ready to claimed of its own claims, and of no others", () => {
  const meters = new Meters();
  meters.take(at(1_000, added), false);
  meters.take(at(1_500, claimed), true);
  expect(meters.snapshot()).toMatchObject([
    { name: "ekiden.task.claim.latency", points: [{ count: 1, sum: 0.5 }] },
  ]);
  const others = new Meters();
  others.take(at(1_000, added), false);
  others.take(at(1_500, claimed), false);
  // It was claimed by somebody: the next claim has no beginning here.
  others.take(at(1_600, claimed), true);
  expect(namesOf(others)).toEqual([]);
});

it("adds up tokens, time and money of model calls", () => {
  const meters = new Meters();
  const turn = {
    type: "turn.taken",
    who: alice,
    model: "anthropic/claude-haiku-4-5",
    text: "",
    ...{ inputTokens: 100, cachedTokens: 0, outputTokens: 10, usd: 0.25, ms: 1_500 },
  } as const;
  for (let n = 0; n < 2; n += 1) meters.take(at(n, turn), true);
  meters.take(at(3, turn), false);
  const sums = meters
    .snapshot()
    .map((one) => [one.name, ...one.points.map((point) => ("sum" in point ? point.sum : point.value))]);
  expect(sums).toEqual([
    ["gen_ai.client.token.usage", 200, 20],
    ["gen_ai.client.operation.duration", 3],
    ["ekiden.cost", 0.5],
  ]);
});

it("has how long a member idled, from its first idling to its next work", () => {
  const meters = new Meters();
  const phase = (ms: number, to: "work" | "idle"): void =>
    meters.take(at(ms, { type: "teammate.phase", who: alice, phase: to }), true);
  phase(0, "work");
  phase(1_000, "idle");
  phase(2_000, "idle");
  phase(4_000, "work");
  expect(meters.snapshot()).toMatchObject([
    { name: "ekiden.member.idle.duration", points: [{ count: 1, sum: 3 }] },
  ]);
});

it("counts attempts and landings by how they ended, of the members here", () => {
  const meters = new Meters();
  const facts = [
    { type: "task.completed", task },
    { type: "task.completed", task },
    { type: "task.failed", task },
    { type: "task.released", task },
    { type: "task.landed", task },
    { type: "task.proposed", task },
    { type: "task.reopened", task, why: "conflict" },
    { type: "task.reopened", task, why: "hook" },
    { type: "task.unblocked", task },
    { type: "task.unblocked", task },
    { type: "mail.sent" },
  ] as unknown as Fact[];
  for (const fact of facts) {
    meters.take(at(0, fact), true);
    meters.take(at(0, fact), false);
  }
  const counts = meters
    .snapshot()
    .map((one) => [
      one.name,
      ...one.points.map((point) => [point.attributes.outcome, "value" in point && point.value]),
    ]);
  expect(counts).toEqual([
    ["ekiden.tasks.ended", ["completed", 2], ["failed", 1], ["released", 1]],
    ["ekiden.landings", ["landed", 1], ["proposed", 1], ["conflict", 1]],
  ]);
});

it("counts the time to a claim from the last moment at which the task became ready", () => {
  const meters = new Meters();
  const latencies = (...facts: readonly (readonly [number, object])[]): unknown => {
    for (const [ms, fact] of facts) meters.take(at(ms, { task, ...fact } as unknown as Fact), true);
    const found = meters.snapshot().find(({ name }) => name === "ekiden.task.claim.latency");
    return found?.kind === "histogram" ? found.points[0]?.sum : undefined;
  };
  const waiting = { ...added, blockedBy: [asTaskId(9)] };
  expect(latencies([0, waiting], [4_000, { ...claimed }])).toBeUndefined();
  expect(latencies([0, added], [1_000, { type: "task.cancelled" }], [2_000, claimed])).toBeUndefined();
  expect(latencies([0, waiting], [5_000, { type: "task.unblocked" }], [6_000, claimed])).toBe(1);
  expect(latencies([10_000, { type: "task.released" }], [12_000, claimed])).toBe(3);
});

it("puts each value into the bucket of the first bound that is not below it", () => {
  const meters = new Meters();
  for (const ms of [20, 10, 11, 81_920, 81_921, 500_000]) {
    meters.take(at(0, added), true);
    meters.take(at(ms, claimed), true);
  }
  const [latency] = meters.snapshot();
  if (latency?.kind !== "histogram") throw new Error("no histogram");
  expect(latency.bounds).toHaveLength(14);
  expect(latency.points).toEqual([
    {
      attributes: {},
      ...{ count: 6, sum: expect.closeTo(663.882), min: 0.01, max: 500 },
      buckets: [1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2],
    },
  ]);
});

it("counts each time of idling once", () => {
  const meters = new Meters();
  const phase = (ms: number, to: "work" | "idle" | "shutdown"): void =>
    meters.take(at(ms, { type: "teammate.phase", who: alice, phase: to } as Fact), true);
  phase(0, "idle");
  phase(1_000, "work");
  phase(3_000, "shutdown");
  phase(5_000, "idle");
  phase(6_000, "shutdown");
  expect(meters.snapshot()).toMatchObject([{ points: [{ count: 2, sum: 2, min: 1, max: 1 }] }]);
});

it("keeps a snapshot as it was", () => {
  const meters = new Meters();
  const wait = (): void => {
    meters.take(at(0, added), true);
    meters.take(at(10, claimed), true);
  };
  wait();
  const before = meters.snapshot();
  const text = JSON.stringify(before);
  wait();
  expect(JSON.stringify(before)).toBe(text);
});
