/** Somebody sets the clock of the machine while a team works: no task is lost or done twice, nobody counts as dead, and the run ends. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type Placed, projectOn } from "../../fixtures/project-on.ts";
import { soon } from "../../fixtures/soon.ts";
import { BACKENDS } from "../../fixtures/stage.ts";
import { ended, type Project } from "../cli-program.ts";

const SHIFTED = resolve(import.meta.dirname, "../../fixtures/shifted-clock.cjs");
const HOUR = 3_600_000;

describe.each(BACKENDS)("on %s the clock is set", (backend) => {
  let project: Project;
  let env: Record<string, string> = {};
  let tasks: Placed["tasks"];
  beforeEach(() => {
    const on = projectOn(backend);
    project = on.project;
    tasks = on.tasks;
    env = {
      ...on.env,
      TEST_CLOCK: join(project.dir, "clock"),
      NODE_OPTIONS: `--require ${SHIFTED}`,
    };
  });

  const task = (name: string): string =>
    `## ${name}\n\`\`\`sh\necho begin >> ${name}\nuntil [ -e go-${name} ]; do sleep 0.05; done\necho end >> ${name}\n\`\`\`\n`;
  const began = (name: string): Promise<void> =>
    soon(() => expect(existsSync(join(project.dir, name)), name).toBe(true));
  const set = (ms: number): void => writeFileSync(join(project.dir, "clock"), String(ms));
  const go = (name: string): void => writeFileSync(join(project.dir, `go-${name}`), "");

  // A run and a worker, on one machine, whose clock is the same for both.
  it.each([
    ["ahead", [HOUR]],
    ["back", [-HOUR]],
    ["ahead by a day, then back", [24 * HOUR, 0]],
    ["back by a day, then ahead", [-24 * HOUR, 0]],
    ["ahead by more than a lease, again and again", [20_000, 40_000, 60_000, 80_000]],
  ])("%s", async (_, shifts) => {
    set(0);
    project.write({ "plan.md": `# Goal\n\n${["a", "b", "c"].map(task).join("\n")}` });
    const args = ["--sandbox", "off", "--allow", "bash"];
    const run = ended(project.start(["run", "plan.md", "--teammates", "1", ...args], env));
    await began("a");
    const worker = project.start(["worker", "--model", "runbook", "--count", "1", ...args], env);
    const workerOver = ended(worker);
    await began("b");
    for (const shift of shifts) {
      set(shift);
      // Both have renewed their leases by the new clock, or noticed that they are late.
      const before = (await project.run(["log", "--json"], { env })).stdout.length;
      await project.run(["add", `at ${shift}`, "-d", "```sh\ntrue\n```"], { env });
      await soon(async () =>
        expect((await project.run(["log", "--json"], { env })).stdout.length).toBeGreaterThan(before),
      );
    }
    for (const name of ["a", "b", "c"]) go(name);
    const over = await run;
    expect(over.code, over.stderr).toBe(0);
    worker.kill("SIGTERM");
    expect((await workerOver).code).toBe(0);
    for (const name of ["a", "b", "c"])
      expect(readFileSync(join(project.dir, name), "utf8"), name).toBe("begin\nend\n");
    const done = await tasks();
    expect(done.map(({ status, attempt }) => [status, attempt])).toEqual(done.map(() => ["completed", 1]));
  });
});
