import { expect, it } from "vitest";
import type { Name, TaskId } from "./ids.ts";
import { type Body, wakes, words } from "./mail.ts";

const task = 7 as TaskId;

it("a report wakes its reader when it may be a question or an answer, not when its task is off hand", () => {
  expect(wakes({ kind: "result", task: null, inHand: false, text: "8080" })).toBe(true);
  expect(wakes({ kind: "result", task, inHand: true, text: "Which port?" })).toBe(true);
  expect(wakes({ kind: "result", task, inHand: false, text: "Done." })).toBe(false);
});

it("a notice of idling wakes its reader once something was completed before it", () => {
  expect(wakes({ kind: "idle_notice", reason: "awaiting_tasks", completed: [] })).toBe(false);
  expect(wakes({ kind: "idle_notice", reason: "awaiting_tasks", completed: [task] })).toBe(true);
  // The others work on without a decision of the lead.
  const more = { reason: "awaiting_tasks", completed: [task], goesOn: true } as const;
  expect(wakes({ kind: "idle_notice", ...more })).toBe(false);
  expect(wakes({ kind: "idle_notice", ...more, reason: "turn_limit" })).toBe(true);
});

it("what only its reader can do something about always wakes it", () => {
  expect(wakes({ kind: "note", text: "hello" })).toBe(true);
  expect(wakes({ kind: "task_failed", task, subject: "x", reason: "red" })).toBe(true);
  expect(wakes({ kind: "cron", cron: "1", text: "tick" })).toBe(true);
  const kinds = ["board_quiet", "job_done", "shutdown_request", "shutdown_response"] as const;
  for (const kind of [...kinds, "plan_request", "plan_submission", "plan_response", "permission_request"])
    expect(wakes({ kind } as Body), kind).toBe(true);
  // The tool that asked waits for it.
  expect(wakes({ kind: "permission_response" } as Body)).toBe(false);
});

it("the notice of a quiet board names the commands that still run", () => {
  const counts = { total: 1, pending: 0, ready: 0, inProgress: 0, completed: 1, failed: 0, cancelled: 0 };
  const quiet = { kind: "board_quiet", counts, unfinished: [] } as const;
  expect(words(quiet)).not.toContain("background");
  const running = [{ job: "j1", owner: "alice" as Name, command: "npm run dev" }];
  expect(words({ ...quiet, running })).toMatch(
    /They end with the run.*:\n- j1 of alice: npm run dev\nConclude:/,
  );
});

it("the notice of a quiet board counts what failed and what was cancelled, if anything", () => {
  const counts = { total: 4, pending: 1, ready: 0, inProgress: 0, completed: 3, failed: 0, cancelled: 0 };
  const unfinished = [{ id: task, subject: "Ship", why: "waits for #6" }];
  const quiet = { kind: "board_quiet", counts, unfinished } as const;
  expect(words(quiet)).toMatch(
    /^The board is quiet: 3 of 4 tasks completed\. Nobody .*\nUnfinished:\n#7 Ship: waits for #6\nConclude:/,
  );
  expect(words({ ...quiet, counts: { ...counts, failed: 1, cancelled: 2 } })).toContain(
    "3 of 4 tasks completed, 1 failed, 2 cancelled.",
  );
});
