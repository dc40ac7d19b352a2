/** A runbook that is run again, tasks without a model, and a team that has concluded. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

const fence = (text: string, language = "sh"): string => `\`\`\`${language}\n${text}\n\`\`\`\n`;
const PLAN = `# Build it
## Fetch
${fence("echo fetched >> fetched.txt")}## Build
After: Fetch
${fence("exit 3")}## Ship
After: Build
${fence("echo shipped > shipped.txt")}`;
const FIXED = PLAN.replace("exit 3", "echo built");

type Board = { tasks: { id: number; subject: string; status: string; reason: string | null }[] };
const board = async (): Promise<string[]> =>
  (await project.json<Board>(["tasks"])).tasks.map(({ id, subject, status }) => `${id} ${subject} ${status}`);
/** Everything that is in the store. */
const journal = async (): Promise<string> => (await project.run(["log", "--json"])).stdout;

describe("a runbook that is run again", () => {
  it("continues after its file was corrected, and leaves what is completed", async () => {
    project.write({ "plan.md": PLAN });
    expect((await project.run(["run", "plan.md"])).code).toBe(1);
    project.write({ "plan.md": FIXED });
    const again = await project.run(["run", "plan.md"]);
    expect(again.stderr).toContain(
      "plan.md is on the board already, continuing (1 of 3 completed; 1 failed, tried again; 1 changed). To start over: --fresh",
    );
    expect(again.code, again.stderr).toBe(0);
    expect(await board()).toEqual(["1 Fetch completed", "2 Build completed", "3 Ship completed"]);
    expect(readFileSync(join(project.dir, "fetched.txt"), "utf8")).toBe("fetched\n");
    expect(existsSync(join(project.dir, "shipped.txt"))).toBe(true);
  });

  it("takes tasks that are new in the file", async () => {
    project.write({ "plan.md": PLAN });
    await project.run(["run", "plan.md"]);
    const more = FIXED.replace("After: Build", "After: Test").concat(
      `## Test\nAfter: Build\n${fence("test ! -e shipped.txt")}`,
    );
    project.write({ "plan.md": more });
    expect(await project.run(["run", "plan.md"])).toMatchObject({ code: 0 });
    expect(await board()).toHaveLength(4);
    expect(await project.json(["tasks", "3"])).toMatchObject({ task: { blockedBy: [2, 4] } });
  });

  it("says so when nothing is left, and starts again with --fresh", async () => {
    project.write({ "plan.md": FIXED });
    await project.run(["run", "plan.md"]);
    const before = await journal();
    const again = await project.run(["run", "plan.md"]);
    expect(again).toMatchObject({ code: 0, stdout: "" });
    expect(again.stderr).toMatch(
      /^nothing left to do: plan\.md is on the board \(3 completed\)\..*--fresh\n$/,
    );
    const json = await project.run(["run", "plan.md", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ type: "team.finished", completed: 3, failed: 0 });
    expect(await journal()).toBe(before);
    expect(await project.run(["run", "plan.md", "--fresh"])).toMatchObject({ code: 0 });
    expect(await board()).toHaveLength(6);
    expect(readFileSync(join(project.dir, "fetched.txt"), "utf8")).toBe("fetched\nfetched\n");
  });

  it("is told apart from another one with like-named tasks", async () => {
    project.write({ "a.md": FIXED, "b.md": FIXED.replace("# Build it", "# Build the other") });
    expect(await project.run(["run", "a.md"])).toMatchObject({ code: 0 });
    const { code, stderr } = await project.run(["run", "b.md"]);
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain("nothing left to do");
    expect(await board()).toHaveLength(6);
    expect(readFileSync(join(project.dir, "fetched.txt"), "utf8")).toBe("fetched\nfetched\n");
  });

  it("gives up with --fresh what an earlier run has left", async () => {
    project.write({ "plan.md": PLAN });
    await project.run(["run", "plan.md"]);
    project.write({ "plan.md": FIXED });
    expect(await project.run(["run", "plan.md", "--fresh"])).toMatchObject({ code: 0 });
    expect(await board()).toEqual([
      "1 Fetch completed",
      "2 Build cancelled",
      "3 Ship cancelled",
      "4 Fetch completed",
      "5 Build completed",
      "6 Ship completed",
    ]);
  });
});

describe("without a model", () => {
  it("a task in prose, or in a language that cannot be run, is not completed", async () => {
    project.write({
      "plan.md": `# Do\n## Think\nHard.\n## Paint\n${fence("x", "ruby")}## Run\n${fence("print(6*7)", "python")}`,
    });
    const { code, stderr } = await project.run(["run", "plan.md"]);
    expect(code).toBe(1);
    expect(stderr).toContain("failed #1 Think: no sh block; needs a model");
    expect(await board()).toEqual(["1 Think failed", "2 Paint failed", "3 Run completed"]);
    expect(await project.json(["tasks", "3"])).toMatchObject({ task: { result: "42" } });
  });
});

it("a runbook's run leaves prose of others alone", async () => {
  project.write({
    "plan.md": `# Do\n## Run\n${fence("echo ran >> ran.txt")}## Again\nAfter: Run\n${fence("echo ran >> ran.txt")}`,
  });
  // Put there by a person, before and behind tasks of the runbook.
  const add = (text: string, ...more: string[]) => project.run(["add", text, ...more]);
  await add("Write a novel", "--priority", "5");
  await add("Print it", "--after", "1", "--description", fence("echo never >> ran.txt"));
  await add("Say it", "--description", fence("echo said >> ran.txt"));
  const { code, stderr, stdout } = await project.run(["run", "plan.md"]);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("#1 Write a novel: ready, but it has no block that can be run");
  expect(await board()).toEqual([
    "1 Write a novel pending",
    "2 Print it pending",
    "3 Say it completed",
    "4 Run completed",
    "5 Again completed",
  ]);
  expect(await project.json(["tasks", "1"])).toMatchObject({ task: { attempt: 0 } });
}, 60_000);

describe("resume", () => {
  it("of a team that has concluded changes nothing and needs no model", async () => {
    const script = { steps: [{ who: "lead", text: "All done.", times: "any" }] };
    project.write({ "script.json": JSON.stringify(script) });
    await project.run(["run", "Do it", "--model", `scripted:${join(project.dir, "script.json")}`]);
    const before = await journal();
    const none = { env: { OLLAMA_HOST: "http://127.0.0.1:9" } };
    expect(await project.run(["resume"], none)).toEqual({
      code: 0,
      stdout: "",
      stderr: "nothing left to do: 0 completed.\n",
    });
    expect(await journal()).toBe(before);
  });

  it("says which tasks failed; once they are given up, all is well", async () => {
    project.write({ "plan.md": PLAN.slice(0, PLAN.indexOf("## Ship")) });
    expect((await project.run(["run", "plan.md"])).code).toBe(1);
    const resumed = await project.run(["resume"]);
    expect(resumed).toMatchObject({ code: 1, stderr: expect.stringContaining("1 completed, 1 failed.") });
    expect((await project.run(["cancel", "2", "not", "needed"])).stderr).toBe("#2 is cancelled\n");
    expect((await project.run(["resume"])).code).toBe(0);
    await project.run(["add", "Look", "-d", fence("true")]);
    expect((await project.run(["resume"])).code).toBe(0);
    expect(await board()).toEqual(["1 Fetch completed", "2 Build cancelled", "3 Look completed"]);
  });
});

it("reads a goal from stdin", async () => {
  const script = { steps: [{ who: "lead", when: "Paint the\nfence", text: "Painted.", times: "any" }] };
  project.write({ "script.json": JSON.stringify(script) });
  const run = await project.run(["run", "-", "--model", `scripted:${join(project.dir, "script.json")}`], {
    input: "Paint the\nfence\n",
  });
  expect(run).toMatchObject({ code: 0, stdout: "Painted.\n" });
});
