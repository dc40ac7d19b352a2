import { expect, it } from "vitest";
import { type Activity, goesOn } from "./member.ts";

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
