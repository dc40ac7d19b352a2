import { expect, it } from "vitest";
import type { Task } from "../board/task.ts";
import { asTaskId, instant, LEAD, type Name } from "../ids.ts";
import { boardData, boardViews, progressShare, progressText, taskHistory, taskViews } from "./board.ts";
import type { View } from "./view.ts";

const alice = "alice" as Name;
const id = asTaskId;
const task = (n: number, more: object = { status: "pending" }): Task =>
  ({
    ...{ id: id(n), subject: `Task ${n}`, description: "", blockedBy: [], openBlockers: 0, priority: 0 },
    ...{ estimate: 1, role: null, touches: [], needsPlan: false, attempt: 0, lastFailure: null },
    ...{ createdBy: LEAD, describedBy: LEAD, createdAt: instant(0), updatedAt: instant(0) },
    ...more,
  }) as unknown as Task;
const running = { status: "in_progress", owner: alice, attempt: 1, startedAt: instant(0) };
const ended = (status: string, more: object = {}) => ({ ...running, status, endedAt: instant(0), ...more });
const board = (...tasks: Task[]) => boardData("default" as Name, tasks, instant(60_000));

/** Each cell as "text" or "text/tone". */
const cells = (view: View | undefined): string[][] =>
  view?.kind === "table"
    ? view.rows.map((row) => row.map(({ text, tone }) => (tone ? `${text}/${tone}` : text)))
    : [];
const figures = (view: View | undefined): Record<string, string> =>
  view?.kind === "figures"
    ? Object.fromEntries(
        view.figures.map(({ label, text, tone }) => [label, tone ? `${text}/${tone}` : text]),
      )
    : {};

it("marks in each row what matters: work under way, no owner, a blocker that is dead, a further attempt", () => {
  const shown = board(
    task(1, running),
    task(2, ended("cancelled", { owner: null, reason: "not needed" })),
    task(3, ended("completed", { attempt: 2, result: "ok" })),
    task(4, { status: "pending", blockedBy: [id(2), id(3), id(1)], openBlockers: 2 }),
    task(5, { status: "pending", blockedBy: [id(1)], openBlockers: 1 }),
  );
  const rows = cells(boardViews(shown)[0]);
  expect(rows.map((row) => row.slice(2).join(" | "))).toEqual([
    "Task 1/strong | alice | /dim | 1m00s/dim | 1/dim",
    "Task 2 | /dim | /dim | 1m00s/dim | 1/dim",
    "Task 3 | alice | /dim | 1m00s/dim | 2/warn",
    "Task 4 | /dim | #2! #1/bad | 1m00s/dim | /dim",
    "Task 5 | /dim | #1/dim | 1m00s/dim | /dim",
  ]);
});

it("tells the reason of what failed or was cancelled, and of nothing else", () => {
  const shown = board(
    task(1, ended("failed", { reason: "exit 1" })),
    task(2, ended("cancelled", { reason: "not needed" })),
    task(3, { ...running, reason: "old", lastFailure: "exit 2" }),
  );
  expect(shown.tasks.map(({ reason }) => reason)).toEqual(["exit 1", "not needed", null]);
  const told = (n: number) => {
    const found = taskHistory(id(n), shown, []);
    return found ? figures(taskViews(found)[0]) : null;
  };
  expect(told(1)).toMatchObject({ reason: "exit 1/bad" });
  expect(told(1)).not.toHaveProperty("last failure");
  expect(told(2)).toMatchObject({ reason: "not needed/bad" });
  expect(told(3)).toMatchObject({ "last failure": "exit 2/warn", attempt: "1" });
  expect(told(3)).not.toHaveProperty("reason");
  expect(told(9)).toBeNull();
});

it("leaves out of one task what is as usual", () => {
  const plain = taskHistory(id(1), board(task(1)), []);
  expect(plain && figures(taskViews(plain)[0])).toEqual({
    "#1": "Task 1/strong",
    status: expect.any(String),
  });
});

it("holds a task up for the files of one that is under way, and for no other", () => {
  const files = { touches: ["a.ts"] };
  const shown = board(
    task(1, { ...ended("completed"), ...files, result: "" }),
    task(2, running),
    task(3, { status: "pending", ...files }),
  );
  expect(shown.tasks[2]?.heldBy).toBeNull();
});

it.each([
  [[], "0 tasks: 0 completed", 0],
  [[task(1)], "1 task: 0 completed, 1 to do (1 ready)", 0],
  [[task(1, running), task(2, ended("completed"))], "2 tasks: 1 completed, 1 in progress", 1 / 2],
  [[task(1, ended("failed")), task(2)], "2 tasks: 0 completed, 1 failed, 1 to do (1 ready)", 1 / 2],
  [
    [task(1, ended("cancelled")), task(2, ended("completed")), task(3, ended("failed")), task(4)],
    "4 tasks: 1 completed, 1 failed, 1 cancelled, 1 to do (1 ready)",
    3 / 4,
  ],
])("counts %#: %s", (tasks, text, share) => {
  const { counts } = board(...tasks);
  expect(progressText(counts)).toBe(text);
  expect(progressShare(counts)).toBe(share);
});

it("shows the progress of the board under its tasks, and none of an empty board", () => {
  const views = boardViews(board(task(1), task(2)));
  expect(cells(views[0])).toHaveLength(2);
  expect(figures(views[1])).toEqual({ board: "2 tasks: 0 completed, 2 to do (2 ready)" });
  expect(boardViews(board(task(1)))).toHaveLength(2);
  expect(boardViews(board())).toMatchObject([{ kind: "table", rows: [] }]);
});

it("gives the subject the room that is left, and drops the attempt first", () => {
  const [table] = boardViews(board(task(1)));
  const columns = table?.kind === "table" ? table.columns : [];
  expect(columns.filter(({ grow }) => grow).map(({ name }) => name)).toEqual(["subject"]);
  expect(columns.filter(({ minor }) => minor).map(({ name }) => name)).toEqual(["attempt"]);
});
