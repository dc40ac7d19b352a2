import { expect, it } from "vitest";
import { blank, type Task } from "../../../../core/picture/task.ts";
import { foldOf } from "./fold.ts";

const task = (id: number, status: Task["status"], blockedBy: number[] = []): Task => ({
  ...blank(id, `Task ${id}`, 0),
  ...{ status, blockedBy },
});
const board = (...tasks: Task[]) => new Map(tasks.map((one) => [one.id, one]));
const three = (from: number, status: Task["status"], after: number[] = []) =>
  [0, 1, 2].map((i) => task(from + i, status, after));

it("folds the layers in which everything has ended, and nothing else", () => {
  const ended = [...three(1, "completed"), ...three(4, "cancelled", [1])];
  const fold = foldOf(board(...ended, task(7, "completed", [4]), task(8, "in_progress", [4])));
  expect([[...(fold?.ids ?? [])], fold?.layers]).toEqual([[1, 2, 3, 4, 5, 6], 2]);
});

it.each([
  ["few cards", [task(1, "completed"), task(2, "pending", [1])]],
  ["a board on which nothing is open", [...three(1, "completed"), ...three(4, "completed", [1])]],
  [
    "a layer with a failed task",
    [...three(1, "completed"), ...three(4, "failed", [1]), task(7, "pending", [4])],
  ],
  [
    "a board that is shown in parts",
    Array.from({ length: 401 }, (_, i) => task(i + 1, i < 400 ? "completed" : "pending", i < 400 ? [] : [1])),
  ],
])("leaves %s as it is", (_what, tasks) => {
  expect(foldOf(board(...tasks))).toBeNull();
});
