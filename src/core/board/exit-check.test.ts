/** These tests check when a completion is held back, and that it is only once. */
import { expect, it } from "vitest";
import { asTaskId } from "../ids.ts";
import { ExitCheck } from "./exit-check.ts";

const task = { id: asTaskId(3), attempt: 1, subject: "Ship", description: "The lamp must stay lit." };

it("asks once for what was changed after the last command, in the words of the task", () => {
  const check = new ExitCheck();
  expect(check.question(task)).toBeNull();
  check.observe("write", ["a.ts"]);
  check.observe("exec", []);
  expect(check.question(task)).toBeNull(); // it was run
  check.observe("write", ["b.ts", "c.ts"]);
  check.observe("read", []); // a command that only reads proves nothing
  const question = check.question(task);
  expect(question).toMatch(
    /^Not completed yet \[check 3\.1\]: nothing was run since you changed b\.ts, c\.ts\./,
  );
  expect(question).toContain("Ship\nThe lamp must stay lit.");
  expect(question).not.toContain("a.ts");
  expect(check.question(task)).toBeNull();
  check.observe("write", ["d.ts"]);
  expect(check.question(task)).toBeNull(); // nothing was run since it was asked
  expect(check.question({ ...task, attempt: 2 })).not.toBeNull();
});

it("asks a second time where something was run and changed again, and no third time", () => {
  const check = new ExitCheck();
  const change = () => check.observe("write", ["a.ts"]);
  change();
  expect(check.question(task)).not.toBeNull();
  for (const asks of [true, false, false]) {
    check.observe("exec", []);
    change();
    expect(check.question(task) !== null).toBe(asks);
  }
  expect(check.question({ ...task, attempt: 2 })).not.toBeNull();
});

it("shows a few of many files, and asks nothing again that an earlier process asked", () => {
  const many = Array.from({ length: 12 }, (_, i) => `f${i}.ts`);
  const check = new ExitCheck();
  check.observe("write", many);
  const question = check.question(task) ?? "";
  expect(question).toContain("f7.ts and 4 more.");
  const later = new ExitCheck();
  later.observe("write", many);
  later.recall("something else");
  later.recall(question);
  expect(later.question(task)).toBeNull();
  later.observe("exec", []);
  later.observe("write", many);
  expect(later.question(task)).not.toBeNull();
  later.recall(question);
  later.observe("exec", []);
  later.observe("write", many);
  expect(later.question(task)).toBeNull();
});
