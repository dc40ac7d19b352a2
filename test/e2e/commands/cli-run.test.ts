/** Teams hosted by the command line: runbooks without a model, a scripted lead, interruption and what comes after it. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Ended, ended, Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

const DIAMOND = `# Say what is here
## Left
\`\`\`sh
echo left > left.txt
\`\`\`
## Right
\`\`\`sh
echo right > right.txt
\`\`\`
## Report
After: Left, Right
\`\`\`sh
cat left.txt right.txt > report.txt && cat report.txt
\`\`\`
`;
/** Begins, then waits until it is let continue. */
const WAITS = `# Wait for it
## Wait
\`\`\`sh
touch begun; while [ ! -e go ]; do sleep 0.05; done; echo continued
\`\`\`
`;

type Line = Record<string, unknown> & { type: string };
const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
type Board = {
  tasks: { subject: string; status: string; owner: string | null; attempt: number; waitsFor: number[] }[];
};

/** Resolves when the file is there. */
async function appears(file: string): Promise<void> {
  await expect.poll(() => existsSync(join(project.dir, file))).toBe(true);
}

describe("a runbook", () => {
  it("runs to its end: results on stdout, a feed on stderr, code 0", async () => {
    project.write({ "plan.md": DIAMOND });
    const run = await project.run(["run", "plan.md"]);
    expect(run).toMatchObject({ code: 0, stdout: "The runbook has ended: 3 of 3 tasks completed.\n" });
    expect(run.stderr).toMatch(/person +added #3 Report, after #1 #2\n/);
    expect(run.stderr).toMatch(
      /finished: 3 completed\ntasks: 3 completed · 3 files changed · \d+s\nTo read the last words again: ekiden inbox person --cwd \S+\n$/,
    );
    expect(run.stderr + run.stdout).not.toContain("\x1b");
    expect(readFileSync(join(project.dir, "report.txt"), "utf8")).toBe("left\nright\n");
    const { tasks } = await project.json<Board>(["tasks"]);
    expect(tasks.map(({ status, attempt }) => [status, attempt])).toEqual([
      ["completed", 1],
      ["completed", 1],
      ["completed", 1],
    ]);
    expect(tasks.every(({ owner }) => /^(alice|bob|carol)$/.test(owner ?? ""))).toBe(true);
  });

  it("writes the journal as JSON Lines, ending with team.finished, and nothing else", async () => {
    project.write({ "plan.md": DIAMOND });
    const run = await project.run(["run", "plan.md", "--json"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const lines = linesOf(run.stdout);
    expect(lines.at(-1)).toMatchObject({
      type: "team.finished",
      completed: 3,
      failed: 0,
      reason: "concluded",
      files: 3,
      landed: 0,
      tokens: 0,
      usd: 0,
      ms: expect.any(Number),
    });
    expect(lines.filter(({ type }) => type === "task.completed")).toHaveLength(3);
    expect(lines.filter(({ type }) => type === "team.finished")).toHaveLength(1);
    const seqs = lines.map(({ seq }) => seq as number);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  });

  it("is quiet when it is told to be", async () => {
    project.write({ "plan.md": DIAMOND });
    expect(await project.run(["run", "plan.md", "--quiet"])).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("3 of 3"),
    });
  });

  it("ends with 1 when a step fails; what depends on it stays where it is", async () => {
    project.write({ "plan.md": DIAMOND.replace("echo left > left.txt", "echo no luck; exit 7") });
    const run = await project.run(["run", "plan.md"]);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/1 completed, 1 failed, 1 unfinished/);
    const { tasks } = await project.json<Board>(["tasks"]);
    expect(tasks).toMatchObject([
      { status: "failed" },
      { status: "completed" },
      { status: "pending", waitsFor: [1], attempt: 0 },
    ]);
    expect(existsSync(join(project.dir, "report.txt"))).toBe(false);
  });

  it.each([
    ["a cycle", "# G\n## A\nAfter: B\n## B\nAfter: A\n", /A.*B|cycle/s],
    ["an unknown After", "# G\n## Build\n## Ship\nAfter: Biuld\n", /Biuld/],
    ["no tasks", "# G\n", /no tasks/],
    ["no goal", "## A\n", /no goal/],
    ["a broken fence", "# G\n## A\n```sh\necho\n", /line 3/],
  ])("with %s is refused before anything is made", async (_what, text, message) => {
    project.write({ "plan.md": text });
    const run = await project.run(["run", "plan.md"]);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toMatch(message);
    expect(run.stderr).not.toMatch(/\n\s+at /);
    expect(existsSync(join(project.dir, ".ekiden"))).toBe(false);
  });
});

describe("models", () => {
  it("that are missing, unknown or refused end with 3 and say what to set", async () => {
    const none = await project.run(["run", "do it"], { env: { OLLAMA_HOST: "http://127.0.0.1:9" } });
    expect(none).toMatchObject({ code: 3, stdout: "" });
    expect(none.stderr).toMatch(/^ekiden: No model is configured\. Set one of ANTHROPIC_API_KEY.*\n$/);
    const unknown = await project.run(["run", "do it", "--model", "antropic/x"]);
    expect(unknown).toMatchObject({ code: 3, stderr: expect.stringContaining('Did you mean "anthropic"') });
    const keyless = await project.run(["run", "do it", "--model", "openai/x"]);
    expect(keyless).toMatchObject({ code: 3, stderr: expect.stringContaining("OPENAI_API_KEY") });
  });
});

describe("an interruption", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "by %s keeps everything, and resume continues",
    async (signal) => {
      project.write({ "plan.md": WAITS });
      const child = project.start(["run", "plan.md"]);
      const run = ended(child);
      await appears("begun");
      child.kill(signal);
      const { code, stderr } = await run;
      expect(stderr).toMatch(/interrupted; `ekiden resume --cwd \S+` continues/);
      expect(code).toBe(130);
      expect((await project.json<Board>(["tasks"])).tasks).toMatchObject([
        { status: "in_progress", owner: "alice", attempt: 1 },
      ]);
      expect((await project.run(["team"])).stdout).toMatch(/alice@default +not running, has #1 Wait/);
      project.write({ go: "" });
      expect(await project.run(["resume"])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("1 of 1 tasks completed"),
      });
      expect((await project.json<Board>(["tasks"])).tasks).toMatchObject([
        { status: "completed", owner: "alice", attempt: 1 },
      ]);
    },
  );

  it("after kill -9, resume continues as well", async () => {
    project.write({ "plan.md": WAITS });
    const child = project.start(["run", "plan.md"]);
    await appears("begun");
    const run = ended(child);
    child.kill("SIGKILL");
    await run;
    project.write({ go: "" });
    expect(await project.run(["resume"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("1 of 1 tasks completed"),
    });
  });
});

describe("from another terminal", () => {
  it("a team can be watched and stopped", async () => {
    project.write({ "plan.md": WAITS });
    const child = project.start(["run", "plan.md"]);
    const run = ended(child);
    await appears("begun");
    expect((await project.run(["team"])).stdout).toMatch(/alice@default +#1 Wait/);
    const stopped = await project.json<{ members: { name: string; stopped: boolean }[] }>(["stop", "--now"]);
    expect(stopped.members.map(({ name, stopped: is }) => [name, is])).toEqual([
      ["alice", true],
      ["lead", true],
    ]);
    expect((await run).code).toBe(1);
    expect((await project.json<Board>(["tasks"])).tasks).toMatchObject([{ status: "pending", owner: null }]);
    expect(await project.run(["stop", "alice"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("has stopped already"),
    });
  });
});

it("ends also when more reports wait for the lead than it looks at in one go", async () => {
  const tasks = Array.from({ length: 60 }, (_, i) => `## Task ${i}\n\`\`\`sh\ntrue\n\`\`\`\n`);
  project.write({ "plan.md": `# Many\n${tasks.join("")}` });
  expect(await project.run(["run", "plan.md"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("60 of 60 tasks completed"),
  });
});

it("resume sets teammates to work on a board that a person has filled", async () => {
  await project.run(["add", "Touch it", "-d", "```sh\ntouch it\n```"]);
  expect(await project.run(["resume", "--model", "runbook"])).toMatchObject({ code: 0 });
  expect((await project.json<Board>(["tasks"])).tasks).toMatchObject([
    { status: "completed", owner: "alice" },
  ]);
});

describe("a second process of the team", () => {
  /** One that hosts the team, and one that finds it at work. */
  async function two(): Promise<{ first: ChildProcess; ends: [Promise<Ended>, Promise<Ended>] }> {
    project.write({ "plan.md": WAITS });
    const first = project.start(["run", "plan.md"]);
    const run = ended(first);
    await appears("begun");
    const second = project.start(["resume"]);
    const resumed = ended(second);
    await once(second.stderr ?? second, "data"); // "the team was resumed"
    return { first, ends: [run, resumed] };
  }

  it("ends with it", async () => {
    const { ends } = await two();
    project.write({ go: "" });
    expect((await Promise.all(ends)).map(({ code }) => code)).toEqual([0, 0]);
  });

  it("leaves nothing in the journal of a team that it only watched", async () => {
    project.write({ "plan.md": WAITS });
    const first = ended(project.start(["run", "plan.md"]));
    await appears("begun");
    const second = project.start(["resume", "--json"]);
    const watched = ended(second);
    await once(second.stdout ?? second, "data");
    second.kill("SIGINT");
    const { code, stdout } = await watched;
    expect([code, linesOf(stdout).at(-1)]).toMatchObject([
      130,
      { type: "team.finished", reason: "interrupted", unfinished: 1 },
    ]);
    project.write({ go: "" });
    expect(await first).toMatchObject({ code: 0 });
    const facts = linesOf((await project.run(["log", "--json"])).stdout);
    expect(facts.filter(({ type }) => type === "team.finished")).toMatchObject([{ reason: "concluded" }]);
  });

  it("takes it over when the first is interrupted", async () => {
    const { first, ends } = await two();
    first.kill("SIGINT");
    expect(await ends[0]).toMatchObject({ code: 130 });
    project.write({ go: "" });
    expect(await ends[1]).toMatchObject({ code: 0 });
    expect((await project.json<Board>(["tasks"])).tasks).toMatchObject([
      { status: "completed", owner: "alice", attempt: 1 },
    ]);
  });
});

it("continues where a stint was too short for what the lead does itself", async () => {
  const steps = ["one", "two", "three", "four", "five"].map((word, i) => ({
    who: "lead",
    when: ["Do it", "one", "two", "three", "four"][i],
    // An echo of its own words would tell it nothing new.
    calls: [{ tool: "bash", input: { command: `echo ${[...word].reverse().join("")} | rev` } }],
  }));
  project.write({
    "script.json": JSON.stringify({ steps: [...steps, { who: "lead", when: "five", text: "All five." }] }),
    ".ekiden/settings.json": JSON.stringify({ turnsPerStint: 2 }),
  });
  const args = ["run", "Do it", "--model", `scripted:${join(project.dir, "script.json")}`];
  expect(await project.run(args)).toMatchObject({ code: 0, stdout: "All five.\n" });
  expect(await project.run([...args, "--team", "other", "--max-turns", "3"])).toMatchObject({ code: 4 });
});

it("ends although a teammate has left a server running, which the lead is told of and nothing survives", async () => {
  const server = "echo $$ > pid; while :; do echo tick; sleep 0.1; done";
  const steps = [
    {
      who: "lead",
      when: "Serve it",
      calls: ["Start", "Look"].map((subject) => ({ tool: "create_task", input: { subject } })),
    },
    { who: "lead", when: "#2", calls: [{ tool: "spawn_teammate", input: { name: "alice", prompt: "" } }] },
    { who: "lead", when: "j1 of alice: echo", text: "It serves." },
    { who: "lead", text: "I see.", times: "any" },
    {
      who: "alice",
      when: "Start",
      calls: [{ tool: "bash", input: { command: server, run_in_background: true } }],
    },
    {
      who: "alice",
      when: "Started j1",
      calls: [{ tool: "bash", input: { command: "until [ -s pid ]; do sleep 0.02; done; echo it is up" } }],
    },
    { who: "alice", when: "it is up", calls: [{ tool: "complete_task", input: { result: "up" } }] },
    // A server of another task is nothing to wait for: it is reminded of this one.
    { who: "alice", when: 'auto-claimed task="2"', text: "It answers." },
    { who: "alice", when: 'own-task task="2"', calls: [{ tool: "complete_task", input: { result: "ok" } }] },
    { who: "alice", text: "Done.", times: "any" },
  ];
  project.write({ "script.json": JSON.stringify({ steps }) });
  const script = `scripted:${join(project.dir, "script.json")}`;
  // In the sandbox the pid would be one of another namespace.
  const run = await project.run(["run", "Serve it", "--model", script, "--allow", "bash"], {
    env: { EKIDEN_SANDBOX: "off" },
  });
  expect(run).toMatchObject({ code: 0, stdout: "It serves.\n" });
  const pid = Number(readFileSync(join(project.dir, "pid"), "utf8"));
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

describe("talking to the lead through a pipe", () => {
  const script = (steps: unknown[]): void => project.write({ "script.json": JSON.stringify({ steps }) });
  const talk = (input: string, ...more: string[]) =>
    project.run(["--model", `scripted:${join(project.dir, "script.json")}`, ...more], { input });

  it("answers each line before it reads the next, and ends after the last", async () => {
    script([
      { who: "lead", when: "hello", text: "Hello, person." },
      { who: "lead", when: "and now", text: "Now this." },
    ]);
    const { code, stdout, stderr } = await talk("hello\n\n/tasks\n/taks\nand now?\n");
    expect(stdout.split("\n")).toEqual([
      "Hello, person.",
      'The board is empty. Put a task on it: ekiden add "…"',
      'unknown command "/taks". Did you mean "/tasks"?',
      "Now this.",
      "",
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    const inbox = await project.json<{ mail: { body: { text: string } }[] }>(["inbox", "lead"]);
    expect(inbox.mail.map(({ body }) => body.text)).toEqual(["hello", "and now?"]);
  });

  it("waits for the team that the lead has set to work", async () => {
    script([
      {
        who: "lead",
        when: "begin",
        text: "I begin.",
        calls: [
          { tool: "create_task", input: { subject: "Look" } },
          { tool: "spawn_teammate", input: { name: "alice", role: "", prompt: "" } },
        ],
      },
      { who: "alice", when: "auto-claimed", calls: [{ tool: "complete_task", input: { result: "seen" } }] },
      { who: "alice", text: "Done.", times: "any" },
      { who: "lead", when: "board_quiet", text: "All is done." },
      { who: "lead", text: "I see.", times: "any" },
    ]);
    const { code, stdout } = await talk("begin\n");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^I begin\.\n/);
    expect(stdout).toMatch(/^[\d:]{8} {2}alice +completed #1 .*: seen$/m);
    expect(stdout).toMatch(/^All is done\.$/m);
    expect((await project.json<Board>(["tasks"])).tasks).toMatchObject([
      { subject: "Look", status: "completed" },
    ]);
  });

  it("keeps the team when the person leaves", async () => {
    script([{ who: "lead", when: "hello", text: "Hello." }]);
    expect(await talk("hello\n/quit\nnever read\n")).toMatchObject({ code: 0, stdout: "Hello.\n" });
    expect((await project.run(["team"])).stdout).toMatch(/^lead@default +lead +not running/m);
  });

  it("ends at once when there is nothing to say", async () => {
    script([]);
    expect(await talk("")).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

describe("the end of a run", () => {
  const steps = [
    {
      who: "lead",
      when: "Write it",
      calls: [{ tool: "write_file", input: { path: "notes.md", content: "x" } }],
      usage: { inputTokens: 1_000, outputTokens: 200 },
      usd: 0.5,
    },
    { who: "lead", text: "It is written.", times: "any" },
  ];
  const args = (): string[] => [
    "run",
    "Write it",
    "--model",
    `scripted:${join(project.dir, "script.json")}`,
    "--allow",
    "write_file",
  ];

  it("is a summary: files, tokens, dollars, time, and where the last words are", async () => {
    project.write({ "script.json": JSON.stringify({ steps }) });
    const { stderr, stdout } = await project.run(args());
    expect(stdout).toBe("It is written.\n");
    expect(stderr).toMatch(
      /\n1 file changed · 1\.2k tokens · \$0\.50 · \d+s\nTo read .*: ekiden inbox person --cwd \S+\n$/,
    );
    expect((await project.run(["inbox", "person"])).stdout).toContain("It is written.");
    expect((await project.run([...args(), "--quiet"])).stderr).toBe("");
  });

  it("is the last object of --json, too", async () => {
    project.write({ "script.json": JSON.stringify({ steps }) });
    const last = linesOf((await project.run([...args(), "--json"])).stdout).at(-1);
    expect(last).toMatchObject({ type: "team.finished", files: 1, landed: 0, usd: 0.5 });
    expect(last?.tokens).toBe(1_200);
  });

  it("names the report of a runbook", async () => {
    const text =
      "# Report\nReport: out/report.md\n## Write\n```sh\nmkdir out && echo x > out/report.md\n```\n";
    project.write({ "plan.md": text });
    // The file of the command is counted, too.
    expect((await project.run(["run", "plan.md"])).stderr).toMatch(
      /\ntasks: 1 completed · 1 file changed · \d+s\nRead out\/report\.md\n$/,
    );
    expect(linesOf((await project.run(["run", "plan.md", "--fresh", "--json"])).stdout).at(-1)).toMatchObject(
      {
        report: "out/report.md",
      },
    );
  });
});
