/** A target that is red without any task: nobody is refused for it, one task repairs it, and then all land. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { endTask, factsIn, queueIn, tasksIn } from "../../../../test/fixtures/landing-board.ts";
import { landing, openTrees, writeWork } from "../../../../test/fixtures/landing-trees.ts";
import { type Repository, repository } from "../../../../test/fixtures/repository.ts";
import { soon } from "../../../../test/fixtures/soon.ts";
import type { RedBase } from "../../../core/gate/red-target.ts";
import type { TaskId } from "../../../core/ids.ts";
import type { Landing, Worktrees } from "../../../ports/worktrees.ts";
import { createShell } from "../../shell/index.ts";

const { task, by } = landing;

/** Red with a file `bad`, and with one `worse`, as a test runner says it. Each run is noted. */
const gateIn = (dir: string): string => `echo run >> ${dir}/runs; n=0
  for f in bad worse; do if test -e $f; then echo "not ok 1 - $f"; n=1; fi; done; exit $n`;

async function red(
  redBase: RedBase,
  gate = gateIn,
): Promise<{ repo: Repository; trees: Worktrees; runs: () => number }> {
  const repo = repository({ "a.txt": "a\n", bad: "x\n" });
  const dir = join(repo.dir, ".ekiden");
  const shell = createShell({ outputDir: join(dir, "output") });
  onTestFinished(() => shell.close());
  const trees = await openTrees(repo.dir, shell, { gate: gate(dir), redBase: () => redBase });
  return { repo, trees, runs: () => readFileSync(join(dir, "runs"), "utf8").trim().split("\n").length };
}

const states = async ({ dir }: Repository): Promise<string[]> =>
  (await queueIn(dir)).waiting.map(({ state }) => state);

async function landAll(trees: Worktrees, ids: readonly number[]): Promise<Promise<Landing>[]> {
  for (const id of ids) await writeWork(trees, task(id), { [`${id}.txt`]: "x\n" });
  return ids.map((id) => trees.land(task(id), by));
}

it("holds all that fail as the target does, and lands the repair and then them", async () => {
  const { repo, trees, runs } = await red("repair");
  const steps: string[] = [];
  await writeWork(trees, task(4), { "4.txt": "x\n" });
  const landings = await landAll(trees, [1, 2, 3]);
  landings.push(trees.land(task(4), { ...by, onStep: async (step) => void steps.push(step) }));
  await soon(async () => expect(await states(repo)).toEqual(["base", "base", "base", "base"]));
  // Four candidates, and twice the target.
  expect(runs()).toBe(6);
  const [repair, ...more] = (await tasksIn(repo.dir)).filter(({ subject }) => subject.startsWith("Repair"));
  expect(more).toEqual([]);
  expect(repair).toMatchObject({
    ...{ subject: `Repair main: the gate is red at ${repo.git("rev-parse", "main").slice(0, 12)}`, id: 41 },
    ...{ priority: 1_000_000, status: "pending", description: expect.stringContaining("not ok 1 - bad") },
  });
  expect(await factsIn(repo.dir, "base.judged")).toMatchObject([
    { target: "main", verdict: "red", names: ["bad"], author: "Pat", repair: 41 },
  ]);
  // A repair that repairs nothing is at fault, and waits for nobody.
  const workspace = await writeWork(trees, task(41), { "41.txt": "x\n" });
  expect(await trees.land(task(41), by)).toMatchObject({ kind: "refused", why: "gate" });
  expect(await states(repo)).toEqual(["base", "base", "base", "base"]);
  repo.git("-C", workspace, "rm", "--quiet", "bad");
  expect(await trees.land(task(41), by)).toMatchObject({ kind: "landed" });
  expect((await Promise.all(landings)).map(({ kind }) => kind)).toEqual(Array(4).fill("landed"));
  expect(repo.git("log", "--format=%s", "main").split("\n").at(-2)).toBe("Task 41");
  expect(repo.git("rev-list", "--count", "main")).toBe("6");
  expect(steps).toContain("base");
});

it.each(["repair", "tell"] as const)(
  "lands all when a person repairs the target meanwhile (%s)",
  async (how) => {
    const { repo, trees } = await red(how);
    const landings = await landAll(trees, [1, 2, 3]);
    await soon(async () => expect(await states(repo)).toEqual(["base", "base", "base"]));
    expect((await tasksIn(repo.dir)).filter(({ id }) => id > 40)).toHaveLength(how === "repair" ? 1 : 0);
    repo.git("rm", "--quiet", "bad");
    repo.commit("Person");
    expect((await Promise.all(landings)).map(({ kind }) => kind)).toEqual(Array(3).fill("landed"));
  },
);

it("judges the next commit again only after a red candidate, and makes no second task", async () => {
  const { repo, trees } = await red("repair");
  const landings = await landAll(trees, [1]);
  await soon(async () => expect(await states(repo)).toEqual(["base"]));
  repo.write({ "b.txt": "b\n" });
  repo.commit("Person");
  await soon(async () => expect(await factsIn(repo.dir, "base.judged")).toHaveLength(2));
  await soon(async () => expect(await states(repo)).toEqual(["base"]));
  expect((await tasksIn(repo.dir)).filter(({ id }) => id > 40)).toHaveLength(1);
  repo.git("rm", "--quiet", "bad");
  repo.commit("Person");
  expect(await landings[0]).toMatchObject({ kind: "landed" });
  expect(await factsIn(repo.dir, "base.judged")).toHaveLength(2);
});

it("refuses what fails by itself, with the target red or green, and judges no base that has landed", async () => {
  const { repo, trees, runs } = await red("repair");
  await writeWork(trees, task(1), { worse: "x\n" });
  expect(await trees.land(task(1), by)).toMatchObject({ kind: "refused", why: "gate" });
  await endTask(repo.dir, 1);
  const { workspace } = await trees.open(task(2));
  repo.git("-C", workspace, "rm", "--quiet", "bad");
  expect(await trees.land(task(2), by)).toMatchObject({ kind: "landed" });
  await writeWork(trees, task(3), { bad: "again\n" });
  const before = runs();
  expect(await trees.land(task(3), by)).toMatchObject({ kind: "refused", why: "gate" });
  expect(runs()).toBe(before + 1);
});

it("judges nothing where it is told to ignore it", async () => {
  const { repo, trees, runs } = await red("ignore");
  await writeWork(trees, task(1), { "1.txt": "x\n" });
  expect(await trees.land(task(1), by)).toMatchObject({ kind: "refused", why: "gate" });
  expect(runs()).toBe(1);
  expect(await factsIn(repo.dir, "base.judged")).toEqual([]);
});

it("tries a candidate once more whose failing test also fails now and then on the target", async () => {
  // Every run fails that is not told otherwise.
  const { repo, trees } = await red(
    "repair",
    (dir) => `echo run >> ${dir}/runs; n=$(wc -l < ${dir}/runs)
      if grep -qw $n ${dir}/green; then exit 0; fi; echo "not ok 1 - slow"; exit 1`,
  );
  // Candidate 1: red; target: red, green; again: green. Candidate 2: red, and red again.
  writeFileSync(join(repo.dir, ".ekiden", "green"), "3\n4\n");
  await writeWork(trees, task(1), { "1.txt": "x\n" });
  expect(await trees.land(task(1), by)).toMatchObject({ kind: "landed" });
  expect(await factsIn(repo.dir, "base.judged", "gate.flaky")).toMatchObject([
    { type: "base.judged", verdict: "flaky", names: ["slow"], repair: null },
    { type: "gate.flaky", task: 1, by: "alice", names: ["slow"] },
  ]);
});

it("gives an owner its task back who is needed for the repair, with the work as it was", async () => {
  const { repo, trees } = await red("repair");
  await writeWork(trees, task(1), { "1.txt": "x\n" });
  await writeWork(trees, task(2), { "2.txt": "x\n" });
  const asked: number[] = [];
  const isNeeded = async (id: TaskId): Promise<boolean> => asked.push(id) > 0;
  const first = trees.land(task(1), { ...by, isNeeded });
  expect(await first).toMatchObject({ kind: "held", branch: "ekiden/1-task-1" });
  expect(asked).toEqual([41]);
  const { workspace } = await trees.open(task(1));
  expect(repo.git("-C", workspace, "log", "-1", "--format=%s")).toBe("Task 1");
  expect(repo.git("-C", workspace, "status", "--porcelain")).toBe("");
  repo.git("rm", "--quiet", "bad");
  repo.commit("Person");
  expect(await trees.land(task(1), by)).toMatchObject({ kind: "landed" });
});
