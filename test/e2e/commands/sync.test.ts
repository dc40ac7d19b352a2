/** `ekiden sync` as its user runs it: a process of its own, other programs that write the files, and a team at work on the board. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { collected, ended, Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
  mkdirSync(join(project.dir, ".tasks"));
});
afterEach(() => project.end());

const path = (name: string): string => join(project.dir, ".tasks", name);
const read = (name: string): Record<string, unknown> => JSON.parse(readFileSync(path(name), "utf8"));
/** As careful programs write. */
function put(name: string, task: object): void {
  writeFileSync(path(`${name}.part`), JSON.stringify(task));
  renameSync(path(`${name}.part`), path(name));
}
type Board = { tasks: { id: number; subject: string; status: string; createdBy?: string }[] };
const board = async () => (await project.json<Board>(["tasks"])).tasks;
const RESUME = ["resume", "--model", "runbook", "--teammates", "2"];
const script = (line: string): string => `\`\`\`sh\n${line}\n\`\`\``;

it("keeps files and board equal while a team works, within a second and without being asked", async () => {
  const sync = project.start(["sync", ".tasks"]);
  const said = collected(sync);
  await expect.poll(() => said.stderr()).toContain("Keeps .tasks and the board");
  put("task_1.json", {
    id: 1,
    subject: "First",
    description: script("echo first > first.txt"),
    status: "pending",
    owner: null,
  });
  await expect.poll(() => said.stdout()).toContain("task_1.json is #1 on the board");
  const { code } = await project.run([...RESUME, "--permission-mode", "bypass"]);
  expect(code).toBe(0);
  await expect.poll(() => read("task_1.json")).toMatchObject({ status: "completed", owner: "alice" });
  await project.run(["add", "Second", "--after", "1"]);
  await expect.poll(() => existsSync(path("task_2.json"))).toBe(true);
  expect(read("task_2.json")).toMatchObject({ status: "pending", blockedBy: [1] });
  // In place and in two steps, as careless programs write.
  writeFileSync(path("task_2.json"), '{"id": 2, "subject": "Sec');
  writeFileSync(
    path("task_2.json"),
    JSON.stringify({ id: 2, subject: "Second", blockedBy: [1], status: "completed" }),
  );
  await expect
    .poll(async () => (await board()).map(({ status }) => status))
    .toEqual(["completed", "completed"]);
  const done = ended(sync);
  sync.kill("SIGINT");
  expect((await done).code).toBe(130);
  expect(readdirSync(join(project.dir, ".tasks")).filter((name) => /lock|tmp/.test(name))).toEqual([]);
});
it("does not run unasked what a file brings, whatever it says", async () => {
  put("task_1.json", {
    id: 1,
    subject: "One",
    description: script("touch CANARY"),
    createdBy: "person",
    describedBy: "person",
  });
  expect(await project.run(["sync", ".tasks", "--once"])).toMatchObject({ code: 0 });
  const { stderr } = await project.run(RESUME);
  // Without a sandbox the mode refuses it before.
  expect(stderr).toMatch(
    /Not permitted: bash \(touch CANARY\): (its task has blocks that are not the person's own|no rule allows)/,
  );
  expect(existsSync(join(project.dir, "CANARY"))).toBe(false);
});

it("does not run unasked what a file makes of a person's task", async () => {
  await project.run(["add", "One", "-d", "nothing"]);
  await project.run(["sync", ".tasks", "--once"]);
  put("task_1.json", { ...read("task_1.json"), description: script("touch CANARY") });
  await project.run(["sync", ".tasks", "--once"]);
  expect((await project.run(RESUME)).stderr).toContain("Not permitted: bash (touch CANARY)");
  expect(existsSync(join(project.dir, "CANARY"))).toBe(false);
});

it("refuses a second process, and goes on after a kill", async () => {
  const first = project.start(["sync", ".tasks"]);
  const said = collected(first);
  await expect.poll(() => said.stderr()).toContain("Keeps");
  const second = await project.run(["sync", ".tasks"]);
  expect(second).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/process \d+ on .* keeps .*\.tasks already/),
  });
  const gone = ended(first);
  first.kill("SIGKILL");
  await gone;
  put("task_1.json", { id: 1, subject: "After the kill" });
  expect(await project.run(["sync", ".tasks", "--once"])).toMatchObject({ code: 0 });
  expect((await board()).map(({ subject }) => subject)).toEqual(["After the kill"]);
});

it("ends with code 1 and the reason when a file cannot be used, and prints JSON Lines", async () => {
  put("task_1.json", { id: 1, subject: "", status: "sleeping" });
  const once = await project.run(["sync", ".tasks", "--once", "--json"]);
  expect(once.code).toBe(1);
  expect(JSON.parse(once.stdout)).toMatchObject({
    type: "sync.said",
    text: expect.stringContaining("task_1.json: status"),
  });
  project.write({ file: "" });
  expect(await project.run(["sync", "file"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("EEXIST"),
  });
});

it.runIf(process.platform === "linux")("names the folder when no file can be written to it", async () => {
  expect(await project.run(["sync", "/proc/1"])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/"\/proc\/1" cannot be used as a folder of task files: .*\(E\w+\)/),
  });
});

it("is kept by the team itself with the setting, from before its first claim until after its last", async () => {
  project.write({ ".ekiden/settings.json": JSON.stringify({ sync: ".tasks" }) });
  await project.run(["add", "Zero", "-d", script("true")]);
  put("task_4.json", { id: 4, subject: "Four", description: script("echo four > four.txt") });
  put("task_5.json", { id: 5, subject: "Five", description: script("touch .tasks/task_6.json") });
  const run = await project.run([...RESUME, "--permission-mode", "bypass"]);
  expect(run.code).toBe(1);
  expect(read("task_4.json")).toMatchObject({ status: "completed", result: expect.any(String) });
  expect(read("task_5.json")).toMatchObject({
    status: "failed",
    reason: expect.stringContaining("Not permitted"),
  });
  expect(run.stderr).toContain("Not permitted: bash (touch .tasks/task_6.json)");
  expect(run.stderr).not.toContain("task_4.json");
  expect(existsSync(path("task_6.json"))).toBe(false);
});

it("leaves the folder to a process that keeps it already, and says so", async () => {
  const sync = project.start(["sync", ".tasks"]);
  const said = collected(sync);
  await expect.poll(() => said.stderr()).toContain("Keeps");
  put("task_1.json", { id: 1, subject: "One", description: script("echo one") });
  await expect.poll(() => said.stdout()).toContain("#1");
  const run = await project.run([...RESUME, "--permission-mode", "bypass"], {
    env: { EKIDEN_SYNC: ".tasks" },
  });
  expect(run).toMatchObject({ code: 0, stderr: expect.stringMatching(/process \d+ on .* keeps .* already/) });
  await expect.poll(() => read("task_1.json").status).toBe("completed");
});
