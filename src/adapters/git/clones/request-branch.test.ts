/** The branch of a pull request on a forge: its name, its trailer, and two clones that continue with it. */
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { landing, openTrees, writeWork } from "../../../../test/fixtures/landing-trees.ts";
import { repository } from "../../../../test/fixtures/repository.ts";
import { createShell } from "../../shell/index.ts";
import { withTrailer } from "./request-branch.ts";

const { task, by } = landing;

it.each([
  ["Subject", "Subject\n\nEkiden-Task: t/1/x"],
  ["Subject\n\nWhy: it was\nslow", "Subject\n\nWhy: it was\nslow\n\nEkiden-Task: t/1/x"],
  [
    "Subject\n\nText.\n\nFixes: a\nSigned-off-by: b\n",
    "Subject\n\nText.\n\nFixes: a\nSigned-off-by: b\nEkiden-Task: t/1/x",
  ],
  ["Subject\n\nEkiden-Task: t/1/x\n", null],
])("puts the trailer behind %j", (message, wanted) => expect(withTrailer(message, "t/1/x")).toBe(wanted));

it("takes a free name, keeps it, and is found by another clone, which continues with it", async () => {
  const first = repository({ "a.txt": "a\n" });
  const dir = join(repository({ "unused.txt": "" }).dir, "bare");
  first.git("clone", "--quiet", "--bare", first.dir, dir);
  const remote = (...args: string[]): string => first.git("-C", dir, ...args);
  remote("branch", "ekiden/1-task-1", "main");
  const machine = async () => {
    const repo = repository({ "unused.txt": "" });
    repo.git("remote", "add", "origin", dir);
    repo.git("fetch", "--quiet", "origin");
    repo.git("reset", "--quiet", "--hard", "origin/main");
    const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
    onTestFinished(() => shell.close());
    const wayOut = { kind: "pr", remote: "origin", isShared: true, isForge: true } as const;
    return await openTrees(repo.dir, shell, { wayOut, gate: "true" });
  };
  const [here, there] = [await machine(), await machine()];
  const branch = "ekiden/1-task-1-2";
  await writeWork(here, task(1), { "1.txt": "one\n" });
  const landed = await here.land(task(1), by);
  expect(landed).toMatchObject({ kind: "proposed", branch, commit: remote("rev-parse", branch) });
  expect(remote("log", "--format=%(trailers:key=Ekiden-Task,valueonly)", "-1", branch)).toMatch(
    /\/1\/[0-9a-z]+\s*$/,
  );
  // A review: another machine has the task now.
  const again = { ...task(1), attempt: 2 };
  const tree = await there.open(again);
  await writeWork(there, again, { "2.txt": "two\n" });
  expect(tree.branch).toBe(branch);
  expect(await there.land(again, by)).toMatchObject({ kind: "proposed", branch });
  expect(remote("show", `${branch}:1.txt`) + remote("show", `${branch}:2.txt`)).toBe("onetwo");
  expect(remote("branch", "--format=%(refname:short)").split("\n")).toEqual([
    "ekiden/1-task-1",
    branch,
    "main",
  ]);
  expect(remote("rev-parse", "ekiden/1-task-1")).toBe(remote("rev-parse", "main"));
});

it("never overwrites what a person has pushed there", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const dir = join(repository({ "unused.txt": "" }).dir, "bare");
  repo.git("clone", "--quiet", "--bare", repo.dir, dir);
  repo.git("remote", "add", "origin", dir);
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const wayOut = { kind: "pr", remote: "origin", isShared: true, isForge: true } as const;
  const here = await openTrees(repo.dir, shell, { wayOut, gate: "true" });
  await writeWork(here, task(1), { "1.txt": "one\n" });
  expect(await here.land(task(1), by)).toMatchObject({ kind: "proposed", branch: "ekiden/1-task-1" });
  const other = repository({ "unused.txt": "" });
  other.git("fetch", "--quiet", dir, "ekiden/1-task-1");
  other.git("reset", "--quiet", "--hard", "FETCH_HEAD");
  other.write({ "theirs.txt": "x\n" });
  other.commit("Theirs");
  other.git("push", "--quiet", dir, "HEAD:ekiden/1-task-1");
  await writeWork(here, task(1), { "2.txt": "two\n" });
  expect(await here.land(task(1), by)).toMatchObject({ kind: "refused", why: "branch" });
  const clone = here.find(task(1))?.workspace ?? "";
  repo.git("-C", clone, "pull", "--quiet", "--no-rebase", "--no-edit", dir, "ekiden/1-task-1");
  expect(await here.land(task(1), by)).toMatchObject({ kind: "proposed", branch: "ekiden/1-task-1" });
  const names = repo.git("-C", dir, "ls-tree", "--name-only", "ekiden/1-task-1");
  expect(names.trim().split("\n")).toEqual(["1.txt", "2.txt", "a.txt", "theirs.txt"]);
});
