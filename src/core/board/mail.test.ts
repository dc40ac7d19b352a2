import { expect, it } from "vitest";
import type { Image } from "../conversation/image.ts";
import type { Name, TaskId } from "../ids.ts";
import {
  type Body,
  checkText,
  imagesIn,
  isRoutine,
  isStop,
  MAIL_MAX,
  type Mail,
  render,
  wakes,
  words,
} from "./mail.ts";

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
  expect(words({ ...quiet, counts: { ...counts, failed: 1, cancelled: 1 } })).toContain(
    "3 of 4 tasks completed, 1 failed, 1 cancelled.",
  );
});

it("the end of a teammate wakes the lead unless it was to be expected and left nothing behind", () => {
  const stopped = (reason: "timeout" | "asked", released: readonly TaskId[]) =>
    wakes({ kind: "stopped", reason, released, text: "" });
  expect([
    stopped("timeout", []),
    stopped("timeout", [task]),
    stopped("asked", []),
    stopped("asked", [task]),
  ]).toEqual([false, true, true, true]);
});

it.each<[Body, string]>([
  [{ kind: "result", task: null, inHand: false, text: "8080" }, "8080"],
  [{ kind: "result", task, inHand: true, text: "Which port?" }, "About #7:\nWhich port?"],
  [{ kind: "idle_notice", reason: "awaiting_tasks", completed: [] }, "Idle (waiting for tasks)."],
  [
    { kind: "idle_notice", reason: "awaiting_tasks", completed: [task, 9 as TaskId] },
    "Idle (waiting for tasks), completed #7, #9.",
  ],
  [{ kind: "stopped", reason: "asked", released: [], text: "" }, "Stopped (on request)."],
  [
    { kind: "stopped", reason: "asked", released: [task], text: "Tests are red." },
    "Stopped (on request); #7 went back to the board.\nLast words:\nTests are red.",
  ],
  [
    { kind: "job_done", job: "j1", command: "make", text: "ok", isError: false } as Body,
    "Background job j1 (make) finished:\nok",
  ],
  [
    { kind: "job_done", job: "j1", command: "make", text: "no", isError: true } as Body,
    "Background job j1 (make) failed:\nno",
  ],
  [
    { kind: "job_done", job: "j1", command: "make", text: "?", isError: true, lost: true } as Body,
    "Background job j1 (make) was lost:\n?",
  ],
  [{ kind: "shutdown_response", accepted: true, reason: "" } as Body, "I am stopping."],
  [
    { kind: "shutdown_response", accepted: false, reason: "half done" } as Body,
    "I am not stopping yet: half done",
  ],
  [
    { kind: "plan_request", task: null, text: "" } as Body,
    "Submit a plan with submit_plan before you change anything.",
  ],
  [
    { kind: "plan_request", task, text: "Mind the API." } as Body,
    "Submit a plan for #7 with submit_plan before you change anything.\nMind the API.",
  ],
  [{ kind: "plan_response", task, approved: true, feedback: "" } as Body, "Your plan for #7 is approved."],
  [
    { kind: "plan_response", task, approved: true, feedback: "Go." } as Body,
    "Your plan for #7 is approved. Go.",
  ],
  [
    { kind: "plan_response", task, approved: false, feedback: "No test." } as Body,
    "Your plan for #7 is not approved: No test.\nChange it and submit_plan again, or give the task back.",
  ],
  [{ kind: "permission_request", tool: "bash", subject: "make" } as Body, "May I run bash: make?"],
  [
    { kind: "permission_request", tool: "edit_file", subject: "a", diff: "+b" } as Body,
    "May I run edit_file: a?\n+b",
  ],
  [{ kind: "permission_response", allowed: true, reason: "" } as Body, "Allowed."],
  [{ kind: "permission_response", allowed: false, reason: "Too much." } as Body, "Not allowed. Too much."],
])("tells %j as %j", (body, expected) => {
  expect(words(body)).toBe(expected);
});

it("refuses a message without a text and one that is too long, and takes the longest one", () => {
  expect(() => checkText(" \n ")).toThrow("The message is empty");
  expect(checkText("x".repeat(MAIL_MAX))).toHaveLength(MAIL_MAX);
  expect(() => checkText("x".repeat(MAIL_MAX + 1))).toThrow(
    `has ${MAIL_MAX + 1} characters; the limit is ${MAIL_MAX}`,
  );
});

it("tells a stop request, the notice of idling and images from other mail", () => {
  const mail = (body: Body): Mail => ({ body }) as Mail;
  const note = mail({ kind: "note", text: "x" });
  const stop = mail({ kind: "shutdown_request", request: "r", reason: "x" } as unknown as Body);
  const idle = mail({ kind: "idle_notice", reason: "awaiting_tasks", completed: [] });
  expect([note, stop, idle].map(isStop)).toEqual([false, true, false]);
  expect([note, stop, idle].map(isRoutine)).toEqual([false, false, true]);
  const image = { name: "a.png" } as unknown as Image;
  const drawn = mail({ kind: "broadcast", text: "x", images: [image] });
  expect([note, idle, drawn].map(imagesIn)).toEqual([[], [], [image]]);
});

it("wakes a member for a note to all, and not for an answer that its call waits for", () => {
  expect(wakes({ kind: "broadcast", text: "x" })).toBe(true);
  expect(wakes({ kind: "permission_response", allowed: true, reason: "" } as unknown as Body)).toBe(false);
});

it("gives a model the id of a request to answer, and of no other mail", () => {
  const mail = (body: object): Mail => ({ id: 3, from: "bob", body }) as unknown as Mail;
  expect(render(mail({ kind: "note", text: "x" }))).toMatch(/^<mail id="3" from="bob" kind="note">/);
  expect(render(mail({ kind: "shutdown_request", request: "r1", reason: "" }))).toMatch(
    /^<mail id="3" from="bob" kind="shutdown_request" request="r1">/,
  );
});
