/** The provenance of tasks: only a task that this person's process wrote on this board runs unasked. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { Project } from "../e2e/cli-program.ts";
import { bubblewrapOrSkip } from "../fixtures/bubblewrap.ts";
import { takeAway } from "../fixtures/take-away.ts";

let project: Project;
let other: Project;
beforeEach(() => {
  project = new Project();
  other = new Project();
});
afterEach(async () => {
  await project.end();
  await other.end();
});

const RUNBOOK = "# Try\n\n## One\n\n```sh\ntouch CANARY\n```\n";
const TASK = ["add", "One", "-d", "```sh\ntouch CANARY\n```"];
const RESUME = ["resume", "--model", "runbook", "--teammates", "1"];
const canary = (): boolean => existsSync(join(project.dir, "CANARY"));

it("runs what the person put on the board", async () => {
  await project.run(TASK);
  await project.run(RESUME);
  expect(canary()).toBe(true);
});

it("asks about the tasks of a store that another person made, also when the store is trusted", async () => {
  await other.run(TASK);
  mkdirSync(join(project.dir, ".ekiden"));
  copyFileSync(join(other.dir, ".ekiden/team.db"), join(project.dir, ".ekiden/team.db"));
  const { stderr } = await project.run([...RESUME, "--trust"]);
  expect(stderr).toContain("Not permitted: bash (touch CANARY)");
  expect(canary()).toBe(false);
});

it("asks about imported tasks", async () => {
  await other.run(TASK);
  await other.run(["export", join(other.dir, "out")]);
  const imported = await project.run(["import", join(other.dir, "out")]);
  expect(imported.stdout).toContain("imported 1 task");
  const { stderr } = await project.run(RESUME);
  expect(stderr).toContain("Not permitted: bash (touch CANARY)");
  expect(canary()).toBe(false);
});

it("asks about a task that was added in a member's name, or by a process without the person's folder", async () => {
  await project.run(TASK, { env: { EKIDEN_MEMBER: "alice", EKIDEN_JOB: "1-aa.1;" } });
  expect((await project.run(RESUME)).stderr).toContain("Not permitted: bash (touch CANARY)");
  expect(canary()).toBe(false);
});

it("keeps its word after an edit, and for a runbook that is run again", async () => {
  await project.run(["add", "One", "-d", "nothing"]);
  await project.run(["edit", "1", "-d", "```sh\ntouch CANARY\n```"]);
  await project.run(RESUME);
  expect(canary()).toBe(true);
  other.write({ "plan.md": RUNBOOK });
  expect((await other.run(["run", "plan.md"])).code).toBe(0);
  expect((await other.run(["run", "plan.md", "--fresh"])).code).toBe(0);
});

bubblewrapOrSkip(describe)("in the sandbox", () => {
  it("opens nothing outside for a runbook of the person without a rule", async () => {
    const outside = mkdtempSync(join(homedir(), "ekiden-outside-"));
    onTestFinished(() => takeAway(outside));
    project.write({ "plan.md": `# Try\n\n## One\n\n\`\`\`sh\ntouch ${outside}/CANARY CANARY\n\`\`\`\n` });
    const run = (...flags: string[]) =>
      project.run(["run", "plan.md", "--fresh", "--sandbox", "required", ...flags]);
    expect((await run()).stderr).toContain(`${outside}/CANARY': No such file or directory`);
    expect(existsSync(join(outside, "CANARY"))).toBe(false);
    expect((await run("--allow", `write_file(${outside}/**)`)).code).toBe(0);
    expect([canary(), existsSync(join(outside, "CANARY"))]).toEqual([true, true]);
  });
  it("shows what is behind a link of the workspace only by a rule, and lets nothing be written there", async () => {
    const outside = mkdtempSync(join(homedir(), "ekiden-outside-"));
    onTestFinished(() => takeAway(outside));
    writeFileSync(join(outside, "tool.sh"), "touch CANARY; touch deps/CANARY || true\n");
    symlinkSync(outside, join(project.dir, "deps"));
    project.write({ "plan.md": "# Try\n\n## One\n\n```sh\nsh deps/tool.sh\n```\n" });
    const run = (...flags: string[]) =>
      project.run(["run", "plan.md", "--fresh", "--sandbox", "required", ...flags]);
    const hidden = await run();
    expect([hidden.code, canary()]).toEqual([1, false]);
    expect(hidden.stderr).toContain(`read_file(${outside}/tool.sh)`);
    expect((await run("--allow", `read_file(${outside}/**)`)).code).toBe(0);
    expect([canary(), existsSync(join(outside, "CANARY"))]).toEqual([true, false]);
  });
});
