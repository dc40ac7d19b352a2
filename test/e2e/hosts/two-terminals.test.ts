/** `ekiden run big.md` in one terminal, `ekiden worker --count 4` in another: they share the work, and either may be killed. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { sampled } from "../../fixtures/fuzz.ts";
import { type Placed, projectOn } from "../../fixtures/project-on.ts";
import { soon } from "../../fixtures/soon.ts";
import { BACKENDS } from "../../fixtures/stage.ts";
import { ended, type Project } from "../cli-program.ts";

const TASKS = 10;

/** Each task says who has begun it and who has done it; it waits for `go` in between. */
const task = (nth: number): string =>
  `## Task ${nth}\n\`\`\`sh\necho "$EKIDEN_MEMBER" >> began\nwhile [ ! -e go ]; do sleep 0.05; done\necho ${nth} >> done\n\`\`\`\n`;
const BIG = `# Goal\n\n${Array.from({ length: TASKS }, (_, i) => task(i + 1)).join("")}`;

describe.each(sampled(BACKENDS, 2, 1))("two terminals on %s", (backend) => {
  let project: Project;
  let env: Record<string, string>;
  let tasks: Placed["tasks"];
  beforeEach(() => {
    ({ project, env, tasks } = projectOn(backend));
    project.write({ "big.md": BIG });
  });

  const lines = (file: string): string[] => {
    const path = join(project.dir, file);
    return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
  };
  const begin = (...args: string[]) => {
    const child = project.start(args, env);
    return { child, over: ended(child) };
  };
  /** Both terminals, when all six members are at work. */
  const both = async () => {
    const run = begin("run", "big.md", "--teammates", "2");
    const worker = begin("worker", "--count", "4");
    await soon(() => expect(new Set(lines("began")).size).toBe(6));
    return { run, worker };
  };
  /** The tasks of a killed process go back when its commands have ended: before that they would see `go`, too. */
  const areBack = (left: number): Promise<void> =>
    soon(async () =>
      expect((await tasks()).filter(({ status }) => status === "in_progress")).toHaveLength(left),
    );
  const isDone = async (): Promise<void> => {
    expect((await tasks()).filter(({ status }) => status !== "completed")).toEqual([]);
    expect(lines("done").sort()).toEqual(Array.from({ length: TASKS }, (_, i) => String(i + 1)).sort());
  };

  it("the worker is killed: the run finishes what it had", async () => {
    const { run, worker } = await both();
    worker.child.kill("SIGKILL");
    await worker.over;
    await areBack(2);
    writeFileSync(join(project.dir, "go"), "");
    const { code, stderr } = await run.over;
    expect(code, stderr).toBe(0);
    await isDone();
  });

  it("the run is killed: the worker finishes what it had, and a resume concludes", async () => {
    const { run, worker } = await both();
    run.child.kill("SIGKILL");
    await run.over;
    await areBack(4);
    writeFileSync(join(project.dir, "go"), "");
    await soon(isDone);
    expect(await begin("resume").over).toMatchObject({ code: 0 });
    worker.child.kill("SIGTERM");
    expect(await worker.over).toMatchObject({ code: 0 });
  });

  it("the same runbook is run in both at once: its tasks are on the board once", async () => {
    writeFileSync(join(project.dir, "go"), "");
    const runs = [begin("run", "big.md"), begin("run", "big.md")];
    for (const { over } of runs) {
      const { code, stderr } = await over;
      expect(code, stderr).toBe(0);
    }
    expect(await tasks()).toHaveLength(TASKS);
    await isDone();
  });
});
