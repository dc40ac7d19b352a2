/** The examples, run as people run them: through the built program, in folders of their own. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { cloneInto } from "../../fixtures/clone.ts";
import { ownHome } from "../../fixtures/own-home.ts";
import { takeAway } from "../../fixtures/take-away.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const MAIN = join(ROOT, "dist/main.js");
const EXAMPLES = join(ROOT, "examples");

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "ekiden-examples-"));
  onTestFinished(() => takeAway(made));
  return made;
}

/** Without keys, so that the embedded model is taken; without what the outer test runner says to its workers. */
async function node(cwd: string, args: readonly string[]): Promise<Ended> {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH, HOME: ownHome() },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const over = once(child, "close") as Promise<[number | null]>;
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await over;
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = await over;
  return { code, stdout, stderr };
}

type Task = {
  readonly id: number;
  readonly subject: string;
  readonly status: string;
  readonly owner: string | null;
  readonly attempt: number;
  readonly blockedBy: readonly number[];
};
type Event = { readonly seq: number; readonly type: string; readonly task?: number; readonly by?: string };

async function tasksOf(cwd: string): Promise<Task[]> {
  const { code, stdout, stderr } = await node(cwd, [MAIN, "tasks", "--json"]);
  expect(code, stderr).toBe(0);
  return (JSON.parse(stdout) as { tasks: Task[] }).tasks;
}

const events = (jsonLines: string): Event[] =>
  jsonLines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Event);

it("writes a report of this repository with a team of three, every task once and in order", async () => {
  const cwd = folder();
  cloneInto(cwd);
  // The types of all take half of the time. `npm run demo` checks them in a whole clone.
  const config = JSON.parse(readFileSync(join(cwd, "tsconfig.json"), "utf8"));
  writeFileSync(join(cwd, "tsconfig.json"), JSON.stringify({ ...config, include: ["src/core/board"] }));

  const ran = await node(cwd, [MAIN, "run", "examples/quickstart.md", "--json"]);
  expect(ran.code, ran.stderr + ran.stdout).toBe(0);

  const report = readFileSync(join(cwd, "health-report/report.md"), "utf8");
  expect(report).toMatch(/\| Files \| \*\*\d+\*\* \|/);
  expect(report).toMatch(/\| Type errors \| \*\*0\*\* \|/);
  expect(report).toMatch(/\| Tests passed \| \*\*(\d+) of \1 in src\/core\/board\*\* \|/);
  for (const part of ["Languages", "Layers", "Largest source files", "Dependencies", "History", "Warnings"])
    expect(report).toContain(`## ${part}`);

  const tasks = await tasksOf(cwd);
  expect(tasks.length).toBeGreaterThanOrEqual(6);
  expect(tasks.map((task) => [task.status, task.attempt])).toEqual(tasks.map(() => ["completed", 1]));
  expect(new Set(tasks.map((task) => task.owner)).size).toBeGreaterThanOrEqual(2);

  const told = events(ran.stdout);
  expect(told.at(-1)).toMatchObject({ type: "team.finished", completed: tasks.length, failed: 0 });
  expect(told.filter((event) => event.type === "teammate.spawned").length).toBeGreaterThanOrEqual(3);
  const place = (type: string, id: number): number =>
    told.findIndex((event) => event.type === type && event.task === id);
  for (const task of tasks)
    for (const blocker of task.blockedBy)
      expect(place("task.claimed", task.id)).toBeGreaterThan(place("task.completed", blocker));
}, 300_000);

it("ends with 1 when a step fails: what waits for it is untouched, the rest is done", async () => {
  const cwd = folder();
  const ran = await node(cwd, [MAIN, "run", join(EXAMPLES, "failing.md"), "--json"]);
  expect(ran.code, ran.stderr + ran.stdout).toBe(1);

  const status = new Map((await tasksOf(cwd)).map((task) => [task.subject, task]));
  expect(status.get("Prepare")).toMatchObject({ status: "completed" });
  expect(status.get("Write the notes")).toMatchObject({ status: "completed" });
  expect(status.get("Build")).toMatchObject({ status: "failed" });
  expect(JSON.stringify(status.get("Build"))).toContain("no such module: flux");
  for (const waiting of ["Test", "Publish"])
    expect(status.get(waiting)).toMatchObject({ status: "pending", attempt: 0 });
  for (const file of ["tested.txt", "published.txt"]) expect(existsSync(join(cwd, file))).toBe(false);
  expect(events(ran.stdout).at(-1)).toMatchObject({
    type: "team.finished",
    completed: 2,
    failed: 1,
    unfinished: 2,
  });
});

it("is used from TypeScript as the example shows", async () => {
  const cwd = folder();
  const tsx = join(ROOT, "node_modules/tsx/dist/loader.mjs");
  const { code, stdout, stderr } = await node(cwd, ["--import", tsx, join(EXAMPLES, "hello-team.ts")]);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("3 tasks completed");
  expect(stdout).toMatch(/alice|bob/);
});
