import { expect, it } from "vitest";
import type { NewTask, Task } from "../board/task.ts";
import { asTaskId, instant, PERSON } from "../ids.ts";
import { rerunOf, tasksOf } from "./rerun.ts";
import { parseRunbook } from "./runbook.ts";

let last = 0;
function onBoard(
  status: Task["status"],
  { subject, description = "", blockedBy = [], runbook }: NewTask,
): Task {
  last += 1;
  const now = instant(0);
  const task = {
    id: asTaskId(last),
    subject,
    description,
    blockedBy: blockedBy.map((one) => (typeof one === "object" ? asTaskId(one.nth + 1) : one)),
    openBlockers: 0,
    priority: 0,
    estimate: 1,
    role: null,
    touches: [],
    needsPlan: false,
    attempt: 1,
    lastFailure: null,
    createdBy: PERSON,
    describedBy: PERSON,
    createdAt: now,
    updatedAt: now,
    startedAt: now,
    endedAt: now,
    result: "",
    reason: "",
    ...(runbook !== undefined && { runbook }),
  };
  if (status === "cancelled") return { ...task, status, owner: null };
  return { ...task, status, owner: PERSON } as Task;
}
const board = (text: string, ...statuses: Task["status"][]): Task[] => {
  last = 0;
  return tasksOf(parseRunbook(text)).map((task, nth) => onBoard(statuses[nth] ?? "pending", task));
};

const TEXT = "# G\n## Fetch\nget it\n## Build\nAfter: Fetch\nmake\n## Ship\nAfter: Build\nsend\n";

it("continues: the failed task is retried with its corrected text, completed ones stay", () => {
  const tasks = board(TEXT, "completed", "failed");
  const corrected = parseRunbook(TEXT.replace("make", "make all").replace("## Build", "## `build`"));
  expect(rerunOf(corrected, tasks)).toEqual({
    tasks,
    retry: [2],
    change: [{ id: 2, change: { description: "make all" } }],
    add: [],
    link: [],
    outdated: [],
  });
});

it("adds tasks that are new in the file, with their edges to old and new ones", () => {
  const tasks = board(TEXT, "completed", "completed");
  const more = `${TEXT.replace("After: Build", "After: Build, Test")}## Test\nAfter: Build\n## Tell\nAfter: Test\n`;
  expect(rerunOf(parseRunbook(more), tasks)).toMatchObject({
    change: [],
    add: [
      { subject: "Test", blockedBy: [2] },
      { subject: "Tell", blockedBy: [{ nth: 0 }] },
    ],
    link: [{ id: 3, after: [0] }],
  });
});

it("names completed tasks whose text has changed, and leaves cancelled ones alone", () => {
  const tasks = board(TEXT, "completed", "cancelled");
  const changed = parseRunbook(TEXT.replace("get it", "get them").replace("make", "make all"));
  expect(rerunOf(changed, tasks)).toMatchObject({ retry: [], change: [], outdated: [1] });
});

it("takes the latest of each subject, and another runbook for another one", () => {
  const first = board(TEXT, "completed", "cancelled", "cancelled");
  const again = tasksOf(parseRunbook(TEXT)).map((task) => onBoard("failed", task));
  expect(rerunOf(parseRunbook(TEXT), [...first, ...again])?.retry).toEqual([4, 5, 6]);
  expect(rerunOf(parseRunbook("# G\n## Ship\n## A\n## B\n"), first)).toBeNull();
  expect(rerunOf(parseRunbook(TEXT), [])).toBeNull();
});

it("knows a runbook from half of its tasks on, also by one alone", () => {
  const of = (text: string) => rerunOf(parseRunbook(text), board("# G\n## A\n"));
  expect(of("# G\n## A\n")).toMatchObject({ tasks: [{ id: 1 }], add: [] });
  expect(of("# G\n## A\n## B\n")).toMatchObject({ add: [{ subject: "B" }] });
  expect(of("# G\n## A\n## B\n## C\n")).toBeNull();
});

it.each([
  ["pending", [{ id: 2, change: { addBlockedBy: [1] } }]],
  ["in_progress", []],
  ["failed", []],
] as const)("adds an edge between old tasks to one that is %s: %j", (status, change) => {
  const tasks = board("# G\n## A\n## B\n", "pending", status);
  expect(rerunOf(parseRunbook("# G\n## A\n## B\nAfter: A\n"), tasks)?.change).toEqual(change);
});

it("tells runbooks with like-named tasks apart", () => {
  const failed = board("# G\n## A\nexit 1\n", "failed");
  expect(rerunOf(parseRunbook("# G\n## A\nexit 0\n"), failed)).toMatchObject({ retry: [1] });
  const done = board(TEXT, "completed", "completed", "completed");
  const other = TEXT.replace("# G", "# H");
  expect(rerunOf(parseRunbook(other), done)).toBeNull();
  // Also with the same texts: another goal may mean other work.
  const rewritten = TEXT.replace("get it", "get that").replace("make", "build").replace("send", "tag");
  expect(rerunOf(parseRunbook(rewritten), done)).toBeNull();
  // A corrected file has something of the earlier one: a text, or a task that is not completed.
  expect(rerunOf(parseRunbook(TEXT.replace("make", "build")), done)).toMatchObject({ outdated: [2] });
  // Both on one board: each continues with its own.
  const both = [...done, ...tasksOf(parseRunbook(other)).map((task) => onBoard("failed", task))];
  expect(rerunOf(parseRunbook(other), both)?.retry).toEqual([4, 5, 6]);
  expect(rerunOf(parseRunbook(TEXT), both)?.retry).toEqual([]);
});

it("recognises a runbook that an older version put on the board by half of its texts", () => {
  const old = board(TEXT, "completed", "failed").map(({ runbook: _, ...task }) => task as Task);
  expect(rerunOf(parseRunbook(TEXT.replace("make", "make all")), old)).toMatchObject({ retry: [2] });
  const other = TEXT.replace("get it", "get that").replace("make", "build");
  expect(rerunOf(parseRunbook(other), old)).toBeNull();
});
