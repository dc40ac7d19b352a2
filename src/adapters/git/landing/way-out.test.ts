/** Landings that leave the repository, and what a person does to the target meanwhile. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { landing, openTrees, writeWork } from "../../../../test/fixtures/landing-trees.ts";
import { type Repository, repository, repositoryIn } from "../../../../test/fixtures/repository.ts";
import type { Worktrees } from "../../../ports/worktrees.ts";
import { createShell } from "../../shell/index.ts";
import { ownStateOf } from "../clones/own-state.ts";
import type { WorktreeOptions } from "../options.ts";

const { task, by } = landing;
/** On a shared remote a branch also has the time of the task's creation. */
const SHARED_BRANCH = "ekiden/1-task-1-loyw3v28";

async function trees({ dir }: Repository, options: Partial<WorktreeOptions>): Promise<Worktrees> {
  const shell = createShell({ outputDir: join(dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  return await openTrees(dir, shell, options);
}

/** A bare repository as "origin", with main in it. */
function remoteOf(repo: Repository): Repository {
  const remote = repository({ "unused.txt": "" });
  repo.git("clone", "--quiet", "--bare", repo.dir, join(remote.dir, "bare"));
  repo.git("remote", "add", "origin", join(remote.dir, "bare"));
  return {
    ...remote,
    dir: join(remote.dir, "bare"),
    git: (...args) => repo.git("-C", join(remote.dir, "bare"), ...args),
  };
}

const push = (): Pick<WorktreeOptions, "wayOut"> => ({ wayOut: { kind: "push", remote: "origin" } });
const pr = (command: string): Pick<WorktreeOptions, "wayOut"> => ({
  wayOut: { kind: "pr", remote: "origin", command },
});

it("pushes what has landed, on top of what others have pushed", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const remote = remoteOf(repo);
  const all = await trees(repo, { ...push(), gate: "test -e other.txt" });
  await writeWork(all, task(1), { "1.txt": "one\n" });
  // Somebody else pushes: only the remote has it.
  const other = repository({ "a.txt": "a\n" });
  other.git("fetch", "--quiet", remote.dir, "main");
  other.git("reset", "--quiet", "--hard", "FETCH_HEAD");
  other.write({ "other.txt": "other\n" });
  other.commit("Other");
  other.git("push", "--quiet", remote.dir, "main");
  expect(await all.land(task(1), by)).toMatchObject({ kind: "landed" });
  expect(remote.git("log", "--format=%s", "main")).toBe("Task 1\nOther\nFirst");
  expect(repo.git("rev-parse", "main")).toBe(remote.git("rev-parse", "main"));
  expect(repo.read("other.txt") + repo.read("1.txt")).toBe("other\none\n");
});

it("begins again when somebody pushes during its gate", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const remote = remoteOf(repo);
  const other = repository({ "a.txt": "a\n" });
  other.git("fetch", "--quiet", remote.dir, "main");
  other.git("reset", "--quiet", "--hard", "FETCH_HEAD");
  other.write({ "other.txt": "other\n" });
  other.commit("Other");
  const gate = `echo run >> ${repo.dir}/.ekiden/runs; git -C ${other.dir} push --quiet ${remote.dir} main`;
  const all = await trees(repo, { ...push(), gate });
  await writeWork(all, task(1), { "1.txt": "one\n" });
  expect(await all.land(task(1), by)).toMatchObject({ kind: "landed" });
  expect(remote.git("log", "--format=%s", "main")).toBe("Task 1\nOther\nFirst");
  expect(repo.git("rev-parse", "main")).toBe(remote.git("rev-parse", "main"));
  expect(repo.read(".ekiden/runs")).toBe("run\nrun\n");
});

it("lands nothing here that the remote refuses, and keeps the work", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const remote = remoteOf(repo);
  const all = await trees(repo, push());
  await writeWork(all, task(1), { "1.txt": "one\n" });
  const hook = join(remote.dir, "hooks", "pre-receive");
  mkdirSync(dirname(hook), { recursive: true });
  writeFileSync(hook, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  expect(await all.land(task(1), by)).toMatchObject({ kind: "refused", why: "target" });
  expect(repo.git("log", "--format=%s", "main")).toBe("First");
  expect(repo.git("log", "--format=%s", SHARED_BRANCH)).toBe("Task 1\nFirst");
  rmSync(hook);
  expect(await all.land(task(1), by)).toMatchObject({ kind: "landed" });
});

it("proposes a branch instead of moving the target, and says so when the command fails", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const remote = remoteOf(repo);
  const ready = join(repo.dir, ".ekiden", "ready");
  const command = `test -e ${ready} || { echo not logged in; exit 4; }; echo "https://example.org/$EKIDEN_TASK/$EKIDEN_BRANCH/$EKIDEN_TARGET"`;
  const all = await trees(repo, { ...pr(command), gate: "test -e 1.txt" });
  const workspace = await writeWork(all, task(1), { "1.txt": "one\n" });
  expect(await all.land(task(1), by)).toMatchObject({
    kind: "refused",
    why: "target",
    evidence: expect.stringMatching(/pushed to origin, but .* failed \(exit code 4\):\nnot logged in/),
  });
  repo.write({ ".ekiden/ready": "" });
  const proposed = { kind: "proposed", said: "https://example.org/1/ekiden/1-task-1/main" };
  expect(await all.land(task(1), by)).toMatchObject(proposed);
  // The one who proposed it died before it could tell.
  expect(await all.land(task(1), by)).toMatchObject({ kind: "proposed" });
  expect(repo.git("log", "--format=%s", "main")).toBe("First");
  expect(remote.git("log", "--format=%s", "ekiden/1-task-1")).toBe("Task 1\nFirst");
  expect(await all.remove(task(1))).toEqual({ kind: "removed" });
  expect(existsSync(workspace)).toBe(false);
  expect(repo.git("rev-parse", "ekiden/1-task-1")).toBe(remote.git("rev-parse", "ekiden/1-task-1"));
});

it.each([
  [
    "was killed once",
    "test -e $DONE && echo there; touch $DONE; test -s $DONE || { echo x > $DONE; kill -9 $$; }",
    {},
  ],
  [
    "stood still once",
    "test -e $DONE && echo there && exit; touch $DONE; sleep 600",
    { gateTimeoutMs: 2_000 },
  ],
])("runs the command again that %s", async (_, command, options) => {
  const repo = repository({ "a.txt": "a\n" });
  remoteOf(repo);
  const done = join(repo.dir, ".ekiden", "done");
  const all = await trees(repo, { ...pr(command.replaceAll("$DONE", done)), ...options });
  await writeWork(all, task(1), { "1.txt": "one\n" });
  expect(await all.land(task(1), by)).toMatchObject({ kind: "proposed", said: "there" });
});

it("gives up a command that stands still each time, and says how often it was tried", async () => {
  const repo = repository({ "a.txt": "a\n" });
  remoteOf(repo);
  const all = await trees(repo, { ...pr("echo asks; sleep 600"), gateTimeoutMs: 300 });
  await writeWork(all, task(1), { "1.txt": "one\n" });
  expect(await all.land(task(1), by)).toMatchObject({
    kind: "refused",
    evidence: expect.stringMatching(/failed 3 times \(timed out after 0\.3 s\):\nasks/),
  });
});

it("never overwrites what others have added to a proposed branch", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const remote = remoteOf(repo);
  const all = await trees(repo, pr("true"));
  await writeWork(all, task(1), { "1.txt": "one\n" });
  expect(await all.land(task(1), by)).toMatchObject({ kind: "proposed" });
  const reviewer = repository({ "a.txt": "a\n" });
  reviewer.git("fetch", "--quiet", remote.dir, "ekiden/1-task-1");
  reviewer.git("reset", "--quiet", "--hard", "FETCH_HEAD");
  reviewer.write({ "review.txt": "x\n" });
  reviewer.commit("Review");
  reviewer.git("push", "--quiet", remote.dir, "HEAD:ekiden/1-task-1");
  await writeWork(all, task(1), { "1.txt": "more\n" });
  expect(await all.land(task(1), by)).toMatchObject({ why: "branch" });
  expect(remote.git("log", "-1", "--format=%s", "ekiden/1-task-1")).toBe("Review");
});

it.each([
  [push(), /no.*"origin".*git remote add origin URL/],
  [pr("true"), /no git remote called "origin"/],
  [{ wayOut: { kind: "pr", remote: "origin" } } as const, /prCommand/],
])("says what a way out needs, before anything is created", async (options, message) => {
  const repo = repository({ "a.txt": "a\n" });
  if (options.wayOut?.kind === "pr" && options.wayOut.command === undefined) remoteOf(repo);
  await expect(trees(repo, options)).rejects.toThrow(message);
  expect(existsSync(join(repo.dir, ".ekiden", "worktrees"))).toBe(false);
});

it("tells of commits and of a rebase that a person makes, once each, and of no landing", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const all = await trees(repo, {});
  const told: string[] = [];
  const tell = (text: string): Promise<void> => Promise.resolve(void told.push(text));
  await all.noticeMoves(tell);
  await writeWork(all, task(1), { "1.txt": "one\n" });
  repo.write({ "person.txt": "person\n" });
  repo.commit("Person");
  expect(await all.land(task(1), { ...by, onMoved: tell })).toMatchObject({ kind: "landed" });
  await all.noticeMoves(tell);
  expect(told).toEqual([
    expect.stringMatching(/^main has 1 commit that no task has landed: \w+ Person \(Pat\)/),
  ]);
  repo.write({ "more.txt": "more\n" });
  repo.commit("More");
  // A rebase that keeps the landing under another id, and drops More.
  repo.git("reset", "--quiet", "--hard", "HEAD~2");
  repo.git("commit", "--quiet", "--allow-empty", "--message", "Below");
  await all.noticeMoves(tell);
  await all.noticeMoves(tell);
  expect(told.slice(1)).toEqual([
    expect.stringMatching(/^main was rewritten.*: 1 earlier commit is not on it\..*Missing: \w+ Task 1/),
  ]);
});

it("continues in a repository that was made again in the same folder", async () => {
  const repo = repository({ "a.txt": "a\n" });
  repo.git("commit", "--quiet", "--allow-empty", "--message", "Gone");
  const gone = repo.git("rev-parse", "HEAD");
  const told: string[] = [];
  const tell = async (text: string): Promise<void> => void told.push(text);
  await (await trees(repo, {})).noticeMoves(tell);
  const note = join(ownStateOf(join(repo.dir, ".git")), "landing");
  writeFileSync(note, gone);
  rmSync(join(repo.dir, ".git"), { recursive: true });
  repositoryIn(repo.dir, { "b.txt": "b\n" });
  const all = await trees(repo, {});
  expect(existsSync(note)).toBe(false);
  await all.noticeMoves(tell);
  await all.noticeMoves(tell);
  expect(told).toEqual([expect.stringContaining(gone.slice(0, 12))]);
});
