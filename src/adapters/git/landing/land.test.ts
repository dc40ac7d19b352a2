/** Several landings at once: gates in advance, those that fall out, reservations, and proof of what each gate has seen. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { endTask, gatesIn, queueIn } from "../../../../test/fixtures/landing-board.ts";
import { landing, openTrees, writeWork } from "../../../../test/fixtures/landing-trees.ts";
import { programFolder } from "../../../../test/fixtures/program-folder.ts";
import { type Repository, repository } from "../../../../test/fixtures/repository.ts";
import { soon } from "../../../../test/fixtures/soon.ts";
import type { Which, Worktrees } from "../../../ports/worktrees.ts";
import { createShell } from "../../shell/index.ts";
import type { WorktreeOptions } from "../options.ts";

const { task, by: BY } = landing;

async function trees({ dir }: Repository, options: Partial<WorktreeOptions>): Promise<Worktrees> {
  const shell = createShell({ outputDir: join(dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  return await openTrees(dir, shell, options);
}

/**
 * Runs until the file `go` is there, is red with a file `red.txt`, and writes the tree of the files it has seen, not of what git
 * says is checked out.
 */
const gateIn = (dir: string): string =>
  `mkdir -p ${dir}/runs ${dir}/seen; run=${dir}/runs/$$; touch $run
   until test -e ${dir}/go; do sleep 0.02; done
   export GIT_INDEX_FILE=${dir}/index.$$; git read-tree HEAD; git add --all; tree=$(git write-tree); rm -f $run
   if test -e red.txt; then echo red; exit 1; fi; touch ${dir}/seen/$tree`;

it("runs several gates in advance, drops a red one, and lands each commit as its gate has seen it", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const dir = join(repo.dir, ".ekiden");
  const all = await trees(repo, { gate: gateIn(dir), gateParallel: 3 });
  const tasks = [1, 2, 3, 4, 5, 6].map(task);
  for (const one of tasks)
    await writeWork(all, one, one.id === 2 ? { "red.txt": "red\n" } : { [`${one.id}.txt`]: "x\n" });
  const landings = [];
  for (const one of tasks) {
    landings.push(
      all.land(one, BY).then(async (landed) => {
        if (landed.kind === "refused") await endTask(repo.dir, one.id);
        return landed;
      }),
    );
    await soon(async () =>
      expect((await queueIn(repo.dir)).waiting.filter(({ isReady }) => isReady)).toHaveLength(one.id),
    );
  }
  await soon(() => expect(readdirSync(join(dir, "runs"))).toHaveLength(3));
  writeFileSync(join(dir, "go"), "");
  const outcomes = await Promise.all(landings);
  expect(outcomes.map(({ kind }) => kind)).toEqual([
    "landed",
    "refused",
    "landed",
    "landed",
    "landed",
    "landed",
  ]);
  expect(repo.git("log", "--reverse", "--format=%s").split("\n")).toEqual([
    "First",
    "Task 1",
    "Task 3",
    "Task 4",
    "Task 5",
    "Task 6",
  ]);
  const seen = readdirSync(join(dir, "seen"));
  for (const outcome of outcomes) {
    if (outcome.kind !== "landed") continue;
    const tree = repo.git("rev-parse", `${outcome.commit}^{tree}`);
    expect(seen).toContain(tree);
    expect(await gatesIn(repo.dir, outcome.commit)).toMatchObject([{ tree, green: true }]);
  }
  expect(readFileSync(join(repo.dir, "6.txt"), "utf8")).toBe("x\n");
  // Task 2 has its own commits and those that have landed, and nothing of the tasks that were ahead of it for a while.
  expect(repo.git("log", "--format=%s", "main~4..ekiden/2-task-2")).toBe("Task 2");
  for (const one of tasks) if (one.id !== 2) expect(await all.remove(one)).toEqual({ kind: "removed" });
});

it.each([
  ["its worktree", ".ekiden/worktrees/1-task-1"],
  ["all worktrees with the notes about them", ".ekiden/worktrees"],
])("refuses a task after somebody has removed %s, and continues in a new one", async (_, path) => {
  const repo = repository({ "a.txt": "a\n" });
  const all = await trees(repo, {});
  await writeWork(all, task(1), { "b.txt": "b\n" });
  rmSync(join(repo.dir, path), { recursive: true });
  const evidence = expect.stringMatching(/^The worktree of #1 was removed .* which builds on main\./);
  expect(await all.land(task(1), BY)).toMatchObject({ kind: "refused", why: "branch", evidence });
  await writeWork(all, task(1), { "b.txt": "b\n" });
  rmSync(join(repo.dir, path), { recursive: true });
  await expect(all.open(task(1))).rejects.toThrow("The worktree of #1 was removed");
  await writeWork(all, task(1), { "b.txt": "b\n" });
  expect(await all.land(task(1), BY)).toMatchObject({ kind: "landed" });
  expect(readFileSync(join(repo.dir, "b.txt"), "utf8")).toBe("b\n");
});

it("waits for a target that is gone for a moment", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const all = await trees(repo, {});
  await writeWork(all, task(1), { "b.txt": "b\n" });
  repo.git("branch", "--move", "main", "trunk");
  const landing = all.land(task(1), BY);
  await soon(async () => expect((await queueIn(repo.dir)).waiting).toHaveLength(1));
  repo.git("branch", "--move", "trunk", "main");
  expect(await landing).toMatchObject({ kind: "landed" });
});

it("lands a task once whose owner was lost after its landing, whatever the next owner did again", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const first = { ...task(1), attempt: 1 };
  const all = await trees(repo, {});
  await writeWork(all, first, { "b.txt": "b\n" });
  const landed = await all.land(first, BY);
  const next = { ...task(1), attempt: 2 };
  const other = await trees(repo, {});
  await writeWork(other, next, { "b.txt": "b, done again\n" });
  expect(await other.land(next, BY)).toEqual(landed);
  expect(repo.git("log", "--format=%s", "main")).toBe("Task 1\nFirst");
});

it("lands a task once whose former owner was fenced and lands while the next one waits", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const [first, next] = [1, 2].map((attempt) => ({ ...task(1), attempt })) as [Which, Which];
  const [former, latter] = [await trees(repo, {}), await trees(repo, {})];
  const workspace = await writeWork(former, first, { "b.txt": "b\n" });
  let [isFrozen, thaw] = [false, (): void => {}];
  const thawed = new Promise<void>((done) => {
    thaw = done;
  });
  const stillMine = (): Promise<void> => {
    isFrozen = true;
    return thawed;
  };
  const landed = former.land(first, { ...BY, stillMine });
  await soon(() => expect(isFrozen).toBe(true));
  const again = latter.land(next, BY);
  await soon(async () => expect((await queueIn(repo.dir)).waiting).toHaveLength(2));
  writeFileSync(join(workspace, "c.txt"), "done again\n");
  thaw();
  expect(await again).toEqual(await landed);
  expect(repo.git("log", "--format=%s", "main")).toBe("Task 1\nFirst");
});

it("lets a task whose landing was refused land before those that were not, also for another process", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const all = await trees(repo, {});
  const [first, second, third] = [task(1), task(2), task(3)] as const;
  await writeWork(all, first, { "a.txt": "first\n" });
  await writeWork(all, second, { "a.txt": "second\n" });
  await writeWork(all, third, { "b.txt": "third\n" });
  expect(await all.land(first, BY)).toMatchObject({ kind: "landed" });
  expect(await all.land(second, BY)).toMatchObject({ kind: "refused", why: "conflict" });
  const other = await trees(repo, {});
  let isWaiting = (): void => {};
  const waits = new Promise<void>((given) => {
    isWaiting = given;
  });
  const later = other.land(third, { ...BY, onStep: () => Promise.resolve(isWaiting()) });
  await waits;
  const { workspace } = await all.open(second);
  repo.git("-C", workspace, "reset", "--quiet", "--hard", "main");
  await writeWork(all, second, { "a.txt": "first and second\n" });
  expect(await all.land(second, BY)).toMatchObject({ kind: "landed" });
  expect(await later).toMatchObject({ kind: "landed" });
  expect(repo.git("log", "--reverse", "--format=%s")).toBe("First\nTask 1\nTask 2\nTask 3");
});

it.each([
  ["its time is over", { reservationMs: 300 }, true],
  ["its task has ended", {}, false],
])("waits for a refused landing no longer when %s", async (_, options, open) => {
  const repo = repository({ "a.txt": "a\n" });
  const all = await trees(repo, options);
  await writeWork(all, task(1), { "a.txt": "first\n" });
  await writeWork(all, task(2), { "a.txt": "second\n" });
  await writeWork(all, task(3), { "a2.txt": "third\n" });
  expect(await all.land(task(1), BY)).toMatchObject({ kind: "landed" });
  expect(await all.land(task(2), BY)).toMatchObject({ kind: "refused" });
  if (!open) await endTask(repo.dir, 2);
  expect(await all.land(task(3), BY)).toMatchObject({ kind: "landed" });
});

it("puts a worktree back on its own branch when a landing that built on others is given up", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const dir = join(repo.dir, ".ekiden");
  const all = await trees(repo, { gate: gateIn(dir), gateParallel: 2 });
  await writeWork(all, task(1), { "1.txt": "1\n" });
  await writeWork(all, task(2), { "2.txt": "2\n" });
  const stop = new AbortController();
  const first = all.land(task(1), { ...BY, signal: stop.signal });
  await soon(async () =>
    expect((await queueIn(repo.dir)).waiting.filter(({ state }) => state === "gate")).toHaveLength(1),
  );
  const second = all.land(task(2), { ...BY, signal: stop.signal });
  await soon(async () =>
    expect((await queueIn(repo.dir)).waiting.filter(({ state }) => state === "gate")).toHaveLength(2),
  );
  const ended = Promise.allSettled([first, second]);
  stop.abort(new Error("enough"));
  expect(await ended).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
  const { workspace } = await all.open(task(2));
  expect(repo.git("-C", workspace, "log", "--format=%s", "ekiden/2-task-2")).toBe("Task 2\nFirst");
  expect(repo.git("-C", workspace, "status", "--short", "--branch")).toBe("## ekiden/2-task-2");
  expect((await queueIn(repo.dir)).waiting).toEqual([]);
});

it("lets all that wait land one after the other, in whatever order their work is committed", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const all = await trees(repo, { gate: "test -e a.txt" });
  const tasks = [1, 2, 3, 4, 5].map(task);
  for (const one of tasks) await writeWork(all, one, { [`${one.id}.txt`]: "x\n" });
  // All at once: a later one may be ready first and begin its gate before it has to wait again.
  const landed = await Promise.all(tasks.map((one) => all.land(one, BY)));
  expect(landed.map(({ kind }) => kind)).toEqual(tasks.map(() => "landed"));
  expect(repo.git("rev-list", "--count", "main")).toBe("6");
});

it("says what to do when the target moves more often than the gate takes, and lands nothing ungated", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const gate = `git -C ${repo.dir} -c user.name=Pat -c user.email=pat@example.org commit --quiet --allow-empty --message Mine`;
  const all = await trees(repo, { gate, racesMax: 7 });
  await writeWork(all, task(1), { "1.txt": "x\n" });
  const told: string[] = [];
  const onMoved = (text: string): Promise<void> => Promise.resolve(void told.push(text));
  const refused = await all.land(task(1), { ...BY, onMoved });
  const words = (times: number) =>
    new RegExp(
      `main moved ${times} times while #1 .* more often than .git .* takes\\. Stop committing .* faster gate, or set targetBranch.*can be retried`,
    );
  expect(refused).toMatchObject({
    kind: "refused",
    why: "target",
    evidence: expect.stringMatching(words(7)),
  });
  expect(told.filter((text) => text.includes("more often"))).toEqual([expect.stringMatching(words(5))]);
  expect(new Set(repo.git("log", "--format=%s").split("\n"))).toEqual(new Set(["Mine", "First"]));
});

it("lands a task once when its next owner repeats what had landed before a crash", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const all = await trees(repo, { gate: "! test -e red.txt" });
  const one = task(1);
  await writeWork(all, one, { "b.txt": "b\n" });
  const first = await all.land(one, BY);
  // The second owner makes the same mistake as the first, and takes it back.
  await writeWork(all, one, { "red.txt": "red\n" });
  expect(await all.land(one, BY)).toMatchObject({ kind: "refused", why: "gate" });
  const { workspace } = await all.open(one);
  rmSync(join(workspace, "red.txt"));
  expect(await all.land(one, BY)).toMatchObject({
    kind: "landed",
    commit: first.kind === "landed" && first.commit,
  });
  expect(repo.git("log", "--reverse", "--format=%s")).toBe("First\nTask 1");
});

it("tells that a task landed when a commit of the person took its files along", async () => {
  const repo = repository({ "a.txt": "a\n" });
  // A fast-forward writes files and index, and then moves the branch: the person commits in between.
  const bin = programFolder(
    "git",
    `PATH=${process.env.PATH}
case "$*" in *"merge --ff-only"*)
  if mkdir $HERE/once 2>/dev/null; then
    for to; do :; done
    git read-tree -m -u HEAD $to && git -c user.name=P -c user.email=p@example.org commit -q -m Person
  fi ;;
esac
exec git "$@"`,
  );
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const all = await openTrees(repo.dir, shell, {}, `${bin}:${process.env.PATH}`);
  const one = task(1);
  await writeWork(all, one, { "b.txt": "b\n" });
  expect(await all.land(one, BY)).toMatchObject({ kind: "landed", commit: repo.git("rev-parse", "main") });
  expect(repo.git("log", "--reverse", "--format=%s")).toBe("First\nPerson");
  expect(repo.read("b.txt")).toBe("b\n");
});

it.each([
  ["printf '\\033[31mlint: 3 errors\\033[0m\\n'", /^git commit was refused: lint: 3 errors$/],
  [":", /^git commit was refused: it ended with exit code 1 and printed nothing, so a hook .*has refused it/],
])("says why a commit was refused by a hook that runs %s", async (prints, words) => {
  const repo = repository({ "a.txt": "a\n" });
  writeFileSync(join(repo.dir, ".git/hooks/pre-commit"), `#!/bin/sh\n${prints}; exit 1\n`, { mode: 0o755 });
  const all = await trees(repo, { trusted: true });
  await writeWork(all, task(1), { "1.txt": "x\n" });
  expect(await all.land(task(1), BY)).toMatchObject({
    ...{ kind: "refused", why: "branch", evidence: expect.stringMatching(words) },
  });
});

it("lands the files of a task in which somebody ran git init, or says what keeps them back", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const all = await trees(repo, {});
  const init = (folder: string, ...more: string[]): void =>
    void repo.git("-C", folder, ...more, "init", "--quiet");
  const inner = await writeWork(all, task(1), { "1.txt": "x\n" });
  mkdirSync(join(inner, "app"));
  writeFileSync(join(inner, "app/index.ts"), "x\n");
  init(join(inner, "app"));
  expect(await all.land(task(1), BY)).toMatchObject({
    ...{ kind: "refused", why: "branch" },
    evidence: expect.stringMatching(
      /^app: a git repository of its own inside the worktree.*Delete its \.git folder/,
    ),
  });
  rmSync(join(inner, "app/.git"), { recursive: true });
  expect(await all.land(task(1), BY)).toMatchObject({ kind: "landed" });
  expect(repo.read("app/index.ts")).toBe("x\n");

  const again = await writeWork(all, task(2), { "2.txt": "x\n" });
  init(again);
  expect(await all.land(task(2), BY)).toMatchObject({ kind: "landed" });

  const replaced = await writeWork(all, task(3), { "3.txt": "x\n" });
  rmSync(join(replaced, ".git"), { recursive: true });
  init(replaced);
  // Commits of the other repository are gone; the files are there.
  expect(await all.land(task(3), BY)).toMatchObject({
    ...{ kind: "refused", evidence: expect.stringContaining("It has been made again") },
  });
  expect(await all.land(task(3), BY)).toMatchObject({ kind: "landed" });
  expect(["1.txt", "2.txt", "3.txt"].map((path) => repo.read(path))).toEqual(["x\n", "x\n", "x\n"]);
});
