import { expect, it } from "vitest";
import type { Fact } from "../event.ts";
import { asTaskId, instant, type Name } from "../ids.ts";
import { Meters } from "./meters.ts";
import type { ToldEvent } from "./told.ts";

const alice = "alice" as Name;
const task = asTaskId(1);
const at = (ms: number, fact: object): ToldEvent =>
  ({ ...(fact as Fact), seq: ms, at: instant(ms) }) as ToldEvent;
const sumsOf = (meters: Meters): unknown =>
  meters
    .snapshot()
    .map((one) => [
      one.name,
      ...one.points.map(({ attributes, value }) => [...Object.values(attributes), value]),
    ]);

it("adds up the money of model calls, by model", () => {
  const meters = new Meters();
  const turn = { type: "turn.taken", who: alice, usd: 0.25 };
  for (const model of ["anthropic/a", "anthropic/a", "openai/b"]) meters.take(at(1, { ...turn, model }));
  expect(sumsOf(meters)).toEqual([["ekiden.cost", ["a", 0.5], ["b", 0.25]]]);
});

it("counts attempts and landings by how they ended", () => {
  const meters = new Meters();
  for (const fact of [
    ...[{ type: "task.completed" }, { type: "task.completed" }, { type: "task.failed" }],
    ...[{ type: "task.released" }, { type: "task.landed" }, { type: "task.proposed" }],
    ...["conflict", "hook", "review"].map((why) => ({ type: "task.reopened", why })),
    ...[{ type: "task.claimed" }, { type: "teammate.phase" }],
  ])
    meters.take(at(0, { task, ...fact }));
  expect(sumsOf(meters)).toEqual([
    ["ekiden.tasks.ended", ["completed", 2], ["failed", 1], ["released", 1]],
    ["ekiden.landings", ["landed", 1], ["proposed", 1], ["conflict", 1]],
  ]);
});

it("keeps a snapshot as it was", () => {
  const meters = new Meters();
  meters.take(at(0, { type: "task.failed", task }));
  const before = meters.snapshot();
  const text = JSON.stringify(before);
  meters.take(at(0, { type: "task.failed", task }));
  expect(JSON.stringify(before)).toBe(text);
});
