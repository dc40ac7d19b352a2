/** The locks of a git that was killed with the owner of a task do not stop the next owner. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { landing, openTrees } from "../../../test/fixtures/landing-trees.ts";
import { type Repository, repository } from "../../../test/fixtures/repository.ts";
import { createShell } from "../shell/index.ts";

const LOCKS = [
  "index",
  "HEAD",
  "ORIG_HEAD",
  "config",
  "packed-refs",
  "refs/heads/ekiden/1-task-1",
  "refs/stash",
];

async function stage() {
  const repo = repository({ "a.txt": "a\n" });
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  /** As another process would. */
  const open = async () => {
    const trees = await openTrees(repo.dir, shell, { gate: "true" });
    return { trees, ...(await trees.open(landing.task(1))) };
  };
  const { workspace } = await open();
  return { repo, open, workspace };
}

function lock(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.lock`, "");
  utimesSync(`${path}.lock`, 1, 1);
  return `${path}.lock`;
}

const commits = ({ git }: Repository, workspace: string): string =>
  git("-C", workspace, "commit", "--allow-empty", "--quiet", "--message", "Half");

it("removes them in the clone, and the task lands", async () => {
  const { repo, open, workspace } = await stage();
  for (const name of LOCKS) lock(join(workspace, ".git", name));
  expect(() => commits(repo, workspace)).toThrow("File exists");
  const { trees } = await open();
  commits(repo, workspace);
  writeFileSync(join(workspace, "b.txt"), "b\n");
  expect(await trees.land(landing.task(1), landing.by)).toMatchObject({ kind: "landed" });
  expect(repo.read("b.txt")).toBe("b\n");
});

it("waits for one that was left a moment ago", async () => {
  const { repo, open, workspace } = await stage();
  writeFileSync(join(workspace, ".git", "index.lock"), "");
  await open();
  commits(repo, workspace);
});

it("waits for a git that runs there, and follows no link", async () => {
  const { repo, open, workspace } = await stage();
  const outside = join(repository({ "b.txt": "" }).dir, "locks");
  mkdirSync(outside);
  const kept = lock(join(outside, "kept"));
  symlinkSync(outside, join(workspace, ".git/refs/elsewhere"));
  const held = lock(join(workspace, ".git/index"));
  const git = spawn("sleep", ["2"], { argv0: "git", cwd: workspace });
  await once(git, "spawn");
  const began = performance.now();
  onTestFinished(() => void git.kill("SIGKILL"));
  await open();
  // This process hears of its end later than others can see it.
  expect(performance.now() - began).toBeGreaterThan(1_900);
  expect([existsSync(held), existsSync(kept)]).toEqual([false, true]);
  expect(spawnSync("git", ["status"], { cwd: repo.dir }).status).toBe(0);
});

it("leaves the locks of the project alone", async () => {
  const { repo, open } = await stage();
  const own = lock(join(repo.dir, ".git/index"));
  await open();
  expect(existsSync(own)).toBe(true);
});
