import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { queueIn } from "../../../test/fixtures/landing-board.ts";
import { landing, meeting } from "../../../test/fixtures/landing-trees.ts";
import { LINES, type Repository, repository } from "../../../test/fixtures/repository.ts";
import { asTaskId, DEFAULT_TEAM, instant } from "../../core/ids.ts";
import type { Landing, Which, Worktrees } from "../../ports/worktrees.ts";
import { PLACE } from "../process-identity.ts";
import { createShell } from "../shell/index.ts";
import { atWorkFile, ownStateOf } from "./clones/own-state.ts";
import { openWorktrees } from "./index.ts";
import type { WorktreeOptions } from "./options.ts";
import { ALONE } from "./remote.ts";

const task = (id: number, subject: string): Which => ({
  id: asTaskId(id),
  subject,
  createdAt: instant(1_700_000_000_000),
});
const TASK = task(1, "Fix the parser");
const BY = landing.by;

async function trees(
  { dir }: Repository,
  options: Partial<WorktreeOptions> = {},
): Promise<Worktrees & { landAs(which: Which): Promise<Landing> }> {
  const shell = createShell({ outputDir: join(dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  mkdirSync(join(dir, ".ekiden"), { recursive: true });
  writeFileSync(join(dir, ".ekiden", ".gitignore"), "*\n");
  const env = { PATH: process.env.PATH ?? "", HOME: dir, GIT_CONFIG_NOSYSTEM: "1" };
  const opened = await openWorktrees({
    project: dir,
    team: DEFAULT_TEAM,
    env,
    shell,
    ...{ gateTimeoutMs: 10_000, share: [], sandbox: null, ...options },
  });
  const made = meeting(opened, dir);
  return Object.assign(made, { landAs: (which: Which) => made.land(which, BY) });
}

const noteOf = (dir: string): string => join(ownStateOf(join(dir, ".git")), "landing");

describe("a worktree", () => {
  it("belongs to its task, also after a restart and under another subject", async () => {
    const repo = repository({ "a.txt": "a\n" });
    const first = await trees(repo);
    expect(first.workspaceOf(TASK)).toBe(join(repo.dir, ".ekiden", "worktrees", "1-fix-the-parser"));
    const [one, two] = await Promise.all([first.open(TASK), first.open(TASK)]);
    expect(two).toEqual(one);
    expect(one).toMatchObject({ branch: "ekiden/1-fix-the-parser", workspace: first.workspaceOf(TASK) });
    const later = await trees(repo);
    expect(await later.open({ ...TASK, subject: "Another subject" })).toEqual(one);
    expect(await later.list()).toEqual([{ id: TASK.id, createdAt: TASK.createdAt }]);
    const ofNewBoard = { ...TASK, createdAt: instant(1_800_000_000_000) };
    expect((await later.open(ofNewBoard)).branch).toBe("ekiden/1-fix-the-parser-2");
  });

  it("can be made beside many others at once", async () => {
    const all = await trees(repository({ "a.txt": "a\n" }));
    const tasks = Array.from({ length: 24 }, (_, i) => task(i + 1, "One of many"));
    const made = await Promise.all(tasks.map((one) => all.open(one)));
    expect(new Set(made.map(({ workspace }) => workspace)).size).toBe(24);
    expect(made.every(({ workspace }) => existsSync(join(workspace, "a.txt")))).toBe(true);
  });

  it("is made again on its branch when somebody took its folder away", async () => {
    const repo = repository({ "a.txt": "a\n" });
    const all = await trees(repo);
    const { workspace, branch } = await all.open(TASK);
    writeFileSync(join(workspace, "b.txt"), "b\n");
    await expect(trees(repo)).resolves.toBeTruthy();
    repo.git("-C", workspace, "add", "b.txt");
    repo.git("-C", workspace, "commit", "--quiet", "-m", "b");
    await all.park(TASK, ALONE);
    rmSync(workspace, { recursive: true });
    expect(all.find(TASK)).toBeNull();
    expect(await all.remove(TASK)).toMatchObject({
      kind: "kept",
      why: expect.stringContaining("not on main"),
    });
    await expect(all.open(TASK)).rejects.toThrow(`made again on ${branch}`);
    expect(existsSync(join(workspace, "b.txt"))).toBe(true);
  });

  it("links to ignored folders of the project, and nobody can commit the link", async () => {
    const repo = repository({ "a.txt": "a\n", ".gitignore": "node_modules/\n" });
    repo.write({ "node_modules/x.js": "x\n" });
    const all = await trees(repo, { share: ["node_modules/", "missing", "a.txt"] });
    const { workspace } = await all.open(TASK);
    expect(existsSync(join(workspace, "node_modules", "x.js"))).toBe(true);
    expect(all.shared).toContain(join(repo.dir, "node_modules"));
    repo.git("-C", workspace, "add", "--all");
    expect(repo.git("-C", workspace, "status", "--porcelain")).toBe("");
    expect(await all.remove(TASK)).toEqual({ kind: "removed" });
    expect(repo.read("node_modules/x.js")).toBe("x\n");
  });

  it("is the project's own folder in it, where that is not the top of the repository", async () => {
    const repo = repository({ "packages/api/a.txt": "a\n" });
    const project = join(repo.dir, "packages", "api");
    mkdirSync(join(project, ".ekiden"));
    writeFileSync(join(project, ".ekiden", ".gitignore"), "*\n");
    const all = await trees(repo, { project, gate: "test -f a.txt && test -f b.txt" });
    const { workspace } = await all.open(TASK);
    expect(existsSync(join(workspace, "a.txt"))).toBe(true);
    writeFileSync(join(workspace, "b.txt"), "b\n");
    expect(await all.landAs(TASK)).toMatchObject({ kind: "landed" });
    expect(repo.read("packages/api/b.txt")).toBe("b\n");
  });
});

describe("removal (68)", () => {
  it("never takes an uncommitted file or an unmerged commit", async () => {
    const repo = repository({ "a.txt": "a\n" });
    const all = await trees(repo);
    const { workspace, branch } = await all.open(TASK);
    const here = (...args: string[]): string => repo.git("-C", workspace, ...args);
    writeFileSync(join(workspace, "new.txt"), "new\n");
    expect(await all.remove(TASK)).toEqual({ kind: "kept", why: "uncommitted: new.txt" });
    here("add", "--all");
    here("commit", "--quiet", "-m", "New");
    await all.park(TASK, ALONE);
    expect(await all.remove(TASK)).toMatchObject({
      kind: "kept",
      why: expect.stringMatching(/not on main: \w+ New/),
    });
    here("checkout", "--quiet", "--detach", "main");
    expect(await all.remove(TASK)).toMatchObject({ kind: "kept", why: expect.stringContaining("New") });
    here("switch", "--quiet", branch);
    repo.git("merge", "--quiet", "--ff-only", branch);
    here("switch", "--quiet", "--detach");
    here("commit", "--quiet", "--allow-empty", "-m", "On no branch");
    expect(await all.remove(TASK)).toMatchObject({
      kind: "kept",
      why: expect.stringContaining("On no branch"),
    });
    here("switch", "--quiet", branch);
    expect(await all.remove(TASK)).toEqual({ kind: "removed" });
    expect(existsSync(workspace)).toBe(false);
    expect(repo.git("branch", "--list", branch)).toBe("");
    expect(await all.remove(TASK)).toEqual({ kind: "missing" });
  });
});

describe("landing", () => {
  it("commits in the member's name and moves a target that is checked out nowhere", async () => {
    const repo = repository({ "a.txt": LINES });
    repo.git("branch", "release");
    const all = await trees(repo, { target: "release" });
    const { workspace } = await all.open(TASK);
    writeFileSync(join(workspace, "b.txt"), "b\n");
    expect(await all.landAs(TASK)).toMatchObject({ kind: "landed", target: "release" });
    expect(repo.git("log", "-1", "--format=%an <%ae> %s", "release")).toBe(
      "alice <alice@ekiden.invalid> Fix the parser",
    );
    expect(existsSync(join(repo.dir, "b.txt"))).toBe(false);
    // The one who landed it died before it could tell.
    expect(await all.landAs(TASK)).toMatchObject({ kind: "landed" });
  });

  it("makes one commit of a branch that merged, with what was resolved in it", async () => {
    const repo = repository({ "a.txt": "a\n" });
    const all = await trees(repo);
    const { workspace } = await all.open(TASK);
    const here = (...args: string[]): string => repo.git("-C", workspace, ...args);
    writeFileSync(join(workspace, "a.txt"), "mine\n");
    here("commit", "--quiet", "-am", "Mine");
    repo.write({ "a.txt": "theirs\n" });
    repo.commit("Theirs");
    await all.open(TASK);
    expect(() => here("merge", "main")).toThrow();
    expect(await all.landAs(TASK)).toMatchObject({ kind: "refused", why: "branch" });
    writeFileSync(join(workspace, "a.txt"), "both\n");
    here("add", "a.txt");
    here("commit", "--quiet", "-m", "Merge");
    repo.write({ "other.txt": "other\n" });
    repo.commit("Another");
    expect(await all.landAs(TASK)).toMatchObject({ kind: "landed" });
    expect(repo.git("log", "--format=%s")).toBe("Fix the parser\nAnother\nTheirs\nFirst");
    expect(repo.git("rev-list", "--merges", "HEAD")).toBe("");
    expect(repo.read("a.txt")).toBe("both\n");
  });

  it("does not overwrite what the person has changed in the project meanwhile", async () => {
    const repo = repository({ "a.txt": "a\n", "b.txt": "b\n" });
    const all = await trees(repo);
    const { workspace } = await all.open(TASK);
    writeFileSync(join(workspace, "a.txt"), "task\n");
    repo.write({ "a.txt": "person\n" });
    const refused = await all.landAs(TASK);
    expect(refused).toMatchObject({
      kind: "refused",
      why: "target",
      evidence: expect.stringContaining("a.txt"),
    });
    expect(repo.read("a.txt")).toBe("person\n");
    expect(repo.git("log", "--format=%s", "main")).toBe("First");
    repo.write({ "a.txt": "a\n", "b.txt": "person\n" });
    expect(await all.landAs(TASK)).toMatchObject({ kind: "landed" });
    expect(repo.read("a.txt") + repo.read("b.txt")).toBe("task\nperson\n");
  });

  it("leaves no commit on the target that the gate has not seen", async () => {
    const repo = repository({ "a.txt": "a\n" });
    const steps = async (options: Partial<WorktreeOptions>): Promise<string> => {
      const all = await trees(repo, options);
      const { workspace } = await all.open(TASK);
      const here = (...args: string[]): string => repo.git("-C", workspace, ...args);
      for (const text of ["broken", "whole"]) {
        writeFileSync(join(workspace, "a.txt"), `${text} ${repo.git("rev-list", "--count", "HEAD")}\n`);
        here("commit", "--quiet", "--all", "--message", `Make it ${text}`);
      }
      expect(await all.landAs(TASK)).toMatchObject({ kind: "landed" });
      await all.remove(TASK);
      return repo.git("log", "--format=%B");
    };
    expect(await steps({ gate: "! grep -q broken a.txt" })).toBe(
      "Fix the parser\n\n- Make it broken\n- Make it whole\n\nFirst\n",
    );
    expect(repo.read("a.txt")).toBe("whole 1\n");
    expect(await steps({})).toMatch(/^Make it whole\n\nMake it broken\n\nFix the parser\n/);
  });

  it("begins again when somebody else moves the target during the gate", async () => {
    const repo = repository({ "a.txt": "a\n" });
    const person = `git -C "${repo.dir}" -c user.name=P -c user.email=p@example.org commit -q --allow-empty -m Person`;
    const all = await trees(repo, {
      gate: `echo run >> "${repo.dir}/.ekiden/runs"; test -e "${repo.dir}/.ekiden/moved" || { touch "${repo.dir}/.ekiden/moved"; ${person}; }`,
    });
    const { workspace } = await all.open(TASK);
    writeFileSync(join(workspace, "a.txt"), "task\n");
    expect(await all.landAs(TASK)).toMatchObject({ kind: "landed" });
    expect(repo.git("log", "--format=%s")).toBe("Fix the parser\nPerson\nFirst");
    expect(repo.read(".ekiden/runs")).toBe("run\nrun\n");
  });

  it("stops at a task that was taken away while its gate ran", async () => {
    const repo = repository({ "a.txt": "a\n" });
    const all = await trees(repo, { gate: "true" });
    const { workspace } = await all.open(TASK);
    writeFileSync(join(workspace, "a.txt"), "task\n");
    const stillMine = (): Promise<void> => Promise.reject(new Error("taken"));
    await expect(all.land(TASK, { ...BY, stillMine })).rejects.toThrow("taken");
    expect(repo.git("log", "--format=%s", "main")).toBe("First");
    expect((await queueIn(repo.dir)).waiting).toEqual([]);
  });

  it("undoes a rebase that a dead process left half done, but not one of the member's own", async () => {
    const repo = repository({ "a.txt": "a\n" });
    const all = await trees(repo);
    const { workspace, branch } = await all.open(TASK);
    const here = (...args: string[]): string => repo.git("-C", workspace, ...args);
    writeFileSync(join(workspace, "a.txt"), "mine\n");
    here("commit", "--quiet", "-am", "Mine");
    repo.write({ "a.txt": "theirs\n" });
    repo.commit("Theirs");
    await all.open(TASK);
    expect(() => here("rebase", "main")).toThrow();
    const rebasing = { why: "branch", evidence: expect.stringContaining("rebase") };
    expect(await all.landAs(TASK)).toMatchObject(rebasing);
    const gitDir = here("rev-parse", "--path-format=absolute", "--git-dir");
    writeFileSync(atWorkFile(gitDir), "rebase");
    writeFileSync(join(gitDir, "index.lock"), "");
    const conflict = { why: "conflict", evidence: expect.stringContaining("<<<<<<<") };
    expect(await all.landAs(TASK)).toMatchObject(conflict);
    expect(here("log", "--format=%s", branch)).toBe("Mine\nFirst");
    expect(here("status", "--porcelain")).toBe("");
  });
});

describe("a landing that was cut short", () => {
  it("continues from the branch where its sign was cut off, too", async () => {
    const repo = repository({ "a.txt": "a\n" });
    const all = await trees(repo);
    const { workspace } = await all.open(TASK);
    writeFileSync(join(workspace, "a.txt"), "task\n");
    repo.git("-C", workspace, "commit", "--quiet", "--all", "--message", "Mine");
    repo.git("-C", workspace, "checkout", "--quiet", "--detach", "HEAD~1");
    writeFileSync(atWorkFile(join(workspace, ".git")), "");
    expect(await all.landAs(TASK)).toMatchObject({ kind: "landed" });
    expect(repo.read("a.txt")).toBe("task\n");
  });

  it("is finished by whoever comes next: the files, the lock and the branch", async () => {
    const repo = repository({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
    repo.git("switch", "--quiet", "-c", "ekiden/1-x");
    repo.write({ "a.txt": "new\n", "d.txt": "d\n", "e.txt": "e\n" });
    repo.git("rm", "--quiet", "c.txt");
    repo.commit("Landed");
    const to = repo.git("rev-parse", "HEAD");
    repo.git("switch", "--quiet", "main");
    // As git leaves it when it is killed: some files are there already, the branch is where it was.
    writeFileSync(noteOf(repo.dir), to);
    repo.write({ "a.txt": "new\n", "d.txt": "d\n", ".git/index.lock": "" });
    rmSync(join(repo.dir, "c.txt"));
    await trees(repo);
    expect(repo.git("log", "-1", "--format=%s", "main")).toBe("Landed");
    expect(repo.git("status", "--porcelain", "--untracked-files=no")).toBe("");
    expect(repo.read("e.txt")).toBe("e\n");
    expect(existsSync(noteOf(repo.dir))).toBe(false);
  });

  it("touches nothing that somebody has changed since, and no lock that is not its own", async () => {
    const repo = repository({ "a.txt": "a\n" });
    repo.git("switch", "--quiet", "-c", "ekiden/1-x");
    repo.write({ "a.txt": "new\n" });
    repo.commit("Landed");
    const to = repo.git("rev-parse", "HEAD");
    repo.git("switch", "--quiet", "main");
    writeFileSync(noteOf(repo.dir), to);
    repo.write({ "a.txt": "person\n", ".git/index.lock": "" });
    utimesSync(join(repo.dir, ".git", "index.lock"), 1, 1);
    await expect(trees(repo)).rejects.toThrow(/uncommitted.*a\.txt/);
    expect(repo.read("a.txt")).toBe("person\n");
    expect(existsSync(join(repo.dir, ".git", "index.lock"))).toBe(true);
  });
});

it("tells what a landing waits for, and what its gate has left behind", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const gate =
    'if grep -q task a.txt; then echo red; echo report > report.txt; exit 1; fi; until test -e "$GO"; do sleep 0.02; done';
  const go = join(repo.dir, ".ekiden", "go");
  const all = await trees(repo, { gate: `GO=${go}; ${gate}` });
  const other = task(2, "Goes first");
  writeFileSync(join((await all.open(TASK)).workspace, "a.txt"), "task\n");
  writeFileSync(join((await all.open(other)).workspace, "b.txt"), "b\n");
  const steps: string[] = [];
  let begun = (): void => {};
  const gated = new Promise<void>((given) => {
    begun = given;
  });
  const first = all.land(other, { ...BY, onStep: () => Promise.resolve(begun()) });
  await gated;
  const landed = await all.land(TASK, {
    ...BY,
    onStep: (one) => {
      steps.push(one);
      if (one === "queued") writeFileSync(go, "");
      return Promise.resolve();
    },
  });
  expect(await first).toMatchObject({ kind: "landed" });
  expect(steps).toEqual(["queued", "gate"]);
  expect(landed).toMatchObject({
    why: "gate",
    evidence: expect.stringMatching(/red\n.*files of the worktree: report\.txt/),
  });
});

it("follows no link out of the project when it takes shared ones away", async () => {
  const repo = repository({ "a.txt": "a\n", ".gitignore": "cache\n" });
  repo.write({ "real/keep.txt": "keep\n" });
  symlinkSync(join(repo.dir, "real"), join(repo.dir, "cache"));
  const all = await trees(repo, { share: ["cache"] });
  await all.open(TASK);
  expect(await all.remove(TASK)).toEqual({ kind: "removed" });
  expect(repo.read("cache/keep.txt")).toBe("keep\n");
});

describe("repositories as people have them", () => {
  it("sees new files that the person's configuration hides", async () => {
    const repo = repository({ "a.txt": "a\n" });
    repo.git("config", "status.showUntrackedFiles", "no");
    const all = await trees(repo);
    const { workspace } = await all.open(TASK);
    writeFileSync(join(workspace, "new.txt"), "new\n");
    expect(await all.remove(TASK)).toEqual({ kind: "kept", why: "uncommitted: new.txt" });
    expect(await all.landAs(TASK)).toMatchObject({ kind: "landed" });
    expect(repo.read("new.txt")).toBe("new\n");
  });

  it("lands no repository inside of the worktree as a commit that nobody has", async () => {
    const repo = repository({ "a.txt": "a\n" });
    const all = await trees(repo);
    const { workspace } = await all.open(TASK);
    const inner = join(workspace, "inner");
    mkdirSync(inner);
    writeFileSync(join(inner, "b.txt"), "b\n");
    repo.git("-C", inner, "init", "--quiet");
    repo.git("-C", inner, "add", "--all");
    repo.git("-C", inner, "commit", "--quiet", "-m", "Inner");
    expect(await all.landAs(TASK)).toMatchObject({
      why: "branch",
      evidence: expect.stringMatching(/^inner: a git repository of its own/),
    });
    rmSync(join(inner, ".git"), { recursive: true });
    repo.git("-C", workspace, "rm", "-r", "--quiet", "--cached", "inner");
    expect(await all.landAs(TASK)).toMatchObject({ kind: "landed" });
    expect(repo.read("inner/b.txt")).toBe("b\n");
  });

  it("takes a worktree that is there, whatever a hook after its checkout says", async () => {
    const repo = repository({ "a.txt": "a\n" });
    repo.write({ ".git/hooks/post-checkout": "#!/bin/sh\necho no such program >&2; exit 2\n" });
    chmodSync(join(repo.dir, ".git", "hooks", "post-checkout"), 0o755);
    const all = await trees(repo, { trusted: true });
    const { workspace } = await all.open(TASK);
    writeFileSync(join(workspace, "b.txt"), "b\n");
    expect(await all.landAs(TASK)).toMatchObject({ kind: "landed" });
  });

  it("finishes no workspace that a dead process was making, and takes none for one", async () => {
    const repo = repository({ "a.txt": "a\n" });
    const { workspace } = await (await trees(repo)).open(TASK);
    const folder = join(workspace, "..");
    const half = join(folder, `.making-${PLACE}.4194305.1.aaaaaaaaaaaa`);
    renameSync(workspace, half);
    rmSync(join(half, "a.txt"));
    const later = await trees(repo);
    expect(later.find(TASK)).toBeNull();
    await expect(later.open(TASK)).rejects.toThrow("made again");
    expect((await later.open(TASK)).workspace).toBe(workspace);
    expect(repo.git("-C", workspace, "status", "--porcelain")).toBe("");
    expect(existsSync(join(workspace, "a.txt"))).toBe(true);
    expect(existsSync(half)).toBe(false);
  });

  it("names what is under way in the project, and does not call it a detached HEAD", async () => {
    const repo = repository({ "a.txt": "a\n" });
    repo.git("switch", "--quiet", "-c", "other");
    repo.write({ "a.txt": "other\n" });
    repo.commit("Other");
    repo.git("switch", "--quiet", "main");
    repo.write({ "a.txt": "main\n" });
    repo.commit("Main");
    expect(() => repo.git("rebase", "other")).toThrow();
    await expect(trees(repo)).rejects.toThrow(/A rebase is under way.*git rebase --abort/);
  });
});
