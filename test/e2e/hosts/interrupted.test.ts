/** Interruptions of a host: killed again and again, and frozen for longer than its lease. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { descendantsOf } from "../../../src/adapters/process-table.ts";
import { soon } from "../../fixtures/soon.ts";
import { ended, Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

const lines = (path: string): string[] =>
  existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];

/** Process ids and files of these tests are those of the machine. */
const NO_SANDBOX = { EKIDEN_SANDBOX: "off" };

/** A zombie is dead: only nobody has asked after it. */
const alive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

it("a task that is interrupted five times is completed, and its command can tell that it runs again", async () => {
  const log = join(project.dir, "log");
  const script = `echo "$EKIDEN_TASK $EKIDEN_ATTEMPT $EKIDEN_IDEMPOTENCY_KEY" >> ${log}\nif [ $(wc -l < ${log}) -lt 6 ]; then sleep 600; fi`;
  project.write({ "long.md": `# Goal\n\n## Long\n\`\`\`sh\n${script}\n\`\`\`\n` });
  for (let nth = 1; nth <= 5; nth += 1) {
    const child = project.start(nth === 1 ? ["run", "long.md"] : ["resume"], NO_SANDBOX);
    const gone = ended(child);
    await soon(() => expect(lines(log)).toHaveLength(nth));
    child.kill("SIGKILL");
    await gone;
  }
  expect(await project.run(["resume"], { env: NO_SANDBOX })).toMatchObject({ code: 0 });
  expect(new Set(lines(log)).size).toBe(1);
  expect(lines(log)[0]).toMatch(/^1 1 default-1-[0-9a-f]{16}$/);
});

it.runIf(process.platform === "linux")(
  "the commands of a killed host end with it, also without our variables",
  async () => {
    const pids = join(project.dir, "pids");
    const script = `echo $$ >> ${pids}\nenv -i sh -c 'echo $$ >> ${pids}; sleep 600; true' &\nwait`;
    project.write({ "long.md": `# Goal\n\n## Long\n\`\`\`sh\n${script}\n\`\`\`\n` });
    const child = project.start(["run", "long.md"], NO_SANDBOX);
    const gone = ended(child);
    await soon(() => expect(lines(pids)).toHaveLength(2));
    const running = lines(pids).map(Number);
    expect(running.map(alive)).toEqual([true, true]);
    child.kill("SIGKILL");
    await gone;
    await soon(() => expect(running.map(alive)).toEqual([false, false]));
  },
);

it("a host that is frozen for longer than its lease: no task runs twice at once, each member lives once, all processes end", async () => {
  const log = join(project.dir, "log");
  const script = `echo "begin $EKIDEN_ATTEMPT $(date +%s%N)" >> ${log}\nif [ $EKIDEN_ATTEMPT = 1 ]; then sleep 600; fi\nsleep 1; echo "end $EKIDEN_ATTEMPT" >> ${log}`;
  project.write({
    "long.md": `# Goal\n\n## Long\n\`\`\`sh\n${script}\n\`\`\`\n`,
    ".ekiden/settings.json": JSON.stringify({ leaseMs: 3_000 }),
  });
  const first = project.start(["run", "long.md", "--teammate", "alice"], NO_SANDBOX);
  const firstEnd = ended(first);
  await soon(() => expect(lines(log)).toHaveLength(1));
  const second = project.start(["resume", "--teammate", "bob"], NO_SANDBOX);
  const secondEnd = ended(second);
  await soon(async () => {
    const members = await (await project.store({ access: "use" })).roster.members();
    expect(members.map(({ name }) => name)).toContain("bob");
  });
  first.kill("SIGSTOP");
  await soon(() => expect(lines(log).at(-1)).toMatch(/^end/));
  first.kill("SIGCONT");
  const [one, two] = await Promise.all([firstEnd, secondEnd]);
  expect([one.code, two.code]).toEqual([0, 0]);
  expect(lines(log).map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
    "begin 1",
    "begin 2",
    "end 2",
  ]);
});

it.runIf(process.platform === "linux")(
  "a command that was frozen with its host ends before another host begins its task",
  async () => {
    const log = join(project.dir, "log");
    const script = `for tick in $(seq 1200); do echo "$EKIDEN_ATTEMPT" >> ${log}; sleep 0.05; [ $EKIDEN_ATTEMPT = 1 ] || [ $tick -lt 20 ] || exit 0; done`;
    project.write({
      "long.md": `# Goal\n\n## Long\n\`\`\`sh\n${script}\n\`\`\`\n`,
      ".ekiden/settings.json": JSON.stringify({ leaseMs: 3_000 }),
    });
    const first = project.start(["run", "long.md", "--teammate", "alice"], NO_SANDBOX);
    const firstEnd = ended(first);
    await soon(() => expect(lines(log).length).toBeGreaterThan(0));
    const second = project.start(["resume", "--teammate", "bob"], NO_SANDBOX);
    const secondEnd = ended(second);
    await soon(async () => {
      const members = await (await project.store({ access: "use" })).roster.members();
      expect(members.map(({ name }) => name)).toContain("bob");
    });
    const command = descendantsOf(new Set([Number(first.pid)]));
    for (const pid of [Number(first.pid), ...command]) signal(pid, "SIGSTOP");
    await soon(() => expect(lines(log).at(-1)).toBe("2"));
    // Its host and its warden, which could end it, are still frozen.
    for (const pid of command) if (!isWarden(pid)) signal(pid, "SIGCONT");
    await secondEnd;
    for (const pid of [Number(first.pid), ...command]) signal(pid, "SIGCONT");
    expect([(await firstEnd).code, (await secondEnd).code]).toEqual([0, 0]);
    expect(lines(log).join("")).toMatch(/^1+2+$/);
  },
);

const isWarden = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes("EKIDEN_WARDEN=");
  } catch {
    return false;
  }
};

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
