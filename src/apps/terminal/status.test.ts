import { expect, it } from "vitest";
import { asTaskId, instant, LEAD, type Name } from "../../core/ids.ts";
import { exitCodeOf } from "../run-team.ts";
import { readAnswer } from "./asking.ts";
import { TeamStatus } from "./status.ts";

const alice = "alice" as Name;
const at = instant(5);

it("knows from the journal alone who does what", () => {
  const status = new TeamStatus([], []);
  const one = asTaskId(1);
  status.apply({ seq: 1, at, type: "teammate.spawned", who: alice, kind: "teammate", role: "", model: "m" });
  status.apply({ seq: 2, at, type: "task.added", task: one, subject: "Build", by: LEAD, blockedBy: [] });
  status.apply({ seq: 3, at, type: "task.claimed", subject: "Build", task: one, by: alice, attempt: 1 });
  status.apply({
    seq: 4,
    at,
    type: "tool.called",
    who: alice,
    tool: "bash",
    subject: "make",
    ms: 1,
    isError: false,
  });
  expect(status.members.get(alice)).toMatchObject({ phase: "work", task: 1, step: "bash make", since: 5 });
  expect(status.subject(one)).toBe("Build");
  status.apply({
    seq: 5,
    at,
    type: "turn.taken",
    who: alice,
    model: "m",
    inputTokens: 10,
    cachedTokens: 0,
    outputTokens: 5,
    usd: 0.5,
    ms: 1,
    text: "",
  });
  expect([status.tokens, status.usd]).toEqual([15, 0.5]);
  // The owner of a failed task may be nobody, so what counts is who has the task.
  status.apply({
    seq: 6,
    at,
    type: "task.failed",
    subject: "Build",
    task: one,
    by: null,
    attempt: 1,
    reason: "x",
  });
  expect(status.members.get(alice)).toMatchObject({ task: null, step: "" });
  status.apply({ seq: 7, at, type: "teammate.phase", who: alice, phase: "idle", reason: "awaiting_tasks" });
  expect(status.members.get(alice)).toMatchObject({ phase: "idle", reason: "awaiting_tasks" });
});

it("reads an answer to a question, and takes nothing else for one", () => {
  expect(
    ["y", "YES", "a", "always", "n", "no", "", "maybe", "yess"].map((text) => readAnswer(text)?.word ?? null),
  ).toEqual(["yes", "yes", "always", "always", "no", "no", "no", null, null]);
});

it("has the exit codes that the contract names", () => {
  const outcome = {
    completed: 1,
    failed: 0,
    cancelled: 0,
    unfinished: 0,
    reason: "concluded",
    text: "",
  } as const;
  expect(exitCodeOf(outcome)).toBe(0);
  for (const key of ["failed", "cancelled", "unfinished"] as const)
    expect(exitCodeOf({ ...outcome, [key]: 1 })).toBe(1);
  const codes = (["budget", "turns", "model", "interrupted"] as const).map((reason) =>
    exitCodeOf({ ...outcome, reason }),
  );
  expect(codes).toEqual([4, 4, 3, 130]);
});
