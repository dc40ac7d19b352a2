/** `ekiden worker` as its user starts it: beside a run, before it, drained, cut off, killed. */
import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { processesOf } from "../../../src/adapters/process-table.ts";
import { team as teamOf } from "../../../src/team/queries/team.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { freePort } from "../../fixtures/ports.ts";
import { project as newProject } from "../../fixtures/project.ts";
import { type Placed, projectOn } from "../../fixtures/project-on.ts";
import { soon } from "../../fixtures/soon.ts";
import { BACKENDS } from "../../fixtures/stage.ts";
import { type Ended, ended, type Project } from "../cli-program.ts";

let project: Project;

const there = (file: string): Promise<void> =>
  soon(() => expect(existsSync(join(project.dir, file)), file).toBe(true));
const go = (file = "go"): void => writeFileSync(join(project.dir, file), "");

/** Each task says that it began, and waits for `go`. */
const task = (nth: number, waitsFor = "go"): string =>
  `## Task ${nth}\n\`\`\`sh\necho "$EKIDEN_MEMBER" > began-${nth}\nwhile [ ! -e ${waitsFor} ]; do sleep 0.05; done\necho "$EKIDEN_MEMBER" >> done-${nth}\n\`\`\`\n`;
const runbook = (count: number): string =>
  `# Goal\n\n${Array.from({ length: count }, (_, i) => task(i + 1)).join("")}`;

describe.each(sampled(BACKENDS, 2))("a worker on %s", (backend) => {
  let env: Record<string, string> = {};
  let store: Placed["store"];
  let tasks: Placed["tasks"];
  beforeEach(() => {
    ({ project, env, store, tasks } = projectOn(backend));
  });

  const start = (...args: string[]): { child: ChildProcess; over: Promise<Ended> } => {
    const child = project.start(args, env);
    return { child, over: ended(child) };
  };
  const team = async () => await teamOf(await store());
  /** A board without a lead: a worker with a model of its own needs none. */
  const board = async (...texts: string[]): Promise<void> => {
    for (const text of texts) await project.run(["add", "Task", "-d", text], { env });
  };

  it("waits for the team, shares its work, outlives its end, and drains", async () => {
    project.write({ "big.md": runbook(6) });
    const worker = start("worker", "--count", "2");
    let said = "";
    worker.child.stderr?.on("data", (text) => {
      said += text;
    });
    await soon(() => expect(said).toContain('Waits for team "default"'));
    const run = start("run", "big.md", "--teammates", "1");
    await soon(async () =>
      expect([1, 2, 3].every((nth) => existsSync(join(project.dir, `began-${nth}`)))).toBe(true),
    );
    const { hosts } = await team();
    expect(hosts.map(({ capacity }) => capacity).sort()).toEqual([0, 2]);
    expect(new Set(hosts.map(({ version }) => version)).size).toBe(1);
    go();
    const { code, stderr } = await run.over;
    expect(code, stderr).toBe(0);
    const owners = new Set((await tasks()).map((task) => "owner" in task && task.owner));
    expect([...owners].sort()).toEqual(["alice", "worker-1", "worker-2"]);
    await soon(() => expect(said).toContain("The team's run has ended"));
    worker.child.kill("SIGTERM");
    expect(await worker.over).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Left: nothing was unfinished"),
    });
    expect((await team()).hosts).toEqual([]);
    expect((await team()).members.every(({ activity }) => activity.phase === "shutdown")).toBe(true);
  });

  it("does not wait for an agent program that was started and does not answer when it drains", async () => {
    project.write({ "silent.sh": "touch began-1\nexec sleep 1000\n" });
    await board("Do it.");
    const worker = start("worker", "--model", "acp:sh silent.sh", "--sandbox", "off");
    await there("began-1");
    const asked = performance.now();
    worker.child.kill("SIGTERM");
    expect(await worker.over).toMatchObject({ code: 0 });
    expect(performance.now() - asked).toBeLessThan(15_000); // the drain would take 25 s, the limit of the program is 30 s
    expect(await tasks()).toMatchObject([{ status: "pending" }]);
  });

  it("finishes what it has begun when it drains, and begins nothing more", async () => {
    await board(task(1), task(2));
    const worker = start("worker", "--model", "runbook");
    await there("began-1");
    worker.child.kill("SIGTERM");
    await soon(async () => expect((await team()).hosts).toMatchObject([{ capacity: 0 }]));
    go();
    expect(await worker.over).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("nothing was unfinished"),
    });
    expect((await tasks()).map(({ status }) => status)).toEqual(["completed", "pending"]);
    expect(existsSync(join(project.dir, "began-2"))).toBe(false);
  });

  it("gives back what it cannot finish by its deadline", async () => {
    await board(task(1, "never"));
    const worker = start("worker", "--model", "runbook", "--drain", "1");
    await there("began-1");
    worker.child.kill("SIGTERM");
    expect(await worker.over).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("before its tasks were finished"),
    });
    expect(await tasks()).toMatchObject([{ status: "pending" }]);
    expect(commands()).toEqual([]);
  });

  it("ends at once at the second signal, and its task goes back", async () => {
    await board(task(1, "never"));
    const worker = start("worker", "--model", "runbook", "--drain", "600");
    await there("began-1");
    worker.child.kill("SIGINT");
    await soon(async () => expect((await team()).hosts).toMatchObject([{ capacity: 0 }]));
    await delay(300); // one that comes at once after the first counts as the same
    worker.child.kill("SIGINT");
    expect(await worker.over).toMatchObject({ code: 130 });
    expect(await tasks()).toMatchObject([{ status: "pending" }]);
    expect(commands()).toEqual([]);
  });

  it("is killed, and another one with other names continues with its task", async () => {
    await board(task(1));
    const first = start("worker", "--model", "runbook");
    await there("began-1");
    const second = start("worker", "--model", "runbook", "--count", "3");
    await soon(async () =>
      expect((await team()).members.map(({ name }) => name).sort()).toEqual([
        "worker-1",
        "worker-2",
        "worker-3",
        "worker-4",
      ]),
    );
    first.child.kill("SIGKILL");
    await first.over;
    rmSync(join(project.dir, "began-1"));
    // Another member claims the task, or worker-1 continues with it there: what the worker notices first decides.
    await there("began-1");
    go();
    await soon(async () => expect(await tasks()).toMatchObject([{ status: "completed" }]));
    second.child.kill("SIGTERM");
    expect(await second.over).toMatchObject({ code: 0 });
    expect(readFileSync(join(project.dir, "done-1"), "utf8")).toMatch(/^worker-[1-4]\n$/);
  });
});

/** Processes that still run for the project: its home is in their environment. */
const commands = (): number[] => processesOf(`HOME=${project.home}\0`);

it("gives its members a name and a role, and answers probes", async () => {
  project = newProject();
  await project.run(["add", "Task", "--role", "tester", "-d", task(1)]);
  const port = await freePort();
  const args = ["worker", "--model", "runbook", "--as", "kim", "--role", "tester", "--health", String(port)];
  const worker = project.start(args);
  const over = ended(worker);
  await there("began-1");
  expect(readFileSync(join(project.dir, "began-1"), "utf8")).toBe("kim\n");
  const ask = async (path: string): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return `${answer.status} ${(await answer.text()).trim()}`;
  };
  expect([await ask("/livez"), await ask("/readyz")]).toEqual(["200 live", "200 ready"]);
  expect(await ask("/")).toMatch(/^404/);
  worker.kill("SIGTERM");
  await soon(async () => expect(await ask("/readyz")).toBe("503 draining"));
  expect(await ask("/livez")).toBe("200 live");
  go();
  expect(await over).toMatchObject({ code: 0 });
});

it("refuses what makes no worker", async () => {
  project = newProject();
  const refusals: [string[], RegExp][] = [
    [["--count", "0"], /--count/],
    [["--count", "1000"], /more than 100/],
    [["--as", "lead"], /lead/],
    [["--health", "70000"], /not a port/],
    [["--drain", "soon"], /--drain/],
  ];
  for (const [args, words] of refusals)
    expect(await project.run(["worker", ...args])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(words),
    });
});

it("waits for its name while another worker has it, and ends when the person stops its members", async () => {
  project = newProject();
  await project.run(["add", "Task", "-d", task(1)]);
  const first = project.start(["worker", "--model", "runbook", "--as", "kim"]);
  await there("began-1");
  const second = project.start(["worker", "--model", "runbook", "--as", "kim"]);
  const over = ended(second);
  let said = "";
  second.stderr?.on("data", (text) => {
    said += text;
  });
  await soon(() => expect(said).toContain("kim runs in another process"));
  first.kill("SIGKILL");
  await soon(() => expect(said).toContain("Takes over kim"));
  await project.run(["stop", "--now"]);
  expect(await over).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("all members here have stopped"),
  });
});

it("leaves with the run that is there, also where another process started it", async () => {
  project = newProject();
  project.write({ "big.md": runbook(3) });
  const run = project.start(["run", "big.md", "--teammates", "1"]);
  await there("began-1");
  const over = ended(project.start(["worker", "--with-run", "--drain", "1"]));
  await there("began-2");
  go();
  expect((await ended(run)).code).toBe(0);
  expect(await over).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Left: nothing was unfinished"),
  });
});
