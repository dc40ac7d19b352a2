/** The order of a plan, and moves in it: each move changes two places and nothing else. */
import { expect, it } from "vitest";
import { cpuMs } from "../../../test/fixtures/cpu.ts";
import { PRIORITY_MAX } from "../board/task.ts";
import type { TaskId } from "../ids.ts";
import { inPlan, moved, type Placed } from "./order.ts";

type Task = Placed;
type More = Partial<Omit<Task, "blockedBy">> & { readonly blockedBy?: readonly number[] };
const task = (id: number, { blockedBy = [], ...more }: More = {}): Task => ({
  ...{ id: id as TaskId, status: "pending", priority: 0, estimate: 1 },
  blockedBy: blockedBy as TaskId[],
  ...more,
});
const ids = (tasks: readonly Task[]): number[] => inPlan(tasks).map(({ id }) => id);
function after(tasks: readonly Task[], id: number, by: 1 | -1): Task[] {
  const move = moved(tasks, id as TaskId, by);
  if ("why" in move) throw new Error(move.why);
  return tasks.map((one) => ({ ...one, priority: move.priorities.get(one.id) ?? one.priority }));
}

it("lists tasks as they are given out, each behind what it waits for", () => {
  const tasks = [
    task(1),
    task(2, { blockedBy: [4] }),
    task(3, { priority: 5, blockedBy: [1] }),
    task(4, { estimate: 9 }),
    task(5, { status: "completed" }),
  ];
  expect(ids(tasks)).toEqual([4, 1, 3, 2]);
  expect(ids([task(1, { blockedBy: [2] }), task(2, { blockedBy: [1] })])).toHaveLength(2);
});

it("says why a task cannot be moved", () => {
  const tasks = [task(1), task(2, { blockedBy: [1] }), task(3, { status: "in_progress" })];
  expect(() => after(tasks, 1, -1)).toThrow("#1 is the first one");
  expect(() => after(tasks, 2, 1)).toThrow("#2 is the last one");
  expect(() => after(tasks, 2, -1)).toThrow("#2 waits for #1. Take that edge out first.");
  expect(() => after(tasks, 1, 1)).toThrow("#2 waits for #1");
  expect(() => after(tasks, 3, 1)).toThrow("has begun");
});

it("stays within the limits of priorities, and gives all new ones where both ways lead over them", () => {
  const [top, low] = [PRIORITY_MAX, -PRIORITY_MAX];
  const high = [task(1, { priority: top }), task(2, { priority: top })];
  expect(ids(after(high, 2, -1))).toEqual([2, 1]);
  const deep = [task(1, { priority: low }), task(2, { priority: low })];
  expect(ids(after(deep, 1, 1))).toEqual([2, 1]);
  const both = [
    ...[task(1, { priority: top }), task(2, { priority: top }), task(3, { priority: low })],
    ...[task(4, { priority: top, blockedBy: [3] }), task(5, { priority: low, estimate: 9 })],
  ];
  const before = ids(both);
  expect(before).toEqual([1, 2, 5, 3, 4]);
  for (let nth = 1; nth < before.length - 1; nth += 1) {
    const id = before[nth] as number;
    const board = after(both, id, -1);
    expect(ids(board).indexOf(id)).toBe(nth - 1);
    for (const { priority } of board) expect(Math.abs(priority)).toBeLessThanOrEqual(top);
  }
});

it("orders a large board at once", () => {
  const size = 20_000;
  const chain = Array.from({ length: size }, (_, nth) =>
    task(nth + 1, { priority: nth, blockedBy: nth > 0 ? [nth] : [] }),
  );
  const ring = chain.map((one, nth) => ({ ...one, blockedBy: [((nth + 1) % size) + 1] as TaskId[] }));
  const cost = cpuMs(() => {
    expect(ids(chain)).toEqual(chain.map(({ id }) => id));
    expect(ids(ring)).toHaveLength(size);
  });
  expect(cost).toBeLessThan(2_000);
});

it("changes two places with few priorities", () => {
  const tasks = [1, 2, 3, 4, 5].map((id) => task(id));
  const move = moved(tasks, 5 as TaskId, -1);
  expect("priorities" in move && [...move.priorities]).toEqual([[4, -1]]);
  // Any board, any move: exactly two neighbours change, and the way back gives the order before.
  let seed = 7;
  const dice = (below: number): number => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed % below;
  };
  let moves = 0;
  for (let round = 0; round < 25; round += 1) {
    let board = Array.from({ length: 2 + dice(12) }, (_, nth) => {
      const blockedBy = nth > 0 && dice(3) === 0 ? [1 + dice(nth)] : [];
      return task(nth + 1, { blockedBy, priority: dice(3) - 1, estimate: 1 + dice(4) });
    });
    for (let nth = 0; nth < 8; nth += 1) {
      const before = ids(board);
      const at = dice(before.length - 1);
      const [id, other] = [before[at] as number, before[at + 1] as number];
      if (board[other - 1]?.blockedBy.includes(id as TaskId)) continue;
      board = after(board, id, 1);
      moves += 1;
      expect(ids(board)).toEqual([...before.slice(0, at), other, id, ...before.slice(at + 2)]);
      expect(ids(after(board, id, -1))).toEqual(before);
    }
  }
  expect(moves).toBeGreaterThan(100);
});
