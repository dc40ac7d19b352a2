/** Somebody sets the clock of the machine while a team works: no task is lost or done twice, nobody counts as dead, and the run ends. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/adapters/clock.ts";
import { instant, PERSON } from "../../../src/core/ids.ts";
import type { Store } from "../../../src/ports/index.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { type Placed, projectOn } from "../../fixtures/project-on.ts";
import { soon } from "../../fixtures/soon.ts";
import { BACKENDS } from "../../fixtures/stage.ts";
import { ended, type Project } from "../cli-program.ts";

const SHIFTED = resolve(import.meta.dirname, "../../fixtures/shifted-clock.cjs");
/** How often a program there reads the clock. */
const READ_MS = 20;
const LEASE_MS = 4_000;
const HOUR = 3_600_000;

describe.each(sampled(BACKENDS, 2))("on %s the clock is set", (backend) => {
  let project: Project;
  let env: Record<string, string> = {};
  let store: Placed["store"];
  let tasks: Placed["tasks"];
  beforeEach(() => {
    const on = projectOn(backend);
    ({ project, store, tasks } = on);
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
  let shift = 0;
  const set = (ms: number): void => {
    shift = ms;
    writeFileSync(join(project.dir, "clock"), String(ms));
  };
  /** As the machine has it. */
  const clock = { ...systemClock, now: () => instant(Date.now() + shift) };
  /** The times since a moment at which the hosts here renewed their leases, by this clock. */
  const renewals = async (team: Store, since: number): Promise<number> => {
    const times = (await team.roster.hosts()).map(({ leaseUntil }) => leaseUntil - LEASE_MS);
    return times.filter((time) => time >= since && time <= clock.now()).length;
  };
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
    project.write({
      ".ekiden/settings.json": JSON.stringify({ leaseMs: LEASE_MS }),
      "plan.md": `# Goal\n\n${["a", "b", "c"].map(task).join("\n")}`,
    });
    const args = ["--sandbox", "off", "--allow", "bash"];
    const run = ended(project.start(["run", "plan.md", "--teammates", "1", ...args], env));
    await began("a");
    const worker = project.start(["worker", "--model", "runbook", "--count", "1", ...args], env);
    const workerOver = ended(worker);
    await began("b");
    const team = await store({ clock });
    for (const ms of shifts) {
      set(ms);
      const since = clock.now() + READ_MS;
      await team.board.add({ subject: `at ${ms}`, description: "```sh\ntrue\n```" }, PERSON);
      await expect.poll(() => renewals(team, since), { interval: 100 }).toBe(2);
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
