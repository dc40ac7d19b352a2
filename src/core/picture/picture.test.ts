import { expect, it } from "vitest";
import { asTaskId, instant, LEAD, type Name } from "../ids.ts";
import { Picture } from "./picture.ts";

const alice = "alice" as Name;
const at = instant(5);

it("knows from the journal alone who does what", () => {
  const picture = new Picture();
  const one = asTaskId(1);
  picture.apply({ seq: 1, at, type: "teammate.spawned", who: alice, kind: "teammate", role: "", model: "m" });
  picture.apply({ seq: 2, at, type: "task.added", task: one, subject: "Build", by: LEAD, blockedBy: [] });
  picture.apply({ seq: 3, at, type: "task.claimed", subject: "Build", task: one, by: alice, attempt: 1 });
  picture.apply({
    seq: 4,
    at,
    type: "tool.called",
    who: alice,
    tool: "bash",
    subject: "make",
    ms: 1,
    isError: false,
  });
  expect(picture.members.get(alice)).toMatchObject({ phase: "work", task: 1, step: "bash make", since: 5 });
  expect(picture.subject(one)).toBe("Build");
  picture.apply({
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
  expect(picture.spent).toEqual({ tokens: 15, usd: 0.5 });
  // The owner of a failed task may be nobody, so what counts is who has the task.
  picture.apply({
    seq: 6,
    at,
    type: "task.failed",
    subject: "Build",
    task: one,
    by: null,
    attempt: 1,
    reason: "x",
  });
  expect(picture.members.get(alice)).toMatchObject({ task: null, step: "" });
  picture.apply({ seq: 7, at, type: "teammate.phase", who: alice, phase: "idle", reason: "awaiting_tasks" });
  expect(picture.members.get(alice)).toMatchObject({ phase: "idle", reason: "awaiting_tasks" });
});
