/** Repositories of other forms: each gives its tasks clones and takes their work, or is refused at the start with what to do. */
import { execFileSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox, Shell } from "../../../src/ports/index.ts";
import type { Worktrees } from "../../../src/ports/worktrees.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { closeConfined, confined } from "../../fixtures/confined.ts";
import { landing, openTrees } from "../../fixtures/landing-trees.ts";
import { type Repository, repositoryIn } from "../../fixtures/repository.ts";
import { takeAway } from "../../fixtures/take-away.ts";

const TASK = landing.task(1);
let base: string;
let origin: Repository;
let both: { readonly sandbox: Sandbox; readonly shell: Shell } | null = null;

const git = (cwd: string, ...args: string[]): string =>
  execFileSync(
    "git",
    ["-c", "user.name=Pat", "-c", "user.email=pat@example.org", "-c", "protocol.file.allow=always", ...args],
    {
      cwd,
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: base, GIT_CONFIG_NOSYSTEM: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  ).trim();

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(homedir(), ".ekiden-repositories-")));
  origin = repositoryIn(join(base, "origin"), {
    "a.txt": "a\n",
    "in/b.txt": "b\n",
    "out/c.txt": "c\n",
    ".gitignore": ".ekiden/\n",
  });
  origin.write({ "a.txt": "a2\n" });
  origin.commit("Second");
});
afterEach(async () => {
  if (both) await closeConfined(both);
  both = null;
  takeAway(base);
});

/** In the sandbox, as members work. */
async function open(
  project: string,
): Promise<{ trees: Worktrees; run(cwd: string, command: string): Promise<string> }> {
  const { sandbox, shell } = confined(base, project, { inWorktrees: true });
  both = { sandbox, shell };
  const trees = await openTrees(project, shell, { sandbox, gate: "test -f new.txt" });
  const run = async (cwd: string, command: string): Promise<string> => {
    const { signal } = new AbortController();
    const ran = await shell.run(command, { cwd, signal, timeoutMs: 60_000 });
    expect(ran.output, command).not.toMatch(/error:|fatal:/);
    return ran.output;
  };
  return { trees, run };
}

/** A task that commits, meets a commit of somebody else, and lands. */
async function lands(project: string, person = project): Promise<string> {
  const { trees, run } = await open(project);
  const { workspace } = await trees.open(TASK);
  const identity = "-c user.name=M -c user.email=m@x";
  const shown = await run(
    workspace,
    `ls; echo n > new.txt; git add new.txt; git ${identity} commit -qm Own; git log --oneline; git diff HEAD~1 --stat`,
  );
  writeFileSync(join(person, "person.txt"), "p\n");
  git(person, "add", "person.txt");
  git(person, "commit", "-q", "-m", "Person");
  writeFileSync(join(workspace, "later.txt"), "l\n");
  const landed = await trees.land(TASK, landing.by);
  expect(landed, JSON.stringify(landed)).toMatchObject({ kind: "landed" });
  expect(readFileSync(join(project, "new.txt"), "utf8")).toBe("n\n");
  expect(git(project, "log", "-2", "--format=%s", "main")).toContain("Person");
  expect(git(project, "status", "--porcelain")).toBe("");
  expect(await trees.remove(TASK)).toEqual({ kind: "removed" });
  expect(git(project, "for-each-ref", "refs/ekiden", "refs/heads/ekiden")).toBe("");
  return shown;
}

bubblewrapOrSkip(describe)("lands in", () => {
  const clone = (...args: string[]): string => {
    const project = join(base, "project");
    git(base, "clone", "--quiet", ...args, project);
    return project;
  };

  it("a shallow clone", async () => {
    const project = clone("--depth", "1", `file://${origin.dir}`);
    expect(await lands(project)).toContain("Second");
    expect(git(project, "rev-parse", "--is-shallow-repository")).toBe("true");
  });

  it("a clone that borrows objects, also of one that borrows them itself", async () => {
    git(base, "clone", "--quiet", "--shared", origin.dir, join(base, "middle"));
    writeFileSync(join(base, "middle/.git/objects/info/alternates"), "../../../origin/.git/objects\n");
    await lands(clone("--shared", join(base, "middle")));
  });

  it("a sparse checkout, without the files that it leaves out", async () => {
    const project = clone(origin.dir);
    git(project, "sparse-checkout", "set", "in");
    expect(existsSync(join(project, "out"))).toBe(false);
    expect((await lands(project)).split("\n")).not.toContain("out");
    expect(git(project, "ls-tree", "-r", "--name-only", "main")).toContain("out/c.txt");
  });

  it("a worktree of the person", async () => {
    const project = join(base, "beside");
    git(origin.dir, "switch", "--quiet", "--detach");
    git(origin.dir, "worktree", "add", "--quiet", project, "main");
    await lands(project);
  });

  it("a submodule, whose .git is a file", async () => {
    const around = repositoryIn(join(base, "around"), { "x.txt": "x\n" });
    git(around.dir, "submodule", "--quiet", "add", "-b", "main", origin.dir, "sub");
    const project = join(around.dir, "sub");
    git(project, "switch", "--quiet", "main");
    await lands(project);
  });

  it("a repository with submodules, which are not checked out", async () => {
    const inner = repositoryIn(join(base, "inner"), { "i.txt": "i\n" });
    const project = clone(origin.dir);
    git(project, "submodule", "--quiet", "add", inner.dir, "sub");
    git(project, "commit", "--quiet", "-m", "Submodule");
    await lands(project);
    expect(git(project, "submodule", "status")).toMatch(/^\w+ sub/);
  });

  it("a repository with the hash SHA-256", async () => {
    const project = join(base, "project");
    mkdirSync(project);
    git(project, "init", "--quiet", "--object-format=sha256", "--initial-branch=main");
    writeFileSync(join(project, ".gitignore"), ".ekiden/\n");
    git(project, "add", "--all");
    git(project, "commit", "--quiet", "-m", "First");
    await lands(project);
  });

  it("a repository whose refs are packed", async () => {
    const project = clone(origin.dir);
    git(project, "tag", "-m", "One", "v1");
    git(project, "pack-refs", "--all");
    git(project, "gc", "--quiet");
    await lands(project);
  });

  it.skipIf(!existsSync("/dev/shm"))("a project on another file system", async () => {
    const place = realpathSync(mkdtempSync("/dev/shm/ekiden-"));
    onTestFinished(() => takeAway(place));
    const project = join(place, "project");
    git(base, "clone", "--quiet", origin.dir, project);
    await lands(project);
  });

  it("a project that borrows from another file system of temporary files", async () => {
    const place = realpathSync(mkdtempSync("/tmp/ekiden-borrowed-"));
    onTestFinished(() => takeAway(place));
    git(base, "clone", "--quiet", "--bare", origin.dir, join(place, "store"));
    await lands(clone("--shared", join(place, "store")));
  });

  it("a project with names of other bytes", async () => {
    const project = clone(origin.dir);
    const { trees, run } = await open(project);
    const { workspace } = await trees.open(TASK);
    await run(
      workspace,
      `echo x > "$(printf 'odd\\377\\n"')"; git add -A; git -c user.name=M -c user.email=m@x commit -qm Odd`,
    );
    writeFileSync(join(workspace, 'new é\n".txt'), "n\n");
    writeFileSync(join(workspace, "new.txt"), "n\n");
    expect(await trees.land(TASK, landing.by)).toMatchObject({ kind: "landed" });
    expect(readdirSync(project)).toContain('new é\n".txt');
    expect(readdirSync(project, "latin1")).toContain('odd\xff\n"');
  });

  it.skipIf(process.getuid?.() !== 0)("a project of another user only where the person says so", async () => {
    const project = clone(origin.dir);
    chownSync(project, 12_345, 12_345);
    chownSync(join(project, ".git"), 12_345, 12_345);
    const env = { PATH: process.env.PATH ?? "", HOME: base, GIT_CONFIG_NOSYSTEM: "1" };
    // A sandbox looks for new files of the home folder only from time to time.
    writeFileSync(join(base, ".gitconfig"), "");
    const { sandbox, shell } = confined(base, project, { inWorktrees: true, env });
    both = { sandbox, shell };
    const opened = () => openTrees(project, shell, { sandbox, env, gate: "true" });
    await expect(opened()).rejects.toThrow(/dubious ownership.*safe\.directory/s);
    git(base, "config", "--global", "safe.directory", project);
    const trees = await opened();
    const { workspace } = await trees.open(TASK);
    writeFileSync(join(workspace, "new.txt"), "n\n");
    expect(await trees.land(TASK, landing.by)).toMatchObject({ kind: "landed" });
  });
});

bubblewrapOrSkip(describe)("a partial clone", () => {
  it("is refused with the commands that complete it, and works after them", async () => {
    git(origin.dir, "config", "uploadpack.allowFilter", "true");
    const project = join(base, "project");
    git(base, "clone", "--quiet", "--filter=blob:none", `file://${origin.dir}`, project);
    const said = await open(project).then(() => "", String);
    expect(said).toMatch(/partial clone/);
    await both?.shell.close();
    await both?.sandbox.close();
    for (const command of /Run: (.+?)\.(?: |$)/.exec(said)?.[1]?.split(" && ") ?? [])
      git(project, ...command.split(" ").slice(1));
    expect(git(project, "rev-list", "--objects", "--all", "--missing=print")).not.toMatch(/^\?/m);
    await lands(project);
  });
});

bubblewrapOrSkip(describe)("while clones exist", () => {
  it("git gc in the project keeps what they borrow, also after the target was rewritten", async () => {
    const { trees, run } = await open(origin.dir);
    const { workspace } = await trees.open(TASK);
    origin.git("commit", "--quiet", "--allow-empty", "-m", "Gone");
    await trees.open(TASK);
    origin.git("reset", "--quiet", "--hard", "HEAD~2");
    await trees.open(TASK);
    origin.git("reflog", "expire", "--expire=now", "--all");
    origin.git("gc", "--quiet", "--prune=now");
    expect(
      await run(
        workspace,
        "git fsck --connectivity-only && git log --format=%s ekiden/1-task-1 && git log -1 --format=%s main",
      ),
    ).toMatch(/Second\nFirst\nFirst/);
    writeFileSync(join(workspace, "new.txt"), "n\n");
    expect(await trees.land(TASK, landing.by)).toMatchObject({ kind: "landed" });
    expect(await trees.remove(TASK)).toEqual({ kind: "removed" });
    expect(origin.git("for-each-ref", "refs/ekiden")).toBe("");
  });
});
