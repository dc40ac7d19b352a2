/** Somebody's `git gc --prune=now` in the project removes each object that no ref names, in the middle of everything. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createShell } from "../../../src/adapters/shell/index.ts";
import { landing, openTrees, workspacesIn, writeWork } from "../../fixtures/landing-trees.ts";
import { repository } from "../../fixtures/repository.ts";

const TASKS = [1, 2, 3, 4, 5, 6];

it("lands each task once while the project is collected without a pause, and leaves nothing", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const trees = await openTrees(repo.dir, shell, { gate: "true" });
  const loop = "echo begun; while read -t 0.05 word; [ $? -gt 128 ]; do git gc --prune=now --quiet; done";
  const collector = spawn("bash", ["-c", loop], { cwd: repo.dir, stdio: ["pipe", "pipe", "ignore"] });
  const over = once(collector, "exit");
  onTestFinished(async () => {
    collector.stdin.end();
    await over;
  });
  await once(collector.stdout, "data");
  const land = async (id: number): Promise<void> => {
    const task = { ...landing.task(id), attempt: 1 };
    const workspace = await writeWork(trees, task, { [`${id}.txt`]: "x\n" });
    const commit = `git add -A && git -c user.name=a -c user.email=a@b commit -q -m Part`;
    await shell.run(commit, { cwd: workspace, signal: landing.by.signal, timeoutMs: 60_000 });
    await writeWork(trees, task, { [`more-${id}.txt`]: "x\n" });
    expect(await trees.land(task, landing.by)).toMatchObject({ kind: "landed" });
    expect(await trees.remove(task)).toEqual({ kind: "removed" });
  };
  for (const half of [TASKS.slice(0, 3), TASKS.slice(3)]) await Promise.all(half.map(land));
  expect(repo.git("log", "--format=%s", "main").split("\n").sort()).toEqual(
    ["First", ...TASKS.map((id) => `Task ${id}`)].sort(),
  );
  expect(workspacesIn(repo.dir)).toEqual([]);
  expect(repo.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
});

it("lands beside a branch of another task whose commit is gone", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const trees = await openTrees(repo.dir, shell, { gate: "true" });
  const task = { ...landing.task(1), attempt: 1 };
  await writeWork(trees, task, { "1.txt": "x\n" });
  const broken = join(repo.dir, ".git/refs/heads/ekiden/9-other");
  mkdirSync(dirname(broken), { recursive: true });
  writeFileSync(broken, `${"1".repeat(40)}\n`);
  expect(await trees.land(task, landing.by)).toMatchObject({ kind: "landed" });
});
