/** Hooks, background commands and cron jobs through the program itself: from settings, over kill -9, with a scripted model. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Ended, ended, Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

const script = (steps: unknown[]): void => project.write({ "script.json": JSON.stringify({ steps }) });
const settings = (value: unknown): void => project.write({ ".ekiden/settings.json": JSON.stringify(value) });
const FLAGS = (): string[] => [
  "--model",
  `scripted:${join(project.dir, "script.json")}`,
  "--permission-mode",
  "bypass",
];
const run = (...args: string[]): Promise<Ended> => project.run([...args, ...FLAGS()]);
const file = (path: string): string => readFileSync(join(project.dir, path), "utf8");
const appears = (path: string): Promise<void> =>
  expect.poll(() => existsSync(join(project.dir, path))).toBe(true);
const bash = (command: string, background = false) => ({
  tool: "bash",
  input: { command, ...(background && { run_in_background: true }) },
});
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
};

describe("hooks from the settings", () => {
  it("stand at every point of a run", async () => {
    // in one write each: hooks of several members run at once
    const log = { command: 'printf "%s\\n" "$(cat)" >> log.jsonl' };
    const events = [
      "SessionStart",
      "UserPromptSubmit",
      "PreToolUse",
      "PostToolUse",
      "Stop",
      "TeammateIdle",
      "TaskCreated",
      "TaskCompleted",
    ];
    settings({ teammates: ["alice"], hooks: Object.fromEntries(events.map((event) => [event, [log]])) });
    script([
      { who: "lead", when: "Do it", calls: [{ tool: "create_task", input: { subject: "It" } }] },
      { who: "lead", when: "Created #1", text: "On the board." },
      { who: "alice", when: "auto-claimed", calls: [bash("echo done > it.txt")] },
      { who: "alice", calls: [{ tool: "complete_task", input: { result: "it.txt" } }] },
      { who: "alice", text: "Done.", times: "any" },
      { who: "lead", when: "board_quiet", text: "All done." },
      { who: "lead", text: "I see.", times: "any" },
    ]);
    expect(await run("run", "Do it")).toMatchObject({ code: 0, stdout: "All done.\n" });
    const told = file("log.jsonl")
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(new Set(told.map((one) => one.event))).toEqual(new Set(events));
    const calls = told.filter((one) => one.event === "PreToolUse").map((one) => `${one.member} ${one.tool}`);
    expect(calls).toEqual(expect.arrayContaining(["lead create_task", "alice bash", "alice complete_task"]));
  });

  it("refuse what the person says, and then nothing has begun", async () => {
    settings({ hooks: { UserPromptSubmit: [{ command: "echo 'not today' >&2; exit 2" }] } });
    script([]);
    const refused = await run("run", "Do it");
    expect(refused.stderr).toContain("not today");
    expect(refused.code).toBe(2);
    project.write({ "plan.md": "# Plan\n## One\n## Two\n" });
    expect((await project.run(["run", "plan.md"])).stderr).toContain("not today");
    expect(await project.json(["tasks"])).toMatchObject({ tasks: [] });
    const talk = await project.run(FLAGS(), { input: "hello\n" });
    expect(talk).toMatchObject({ code: 0, stdout: expect.stringContaining("not today") });
    expect(await project.json(["inbox", "lead"])).toMatchObject({ mail: [] });
  });

  it("hold up a call that is permitted, and are not asked about one that is not", async () => {
    const command = "tee -a asked.txt | grep -q forbidden && { echo 'no: forbidden' >&2; exit 2; }; exit 0";
    settings({ hooks: { PreToolUse: [{ matcher: "bash", command }] } });
    script([
      { who: "lead", when: "Do it", calls: [bash("touch forbidden")] },
      { who: "lead", text: "I may not." },
    ]);
    expect(await run("run", "Do it")).toMatchObject({ code: 0, stdout: "I may not.\n" });
    expect(existsSync(join(project.dir, "forbidden"))).toBe(false);
    expect(file("asked.txt")).toContain("touch forbidden");
    // Headless, without a rule that allows it: refused before any hook could say yes.
    script([
      { who: "lead", when: "Again", calls: [bash("touch .envrc")] },
      { who: "lead", text: "I may not either." },
    ]);
    const [model = "", spec = ""] = FLAGS();
    expect(await project.run(["run", "Again", model, spec, "--team", "other"])).toMatchObject({
      stdout: "I may not either.\n",
    });
    expect(existsSync(join(project.dir, ".envrc"))).toBe(false);
    expect(file("asked.txt")).not.toContain(".envrc");
  });

  it("that are written wrongly are named with file and line", async () => {
    project.write({ ".ekiden/settings.json": '{\n  "hooks": {\n    "PreToolUze": []\n  }\n}' });
    expect((await project.run(["tasks"])).stderr).toMatch(/settings\.json:3: .*PreToolUze/);
  });
});

it("hears what the person says in another terminal, too", async () => {
  settings({
    hooks: {
      UserPromptSubmit: [{ command: "grep -q secret && { echo no secrets >&2; exit 2; }; echo on main" }],
    },
  });
  expect(await project.run(["add", "a task"])).toMatchObject({ code: 0 });
  const refused = await project.run(["send", "lead", "my secret"]);
  expect(refused).toMatchObject({ code: expect.any(Number), stderr: expect.stringContaining("no secrets") });
  expect(refused.code).not.toBe(0);
  // Nobody reads it before the team is started again.
  expect(await project.run(["send", "lead", "hello"])).toMatchObject({
    ...{ code: 0, stderr: "sent to lead; no process runs the team now. To start it: ekiden resume\n" },
  });
  const { stdout } = await project.run(["inbox", "lead"]);
  expect(stdout).toMatch(/hello\s+\[added by a hook\]\s+on main/);
  expect(stdout).not.toContain("secret");
});

describe("a background command of the lead", () => {
  it("keeps the run from ending, and its mail is what continues", async () => {
    script([
      {
        who: "lead",
        when: "Build",
        calls: [bash("until [ -e gate ]; do sleep 0.05; done; echo built", true)],
      },
      { who: "lead", when: "Started j1", text: "Building." },
      { who: "lead", when: "built", calls: [{ tool: "check_background" }] },
      { who: "lead", when: "j1: done (exit code 0)", text: "It is built." },
    ]);
    const building = ended(project.start(["run", "Build", ...FLAGS()]));
    await expect
      .poll(async () => (await project.store({ access: "use" })).roster.members())
      .toMatchObject([{ activity: { phase: "idle" } }]);
    project.write({ gate: "" });
    expect(await building).toMatchObject({ code: 0, stdout: "It is built.\n" });
  });

  it("can be looked at and ended in the stint that started it", async () => {
    script([
      { who: "lead", when: "Serve", calls: [bash("echo up; exec sleep 300", true)] },
      { who: "lead", when: "Started j1", calls: [{ tool: "check_background", input: { id: "j1" } }] },
      { who: "lead", when: "j1: running", calls: [{ tool: "stop_background", input: { id: "j1" } }] },
      { who: "lead", when: "j1 is stopped", text: "Cleaned up." },
    ]);
    expect(await run("run", "Serve")).toMatchObject({ code: 0, stdout: "Cleaned up.\n" });
  });

  it("that runs when its process is killed ends with it, and is reported at the next start", async () => {
    script([
      { who: "lead", when: "Serve", calls: [bash("echo $$ > pid; exec sleep 300", true)] },
      {
        who: "lead",
        when: "Started j1",
        calls: [bash("touch begun; while [ -e begun ]; do sleep 0.1; done")],
      },
      { who: "lead", when: "It has ended, and its exit code is unknown", text: "Cleaned up." },
      { who: "lead", text: "I continue.", times: "any" },
    ]);
    // In a sandbox the command ends with its supervisor; here it ends by the warden.
    const child = project.start(["run", "Serve", ...FLAGS()], { EKIDEN_SANDBOX: "off" });
    const first = ended(child);
    await appears("begun");
    await expect.poll(() => Number(file("pid"))).toBeGreaterThan(0);
    const pid = Number(file("pid"));
    child.kill("SIGKILL");
    await first;
    await expect.poll(() => isAlive(pid)).toBe(false);
    const { code, stdout } = await run("resume");
    expect([code, stdout]).toEqual([0, "Cleaned up.\n"]);
    expect((await project.run(["log"])).stdout).toMatch(/j1 was lost with the process that ran it/);
  });
});
