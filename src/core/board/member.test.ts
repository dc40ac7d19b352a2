import { expect, it } from "vitest";
import { type Activity, goesOn, NOTHING_SPENT, ownModel } from "./member.ts";

const stopped = (reason: "asked" | "timeout" | "failed" | "budget" | "replaced"): Activity => ({
  phase: "shutdown",
  reason,
});

it.each([
  [{ phase: "work" }, true, true],
  [{ phase: "idle", reason: "no_task" }, true, true],
  [stopped("asked"), false, true],
  [stopped("failed"), false, true],
  // Another member needed its place in a worker: a resume that took it back would need a second one.
  [stopped("replaced"), false, false],
] as [Activity, boolean, boolean][])(
  "%j: by a process that starts %j, by a resume %j",
  (activity, byStart, byResume) => {
    expect(goesOn({ activity }, false)).toBe(byStart);
    expect(goesOn({ activity }, true)).toBe(byResume);
  },
);

it.each([
  ["anthropic/claude-opus-5", "anthropic/claude-opus-5"],
  ["runbook", "runbook"],
  ["scripted:demo.json", "scripted:demo.json"],
  ["sonnet", ""],
  ["inherit", ""],
  ["", ""],
])("reads the model %j of a role file as %j", (spec, expected) => {
  expect(ownModel(spec)).toBe(expected);
});

it("begins with nothing spent", () => {
  expect(new Set(Object.values(NOTHING_SPENT))).toEqual(new Set([0]));
});
