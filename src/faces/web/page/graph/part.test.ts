import { expect, it } from "vitest";
import { criticalPath } from "../../../../core/board/order.ts";
import { lookOf } from "../../../../core/picture/looks.ts";
import { blank, type Task } from "../../../../core/picture/task.ts";
import { layout } from "./layout.ts";
import { CARDS_MAX, type Part, partOf, WHOLE_MAX } from "./part.ts";

const task = (id: number, status: Task["status"], blockedBy: number[] = []): Task => ({
  ...blank(id, `Task ${id}`, 0),
  ...{ status, blockedBy },
});
const three = (from: number, status: Task["status"], after: number[] = []) =>
  [0, 1, 2].map((i) => task(from + i, status, after));

function part(list: readonly Task[], { selected = null as number | null, isFolded = true } = {}): Part {
  const tasks = new Map(list.map((one) => [one.id, one]));
  const looks = new Map(list.map((one) => [one.id, lookOf(one, tasks)]));
  return partOf(tasks, { looks, path: criticalPath(tasks), selected, isFolded });
}
const size = ({ ids, rest }: Part): number => ids.size + rest.reduce((sum, [, count]) => sum + count, 0);

it("leaves out layers in which everything has ended, and nothing else", () => {
  const ended = [...three(1, "completed"), ...three(4, "cancelled", [1])];
  const open = [task(7, "completed", [4]), task(8, "in_progress", [4])];
  const { ids, rest } = part([...ended, ...open]);
  expect([[...ids], rest]).toEqual([
    [7, 8],
    [
      ["done", 3],
      ["cancelled", 3],
    ],
  ]);
  expect([...part([...ended, ...open], { selected: 5 }).ids]).toEqual([5, 7, 8]);
  expect(part([...ended, ...open], { isFolded: false })).toMatchObject({ rest: [] });
});

it.each([
  ["few cards", [task(1, "completed"), task(2, "pending", [1])]],
  ["a board on which nothing is open", [...three(1, "completed"), ...three(4, "completed", [1])]],
  [
    "a layer with a failed task",
    [...three(1, "completed"), ...three(4, "failed", [1]), task(7, "pending", [4])],
  ],
  [
    "300 open tasks",
    Array.from({ length: WHOLE_MAX }, (_, i) => task(i + 1, "pending", i < 9 ? [] : [i - 8])),
  ],
])("shows %s whole", (_what, tasks) => {
  const { ids, rest } = part(tasks);
  expect([ids.size, rest]).toEqual([tasks.length, []]);
});

/** 60 chains of 50 tasks: 20 of them done, then one in progress, then 29 that wait. The first chain is the longest by estimate. */
const LARGE = Array.from({ length: 3_000 }, (_, i): Task => {
  const step = i % 50;
  const status = step < 20 ? "completed" : step === 20 ? "in_progress" : "pending";
  return { ...task(i + 1, status, step === 0 ? [] : [i]), estimate: i < 50 ? 9 : 1, endedAt: step };
});

it("shows of a large board the open tasks around the critical path and the selected task, and counts the rest", () => {
  const around = part(LARGE);
  expect(around.ids.size).toBe(CARDS_MAX);
  expect(size(around)).toBe(3_000);
  expect(around.rest).toContainEqual(["done", 1_200]);
  for (let id = 21; id <= 50; id += 1) expect(around.ids, `#${id}`).toContain(id);
  for (let chain = 0; chain < 60; chain += 1) expect(around.ids).toContain(chain * 50 + 21);
  // One that is done, in the middle of what is done, comes with its neighbours.
  const of = part(LARGE, { selected: 2_910 });
  for (const id of [2_909, 2_910, 2_911, 21, 50]) expect(of.ids, `#${id}`).toContain(id);
  expect([of.ids.size, size(of)]).toEqual([CARDS_MAX, 3_000]);
  expect(of.rest).toContainEqual(["done", 1_197]);
});

it("shows what ended last where nothing is open", () => {
  const { ids, rest } = part(LARGE.map((one) => ({ ...one, status: "completed" })));
  expect([ids.size, rest]).toEqual([CARDS_MAX, [["done", 2_800]]]);
  expect(Math.min(...[...ids].map((id) => (id - 1) % 50))).toBeGreaterThanOrEqual(46);
});

it("places each card of each part once, left of what waits for it, also of edges in a circle", () => {
  for (const list of [LARGE, [task(1, "pending", [2]), task(2, "pending", [1]), task(3, "pending", [2])]]) {
    const { ids } = part(list);
    const { places, edges } = layout(
      new Map(list.filter(({ id }) => ids.has(id)).map((one) => [one.id, one])),
    );
    expect([...places.keys()].sort((a, b) => a - b)).toEqual([...ids].sort((a, b) => a - b));
    expect(new Set([...places.values()].map(String)).size).toBe(ids.size);
    if (list === LARGE)
      for (const { from, to } of edges)
        expect(places.get(from)?.[0]).toBeLessThan(places.get(to)?.[0] as number);
  }
});
