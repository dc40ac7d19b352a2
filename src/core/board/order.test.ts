import { expect, it } from "vitest";
import { criticalPath, inOrder } from "./order.ts";
import type { Status } from "./task.ts";

/** "1 2<1 3<1,2:5": three tasks, the third waits for the others and is estimated at 5; "2!" is completed. */
function board(text: string) {
  const tasks = text.split(" ").map((one) => {
    const [, id = "", ended, blockers, estimate = "1"] =
      /^(\d+)(!)?(?:<([\d,]+))?(?::(\d+))?$/.exec(one) ?? [];
    const status = (ended ? "completed" : "pending") as Status;
    return { id, blockedBy: blockers?.split(",") ?? [], status, estimate: Number(estimate) };
  });
  return new Map(tasks.map((task) => [task.id, task]));
}

it.each([
  ["1 2 3", "1 2 3"],
  ["3<2 2<1 1", "1 2 3"],
  ["1<2,3 2 3", "2 3 1"],
  ["1 2<1 3<1 4<3,2", "1 2 3 4"],
  ["4<3 3<2 2<1 1", "1 2 3 4"],
  ["5<4 4<3,2 3<1 2<1 1", "1 3 2 4 5"],
  ["1<9 2<1", "1 2"], // 9 is not on the board
  ["1<2 2<1 3 4<1", "3 1 2 4"], // a cycle, and what waits for it
  ["1<1", "1"],
])("puts %j into the order %j", (tasks, expected) => {
  expect(inOrder(board(tasks)).join(" ")).toBe(expected);
});

it.each([
  ["1 2", ""],
  ["1 2<1", "1 2"],
  ["1 2<1 3<1:5 4<2,3", "1 3 4"],
  // One task alone that takes longer than each chain is not a chain.
  ["1 2:7 3<1 4<3", ""],
  ["1! 2<1 3<2", "2 3"],
  ["1 2!<1 3<2", ""],
  // Of equal chains the first.
  ["1 2 3<1,2", "1 3"],
  ["1 2 3<1 4<2", "1 3"],
  // A task without estimated work makes no chain longer.
  ["1:0 2<1:0 3<1:0", ""],
])("finds in %j the critical path %j", (tasks, expected) => {
  expect(criticalPath(board(tasks)).join(" ")).toBe(expected);
});

it("follows a task in progress, and no ended one", () => {
  const tasks = board("1 2<1");
  const statuses: Status[] = ["in_progress", "failed", "cancelled", "completed"];
  const paths = statuses.map((status) => {
    const first = tasks.get("1");
    return criticalPath(new Map(tasks).set("1", { ...(first as NonNullable<typeof first>), status }));
  });
  expect(paths).toEqual([["1", "2"], [], [], []]);
});
