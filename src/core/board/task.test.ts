/** The limits of a task's fields, each at its last good and its first bad value; and what a command knows about its task. */
import { expect, it } from "vitest";
import type { Name, TaskId } from "../ids.ts";
import {
  type Claimed,
  checkTask,
  DESCRIPTION_MAX,
  isFinished,
  isReady,
  type NewTask,
  SUBJECT_MAX,
  type Task,
} from "./task.ts";
import { taskVariables } from "./task-variables.ts";

it.each<[Partial<NewTask>, Partial<NewTask>]>([
  [{ subject: "x".repeat(SUBJECT_MAX) }, { subject: "x".repeat(SUBJECT_MAX + 1) }],
  [{ subject: " x" }, { subject: " " }],
  [{ subject: "a\tb" }, { subject: "a\nb" }],
  [{ description: "x".repeat(DESCRIPTION_MAX) }, { description: "x".repeat(DESCRIPTION_MAX + 1) }],
  [{ description: "" }, { description: "a\0" }],
  [{ priority: 1_000_000 }, { priority: 1_000_001 }],
  [{ priority: -1_000_000 }, { priority: -1_000_001 }],
  [{ priority: 0 }, { priority: 0.5 }],
  [{ estimate: 1e9 }, { estimate: 1e9 + 1 }],
  [{ estimate: 0.001 }, { estimate: 0 }],
  [{ role: "r".repeat(64) }, { role: "r".repeat(65) }],
  [{ role: "" }, { role: "@alice" }],
  [{ touches: ["src/**", "a/[id].ts", "übung", ".github", "/docs"] }, { touches: ["src/**", "/"] }],
  ...["../x", "a/../../b", "~/x", "C:\\x", "a;b", "a|b", "a\nb", "...", "", "x".repeat(1_001)].map(
    (path): [Partial<NewTask>, Partial<NewTask>] => [{ touches: ["x"] }, { touches: [path] }],
  ),
])("takes %j and refuses %j", (good, bad) => {
  expect(() => checkTask({ subject: "s", ...good })).not.toThrow();
  expect(() => checkTask({ subject: "s", ...bad })).toThrow();
});

it("gives a command a key that is the same for the same command of a task, and another for any other", () => {
  const task = { id: 3 as TaskId, attempt: 2, createdAt: 1_000 } as Claimed;
  const key = (change: Partial<Claimed> = {}, command = "make a", team = "t" as Name) =>
    taskVariables(team, { ...task, ...change }, command).EKIDEN_IDEMPOTENCY_KEY;
  expect(taskVariables("t" as Name, task, "make a")).toMatchObject({ EKIDEN_TASK: "3", EKIDEN_ATTEMPT: "2" });
  expect(taskVariables("t" as Name, null, "make a")).toEqual({});
  // The same on every machine and in every version: an effect that is there already must be known again.
  expect(key()).toBe("t-3-093abca9e81e7537");
  expect(key({ attempt: 3 })).toBe(key());
  const others = [
    key({ id: 4 as TaskId }),
    key({ createdAt: 1_001 as never }),
    key({}, "make b"),
    key({}, "make "),
  ];
  expect(new Set([...others, key({}, "make a", "u" as Name), key()]).size).toBe(6);
});

it.each([
  ["pending", false, true],
  ["in_progress", false, false],
  ["completed", true, false],
  ["failed", true, false],
  ["cancelled", true, false],
])("a task that is %s: finished %j, ready without open blockers %j", (status, finished, ready) => {
  const task = { status, openBlockers: 0 } as Task;
  expect([isFinished(task), isReady(task)]).toEqual([finished, ready]);
  expect(isReady({ ...task, openBlockers: 1 })).toBe(false);
});
