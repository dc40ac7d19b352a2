/** The order of a plan, and moves in it: each move changes two places and nothing else. */
import { expect, it } from "vitest";
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
