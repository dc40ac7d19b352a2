/** The check of a task with a real shell: at the first call of an attempt and at the completion, and as a line of a runbook. */
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { systemClock } from "../../../src/adapters/clock.ts";
import { createShell } from "../../../src/adapters/shell/index.ts";
import type { Seat } from "../../../src/core/board/member.ts";
import type { Task } from "../../../src/core/board/task.ts";
import { LEAD } from "../../../src/core/ids.ts";
import { withCheck } from "../../../src/core/project/mark.ts";
import type { Shell, Store, Tool } from "../../../src/ports/index.ts";
import { permitted, type Wrap, wrapped } from "../../../src/runtime/agent/call.ts";
import { checkedTasks } from "../../../src/runtime/wraps/task-check.ts";
import { bash } from "../../../src/tools/bash.ts";
import { defineTool } from "../../../src/tools/define.ts";
import { completeTask } from "../../../src/tools/team/claims.ts";
import { claimed, stage } from "../../fixtures/stage.ts";
import { takeAway } from "../../fixtures/take-away.ts";

const at = stage("sqlite");
let folder: string;
let shell: Shell;
let store: Store;
let seat: Seat;
let changes: () => Promise<string | null>;
let wraps: Wrap[];

const checks = (timeoutMs = 10_000): Wrap =>
  checkedTasks({
    shell: bash as Tool<{ command: string }>,
    isHeard: true,
    timeoutMs,
    changes: () => changes(),
  });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ekiden-check-"));
  shell = createShell({ outputDir: join(folder, "output"), graceMs: 200, env: process.env });
  const crew = await at.crew(["alice"], { clock: systemClock });
  store = crew.store;
  seat = crew.seats[0] as Seat;
  changes = () => Promise.resolve(null);
  wraps = [checks()];
});
afterEach(async () => {
  await shell.close();
  takeAway(folder);
});

const look = defineTool({
  name: "look",
  description: "looks",
  access: "read",
  input: () => z.object({}),
  run: () => Promise.resolve("seen"),
});

const call = (tool: Tool, input: unknown = {}, signal = new AbortController().signal): Promise<string> =>
  wrapped(wraps)({
    tool,
    input,
    access: tool.access,
    call: { type: "call", id: "c1", tool: tool.name, input },
    ctx: {
      ...{ self: seat.name, kind: "teammate", seat, store, clock: systemClock, shell, workspace: folder },
      readable: [],
      signal,
      currentTask: () => store.board.mine(seat.name),
      waitingFor: () => Promise.resolve(() => Promise.resolve()),
      rest: () => {},
      answer: (text) => ({ kind: "heard", text }),
      team: { spawn: async () => {}, askToStop: async () => {} },
    },
  });

const taken = async (command: string): Promise<Task> => {
  await store.board.add({ subject: "paint", description: withCheck("Paint it.", command) }, LEAD);
  return await claimed(store, seat);
};
const facts = async (type: "task.checked" | "task.reopened") =>
  (await store.journal.read(store.journal.from(0), { types: [type] })).events;
const tells = async (): Promise<string[]> =>
  (await facts("task.checked")).map((fact) =>
    fact.type === "task.checked" ? `${fact.when} ${fact.outcome}` : "",
  );

it("runs once before the first call of an attempt, and says nothing where it fails", async () => {
  await taken("test -f done");
  expect(await call(look)).toBe("seen");
  // Another process does not ask again.
  wraps = [checks()];
  expect(await call(look)).toBe("seen");
  expect(await tells()).toEqual(["claim red"]);
});

it("says that the work may be done already", async () => {
  await taken("true");
  expect(await call(look)).toMatch(/^seen\n\n\[The check of #1, `true`, is green before any change\./);
});

it("refuses a completion with the last lines of a red check, and fails the task at the third one", async () => {
  const { id } = await taken("echo the lid is open; exit 3");
  const complete = () => call(completeTask, { result: "done" });
  await expect(complete()).rejects.toThrow(
    "#1 is not completed: its check `echo the lid is open; exit 3` fails:\nthe lid is open\n[exit code 3]",
  );
  await expect(complete()).rejects.toThrow("It is still yours");
  await expect(complete()).rejects.toThrow("#1 has failed.");
  expect((await store.board.task(id))?.status).toBe("failed");
  expect(await facts("task.reopened")).toMatchObject([{ why: "check" }, { why: "check" }, { why: "check" }]);
});

it("lets a green check pass, and names the files that it changed itself", async () => {
  await taken("touch paint.log");
  const part = (text: string) => `diff --git a/paint.log b/paint.log\n${text}\n`;
  changes = () => Promise.resolve(existsSync(join(folder, "paint.log")) ? part("+1") : "");
  const tool: Tool = { ...completeTask, run: async (_, ctx) => JSON.stringify(ctx.answer("Completed.")) };
  const text = await call(tool);
  expect(text).toContain("Completed. The check `touch paint.log` changed files: paint.log.");
  expect(await facts("task.checked")).toMatchObject([{ when: "completion", changed: ["paint.log"] }]);
});

it("ends a check that hangs, gives it no input, and cuts the output of one that floods", async () => {
  wraps = [checks(1_000)];
  const { id } = await taken("cat; sleep 60");
  await expect(call(completeTask, { result: "done" })).rejects.toThrow("was ended at its limit");
  wraps = [checks()];
  await store.board.change(id, { description: withCheck("", "yes | head -c 3000000; false") }, LEAD);
  const failed = await call(completeTask, { result: "done" }).catch((error: Error) => error.message);
  expect(failed).toContain("fails:");
  expect(failed.length).toBeLessThan(6_000);
});

it("runs no check that the permissions refuse, and completes nothing without it", async () => {
  const { id } = await taken("touch never");
  const isCheck = (name: string) => name === "bash";
  wraps.push(
    permitted(({ tool }) =>
      isCheck(tool.name) ? { allowed: false, reason: "no commands here" } : { allowed: true },
    ),
  );
  expect(await call(look)).toBe("seen");
  await expect(call(completeTask, { result: "done" })).rejects.toThrow(
    "its check `touch never` could not run: no commands here",
  );
  expect(existsSync(join(folder, "never"))).toBe(false);
  expect(await store.board.task(id)).toMatchObject({ status: "in_progress" });
  expect(await facts("task.reopened")).toEqual([]);
});

it("runs again at the next call where it was interrupted", async () => {
  await taken("test -f once || { touch once; sleep 60; }");
  const over = new AbortController();
  const first = call(look, {}, over.signal);
  await expect.poll(() => existsSync(join(folder, "once"))).toBe(true);
  over.abort(new Error("urgent mail"));
  await expect(first).rejects.toThrow("urgent mail");
  expect(await call(look)).toContain("is green before any change");
});

it("does not run at the claim of a task that needs a plan", async () => {
  await store.board.add({ subject: "paint", description: withCheck("", "true"), needsPlan: true }, LEAD);
  await claimed(store, seat);
  expect(await call(look)).toBe("seen");
  expect(await facts("task.checked")).toEqual([]);
});

it("is not needed by a task without one, or for the task of somebody else", async () => {
  await store.board.add({ subject: "sand", description: "Check: all is well" }, LEAD);
  await claimed(store, seat);
  await call(look);
  await call(completeTask, { result: "done" });
  expect(await facts("task.checked")).toEqual([]);
});
