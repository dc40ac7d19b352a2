/** How long a board takes before it has run. */
import { expect, it } from "vitest";
import { makespan, type Open, planWords } from "./makespan.ts";

type Few = Partial<Omit<Open<number>, "id">>;
const task = (id: number, blockedBy: readonly number[] = [], more: Few = {}): Open<number> => ({
  ...{ id, blockedBy, status: "pending", estimate: 1, touches: [], startedAt: null, endedAt: null },
  ...more,
});
const mapOf = (...tasks: readonly Open<number>[]) => new Map(tasks.map((one) => [one.id, one]));
const MINUTE = 60_000;
const done = (id: number, minutes: number, more: Few = {}): Open<number> =>
  task(id, [], { status: "completed", startedAt: 1, endedAt: 1 + minutes * MINUTE, ...more });

it.each<[string, Open<number>[], number, number]>([
  ["a diamond with two", [task(1), task(2, [1]), task(3, [1]), task(4, [2, 3])], 2, 3],
  ["a diamond with one", [task(1), task(2, [1]), task(3, [1]), task(4, [2, 3])], 1, 4],
  ["the longest chain first", [task(1), task(2), task(3, [2]), task(4, [3])], 2, 3],
  [
    "the same files take turns",
    [task(1, [], { touches: ["a/**"] }), task(2, [], { touches: ["a/b"] })],
    9,
    2,
  ],
  ["estimates", [task(1, [], { estimate: 5 }), task(2, [], { estimate: 2 })], 2, 5],
  ["only what is open", [done(1, 1), task(2, [1])], 2, 1],
  ["what waits for a failure is left out", [task(1, [], { status: "failed" }), task(2, [1]), task(3)], 2, 1],
])("%s", (_what, tasks, workers, expected) => {
  expect(makespan(mapOf(...tasks), workers)).toBe(expected);
});

it("says it in words, with times and money where tasks were done, and the chain where it decides", () => {
  const board = [task(2), task(5, [2]), task(9, [5]), task(3), task(4)];
  expect(planWords(board, 3)).toBe(
    "as long as 3 tasks with three, 5 tasks with one; the chain #2 → #5 → #9 decides",
  );
  expect(planWords([done(1, 10), ...board], 3, 0.5)).toBe(
    "about 30 min with three, 50 min with one; the chain #2 → #5 → #9 decides; about $2.50",
  );
  expect(planWords([done(1, 0.1), task(2), task(3)], 2)).toBe(
    "less than a minute with two, less than a minute with one",
  );
  expect(planWords([task(1), task(2), task(3), task(4)], 0)).toBe(
    "as long as 2 tasks with three, 4 tasks with one",
  );
  expect(planWords([task(1)], 3)).toBe("");
});

it("takes less than a second for 300 tasks that change files", () => {
  const many = Array.from({ length: 300 }, (_, nth) =>
    task(nth + 1, nth > 9 ? [nth - 9] : [], { touches: [`src/${nth}/**`] }),
  );
  const began = performance.now();
  expect(makespan(mapOf(...many), 8)).toBeGreaterThan(30);
  expect(performance.now() - began).toBeLessThan(1_000);
});
