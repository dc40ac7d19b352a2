/** Orders of the person about tasks of workers, which are other processes than the one that gives the order: obeyed at once there, too. */
import type { ChildProcess } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { isAlive } from "../../../src/adapters/process-table.ts";
import type { NewTask } from "../../../src/core/board/task.ts";
import { PERSON } from "../../../src/core/ids.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { pidsIn } from "../../fixtures/pids.ts";
import { type Placed, projectOn } from "../../fixtures/project-on.ts";
import { soon } from "../../fixtures/soon.ts";
import { BACKENDS } from "../../fixtures/stage.ts";
import { type Ended, ended, type Project } from "../cli-program.ts";

describe.each(sampled(BACKENDS, 2, 1))("orders to workers on %s", (backend) => {
  let project: Project;
  let env: Record<string, string> = {};
  let store: Placed["store"];
  let tasks: Placed["tasks"];
  beforeEach(() => {
    ({ project, env, store, tasks } = projectOn(backend));
  });
  const add = async (...tasks: NewTask[]): Promise<void> =>
    void (await (await store({ access: "make" })).board.addAll(tasks, PERSON));

  /** Each attempt adds a line with its process id, and works until `go` is there. */
  const lines = (name: string): string =>
    `\`\`\`sh\necho $$ >> ${name}\nwhile [ ! -e go ]; do sleep 0.05; done\n\`\`\`\n`;
  const attempts = (name: string): number[] => pidsIn(join(project.dir, name));
  const began = (name: string, times = 1): Promise<void> =>
    soon(() => expect(attempts(name).length, name).toBeGreaterThanOrEqual(times));
  const isOver = (name: string): Promise<void> =>
    soon(() => expect(attempts(name).slice(0, 1).filter(isAlive)).toEqual([]));
  const said = async (...args: string[]): Promise<string> =>
    ((r) => r.stdout + r.stderr)(await project.run(args, { env }));
  const start = (...args: string[]): { child: ChildProcess; over: Promise<Ended> } => {
    const child = project.start(args, env);
    return { child, over: ended(child) };
  };
  /** Without the sandbox, in which process ids are other ones. */
  const worker = (...args: string[]) =>
    start("worker", "--model", "runbook", "--sandbox", "off", "--allow", "bash", ...args);
  const ownerOfLast = async (): Promise<string | null> => {
    const last = (await tasks()).at(-1);
    return last && last.status !== "pending" ? last.owner : null;
  };
  const go = (): void => writeFileSync(join(project.dir, "go"), "");

  it("cancel, release, assign and edit end the running command", async () => {
    const names = ["a", "b", "c", "d"];
    await add(...names.map((name) => ({ subject: name, description: lines(name) })));
    const [one, two] = [worker("--count", "2", "--as", "left"), worker("--count", "2", "--as", "right")];
    for (const name of names) await began(name);
    expect(await said("cancel", "1")).toMatch(/#1 is cancelled; [\w-]+ was told to stop/);
    expect(await said("release", "2")).toMatch(/#2 is back on the board; [\w-]+ was told to stop/);
    expect(await said("edit", "3", "--subject", "Third")).toMatch(/#3: changed subject; [\w-]+ was told/);
    const owner = await ownerOfLast();
    const other = ["left-1", "left-2", "right-1", "right-2"].find((one) => one !== owner) ?? "";
    expect(await said("edit", "4", "--assign", other)).toMatch(/#4: changed assignee/);
    for (const name of names) await isOver(name);
    await began("b", 2);
    go();
    await soon(async () =>
      expect((await tasks()).map(({ status }) => status)).toEqual([
        "cancelled",
        "completed",
        "completed",
        "completed",
      ]),
    );
    expect(await ownerOfLast()).toBe(other);
    expect(attempts("a")).toHaveLength(1);
    for (const { child } of [one, two]) child.kill("SIGTERM");
    expect([(await one.over).code, (await two.over).code]).toEqual([0, 0]);
  });

  it("a person takes, completes and fails tasks beside them", async () => {
    await add(...["a", "b", "c"].map((name) => ({ subject: name, description: lines(name) })), {
      subject: "after a",
      description: "```sh\necho 1 > after\n```",
      blockedBy: [{ nth: 0 }],
    });
    expect(await said("take", "1")).toMatch(/#1 is yours/);
    const { child, over } = worker("--count", "3");
    await began("b");
    await began("c");
    expect(await said("take", "2")).toMatch(
      /#2 is in progress with [\w-]+\. Take it back first: ekiden release 2/,
    );
    expect(await said("done", "2", "Done by hand")).toMatch(/#2/);
    expect(await said("fail", "3", "No")).toMatch(/#3/);
    await isOver("b");
    await isOver("c");
    expect(existsSync(join(project.dir, "after"))).toBe(false);
    await said("done", "1", "Signed");
    await soon(async () =>
      expect((await tasks()).map(({ status }) => status)).toEqual([
        "completed",
        "completed",
        "failed",
        "completed",
      ]),
    );
    expect([attempts("a"), attempts("b").length, attempts("c").length]).toEqual([[], 1, 1]);
    child.kill("SIGTERM");
    expect((await over).code).toBe(0);
  });

  it("a runbook leaves tasks alone that are not its own", async () => {
    await add({ subject: "Write a poem" });
    project.write({ "plan.md": `# Goal\n\n## One\n\n${lines("a")}\n` });
    const helper = worker("--count", "1");
    const run = start("run", "plan.md", "--teammates", "1", "--sandbox", "off", "--allow", "bash");
    await began("a");
    go();
    const { code, stdout, stderr } = await run.over;
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/1 of 2 tasks completed\.\nNot completed:\n- #1 Write a poem: ready/);
    expect((await tasks()).find(({ id }) => id === 1)).toMatchObject({ status: "pending" });
    helper.child.kill("SIGTERM");
    expect((await helper.over).code).toBe(0);
    expect((await tasks()).find(({ id }) => id === 1)).toMatchObject({ status: "pending" });
  });
});
