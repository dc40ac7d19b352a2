import { expect, it } from "vitest";
import { aboutSpan, type Timed, timeLeft } from "./time-left.ts";

const MIN = 60_000;
const task = (id: number, more: Partial<Timed<number>> = {}): [number, Timed<number>] => [
  id,
  { id, status: "pending", blockedBy: [], estimate: 1, startedAt: null, endedAt: null, ...more },
];
const done = (id: number, minutes: number, estimate = 1) =>
  task(id, { status: "completed", estimate, startedAt: 1, endedAt: 1 + minutes * MIN });

it("is not known before a task is completed, nor when nothing is open", () => {
  expect(timeLeft(new Map([task(1)]), 2, 0)).toBeNull();
  expect(timeLeft(new Map([done(1, 3)]), 2, 0)).toBeNull();
});

it("goes by the median of what tasks took for each unit of their estimate", () => {
  const tasks = new Map([done(1, 4, 2), done(2, 2), done(3, 90), task(4, { estimate: 3 }), task(5)]);
  expect(timeLeft(tasks, 1, 0)).toEqual({ all: 8 * MIN, chain: 6 * MIN });
  expect(timeLeft(tasks, 5, 0)).toEqual({ all: 6 * MIN, chain: 6 * MIN });
});

it("counts chains whole, the begun part not, and what waits for a failed task not at all", () => {
  const tasks = new Map([
    done(1, 10),
    task(2, { status: "in_progress", startedAt: 0 }),
    task(3, { blockedBy: [2] }),
    task(4, { status: "failed" }),
    task(5, { blockedBy: [4] }),
    task(6, { blockedBy: [5] }),
  ]);
  expect(timeLeft(tasks, 3, 4 * MIN)).toEqual({ all: 16 * MIN, chain: 16 * MIN });
  // One that takes far longer than thought still takes a while.
  expect(timeLeft(tasks, 3, 400 * MIN)?.chain).toBe(11 * MIN);
});

it.each([
  [5_000, "less than a minute"],
  [50_000, "1 min"],
  [12.4 * MIN, "12 min"],
  [62 * MIN, "1 h"],
  [119 * MIN, "2 h"],
  [125 * MIN, "2 h 5 min"],
  [30 * 60 * MIN, "1 d 6 h"],
])("says %d ms as %s", (ms, words) => expect(aboutSpan(ms)).toBe(words));
