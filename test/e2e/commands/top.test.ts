/** `ekiden top` on a terminal (that of `script`), beside a team of another process. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { afterEach, beforeEach, expect, inject, it, onTestFinished } from "vitest";
import { sampled } from "../../fixtures/fuzz.ts";
import { dropSchema } from "../../fixtures/stage.ts";
import { EKIDEN, ended, Project } from "../cli-program.ts";

let project: Project;
const screens: ChildProcess[] = [];
beforeEach(() => {
  project = new Project();
});
afterEach(async () => {
  for (const screen of screens.splice(0)) screen.kill("SIGKILL");
  await project.end();
});

const hasScript = spawnSync("script", ["--version"]).status === 0;

/** A screen of 24 rows of 80 columns. */
function top(...args: string[]) {
  const line = `stty rows 24 columns 80; ${EKIDEN} --cwd '${project.dir}' top ${args.join(" ")}`;
  const child = spawn("script", ["-qfec", line, "/dev/null"], {
    env: { PATH: process.env.PATH, TERM: "xterm", NO_COLOR: "1", HOME: project.home, EKIDEN_TRUST: "1" },
  });
  screens.push(child);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return { child, text: () => text, type: (keys: string) => child.stdin.write(keys) };
}

const PLAN = "# Goal\n## Count\n```sh\nuntil test -e go; do echo counting; sleep 0.1; done\n```\n";

it.runIf(hasScript)(
  "shows a team that another process runs as it works, and leaves the screen as it was",
  async () => {
    project.write({ "plan.md": PLAN });
    const started = project.start(["run", "plan.md", "--teammates", "1"], { EKIDEN_LEASE_MS: "3000" });
    const run = ended(started);
    await expect.poll(async () => (await project.run(["tasks"])).stdout).toContain("in progress");
    const { child, text, type } = top();
    await expect.poll(text).toMatch(/team default · running/);
    await expect.poll(text).toMatch(/#1 Count +▶ in progress/);
    await expect.poll(text).toMatch(/… {2}counting/);
    started.kill("SIGSTOP");
    await expect.poll(text).toMatch(/process \d+ stands still/);
    started.kill("SIGCONT");
    project.write({ go: "" });
    // Only cells that change are drawn.
    await expect.poll(text).toContain("✓ completed alice");
    expect((await run).code).toBe(0);
    await expect.poll(text).toMatch(/at rest/);
    type("q");
    expect(await new Promise((done) => child.once("close", done))).toBe(0);
    expect(text()).toContain("\x1b[?1049h");
    expect(text().split("\x1b[?1049l").at(-1)?.trim()).toBe("\x1b[?25h"); // the cursor is back, nothing else
  },
);

it.runIf(hasScript).each(sampled(["sqlite", "postgres"], 2))(
  "goes from team to team on %s, and writes nothing",
  async (kind) => {
    const url = new URL(inject("postgresUrl"));
    const schema = `top_${process.pid}`;
    url.searchParams.set("schema", schema);
    const where = kind === "postgres" ? ["--store", url.href] : [];
    onTestFinished(async () => {
      if (kind === "postgres") await dropSchema(inject("postgresUrl"), schema);
    });
    await project.run([...where, "add", "First things"]);
    await project.run([...where, "--team", "other", "add", "Second things"]);
    const before = (await project.run([...where, "log", "--json"])).stdout;
    const { child, text, type } = top(...where.map((word) => `'${word}'`));
    await expect.poll(text).toContain("First things");
    type("t");
    await expect.poll(text).toContain("Second things");
    type("\x1b");
    expect(await new Promise((done) => child.once("close", done))).toBe(0);
    expect(before).not.toBe("");
    expect((await project.run([...where, "log", "--json"])).stdout).toBe(before);
  },
);

it("needs a terminal", async () => {
  await project.run(["add", "x"]);
  const { code, stderr } = await project.run(["top"]);
  expect(stderr).toContain("For programs: ekiden team --json");
  expect(code).toBe(2);
});
