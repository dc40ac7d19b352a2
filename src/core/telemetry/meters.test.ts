/** What the facts of a run add to its metrics. */
import { expect, it } from "vitest";
import type { Event, Fact } from "../event.ts";
import { asTaskId, instant, type Name } from "../ids.ts";
import { Meters } from "./meters.ts";

const alice = "alice" as Name;
const task = asTaskId(1);
let seq = 0;
const at = (ms: number, fact: Fact): Event => {
  seq += 1;
  return { ...fact, seq, at: instant(ms) };
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
