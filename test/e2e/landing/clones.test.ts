/** The clone of a task in the sandbox: its member can change nothing of the project, and what lands is what was checked. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Sandbox, Shell } from "../../../src/ports/index.ts";
import type { Worktrees } from "../../../src/ports/worktrees.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { closeConfined, confined } from "../../fixtures/confined.ts";
import { landing, openTrees } from "../../fixtures/landing-trees.ts";
import { programFolder } from "../../fixtures/program-folder.ts";
import { type Repository, repositoryIn } from "../../fixtures/repository.ts";

const TASK = landing.task(1);
const IDENTITY =
  "export GIT_AUTHOR_NAME=m GIT_AUTHOR_EMAIL=m@x GIT_COMMITTER_NAME=m GIT_COMMITTER_EMAIL=m@x;";
let base: string;
let repo: Repository;
let sandbox: Sandbox;
let shell: Shell;
let trees: Worktrees;
let workspace: string;

const run = async (command: string): Promise<string> => {
  const { signal } = new AbortController();
  const env = { C: join(repo.dir, ".git") };
  const ran = await shell.run(`${IDENTITY} ${command}`, { cwd: workspace, signal, timeoutMs: 60_000, env });
  return ran.output;
};

beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(homedir(), ".ekiden-clones-")));
  repo = repositoryIn(join(base, "ws"), { "a.txt": "a\n", ".gitignore": ".ekiden/\n" });
  ({ sandbox, shell } = confined(base, repo.dir, { inWorktrees: true }));
  trees = await openTrees(repo.dir, shell, { sandbox, gate: "true" });
  ({ workspace } = await trees.open(TASK));
});
afterEach(() => closeConfined({ sandbox, shell }, base));

bubblewrapOrSkip(describe)("a member in a clone", () => {
  it("writes nothing below the .git of the project", async () => {
    const before = execFileSync("find", [".git", "-printf", "%p %s %T@\n"], {
      cwd: repo.dir,
      encoding: "utf8",
    });
    await run(
      'touch "$C/x"; rm -rf "$C/objects" "$C/refs"; echo x >> "$C/config"; git --git-dir="$C" update-ref refs/heads/main HEAD; git push -q "$C" HEAD:refs/heads/mine; chmod -R 777 "$C"',
    );
    const after = execFileSync("find", [".git", "-printf", "%p %s %T@\n"], {
      cwd: repo.dir,
      encoding: "utf8",
    });
    expect(after).toBe(before);
  });

  it("has branches, tags and a stash of its own, and sees where the target is", async () => {
    repo.write({ "b.txt": "b\n" });
    repo.commit("Person");
    await trees.open(TASK);
    expect(await run("git log -1 --format=%s main")).toBe("Person\n");
    expect(
      await run("echo x > a.txt; git stash -q; git branch -f main HEAD; git tag mine; git stash list"),
    ).toContain("WIP");
    expect(repo.git("log", "-1", "--format=%s", "main")).toBe("Person");
    expect(repo.git("tag")).toBe("");
    expect(repo.git("stash", "list")).toBe("");
  });

  it("keeps its workspace for what it committed on another branch, and not for branches of others", async () => {
    const { workspace: two } = await trees.open(landing.task(2));
    repo.git("-C", two, "commit", "--quiet", "--allow-empty", "-m", "Two");
    await trees.park(landing.task(2), { signal: landing.by.signal, tell: () => Promise.resolve() });
    const { workspace: later } = await trees.open(landing.task(3));
    // The branch of task 2, which the third clone knows, goes.
    repo.git("update-ref", "refs/heads/ekiden/2-task-2", "main");
    expect(await trees.remove(landing.task(3))).toEqual({ kind: "removed" });
    expect(existsSync(later)).toBe(false);
    await run("git switch -q -c more; echo x > x; git add x; git commit -qm More; git switch -q -");
    expect(await trees.remove(TASK)).toMatchObject({
      kind: "kept",
      why: expect.stringMatching(/not on main: \w+ More/),
    });
  });

  it("may tidy its clone up, and lands", async () => {
    await run(
      "echo n > new.txt; git add new.txt; git commit -qm New; git pack-refs --all; git gc -q --prune=now",
    );
    await trees.park(TASK, { signal: landing.by.signal, tell: () => Promise.resolve() });
    expect(repo.git("log", "-1", "--format=%s", "ekiden/1-task-1")).toBe("New");
    repo.write({ "b.txt": "b\n" });
    repo.commit("Person");
    await trees.open(TASK);
    expect(await run("git log -1 --format=%s main")).toBe("Person\n");
    expect(await trees.land(TASK, landing.by)).toMatchObject({ kind: "landed" });
    expect(await trees.remove(TASK)).toEqual({ kind: "removed" });
  });

  it("lands no object that has the name of another content", async () => {
    await run("echo good > new.txt; git add new.txt; git commit -qm New");
    const forge = `id=$(git rev-parse HEAD:new.txt); f=.git/objects/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-); rm -f $f; python3 -c 'import sys,zlib; open(sys.argv[1],"wb").write(zlib.compress(b"blob 5\\0evil\\n"))' $f`;
    await run(forge);
    await expect(trees.land(TASK, landing.by)).rejects.toThrow(/cannot be taken over|failed in/);
    expect(repo.git("log", "--format=%s", "main")).toBe("First");
    expect(repo.git("fsck", "--full")).toBe("");
  });

  it("lands no commit whose history it hides", async () => {
    await run(
      "for i in 1 2; do echo $i > new.txt; git add new.txt; git commit -qm $i; done; git rev-parse HEAD > .git/shallow",
    );
    await expect(trees.land(TASK, landing.by)).rejects.toThrow(/cannot be taken over/);
    await trees.park(TASK, { signal: landing.by.signal, tell: () => Promise.resolve() }).catch(() => {});
    expect(repo.git("log", "--format=%s", "--all")).toBe("First");
    expect(repo.git("fsck", "--full", "--no-dangling")).toBe("");
  });

  it("runs nothing outside by what it writes into its clone", async () => {
    const mark = join(base, "PWNED");
    // The sandbox keeps commands from these files. Nothing relies on it.
    const evil = `touch ${mark}`;
    writeFileSync(
      join(workspace, ".git/config"),
      `${readFileSync(join(workspace, ".git/config"), "utf8")}[core]\n\tfsmonitor = "${evil} #"\n\tsshCommand = "${evil}"\n\thooksPath = hooks\n\talternateRefsCommand = "${evil} #"\n[filter "x"]\n\tclean = "${evil}; cat"\n\tsmudge = "${evil}; cat"\n[diff]\n\texternal = "${evil}"\n[uploadpack]\n\tpackObjectsHook = "${evil}"\n[include]\n\tpath = ../more\n`,
    );
    writeFileSync(join(workspace, "more"), `[core]\n\tfsmonitor = "${evil} #"\n`);
    writeFileSync(join(workspace, ".gitattributes"), "* filter=x\n");
    mkdirSync(join(workspace, "hooks"));
    for (const hook of [
      "pre-commit",
      "post-commit",
      "post-checkout",
      "post-rewrite",
      "reference-transaction",
    ])
      writeFileSync(join(workspace, "hooks", hook), `#!/bin/sh\n${evil}\n`, { mode: 0o755 });
    repo.write({ "b.txt": "b\n" });
    repo.commit("Person");
    await trees.land(TASK, landing.by).catch(() => {});
    await trees.diff(TASK).catch(() => {});
    await trees.remove(TASK).catch(() => {});
    expect(existsSync(mark)).toBe(false);
  });
});

bubblewrapOrSkip(it)("git of the project never runs in a workspace outside of the sandbox", async () => {
  const log = join(base, "calls");
  // In the sandbox the file cannot be written.
  const path = programFolder(
    "git",
    `printf '%s\\t%s\\t%s\\n' "$PWD" "$GIT_DIR$GIT_WORK_TREE" "$(echo "$*" | tr '\\n\\t' '  ')" >> ${log} 2>/dev/null\nexec ${execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim()} "$@"`,
  );
  await trees.remove(TASK);
  const own = await openTrees(
    repo.dir,
    shell,
    { sandbox, gate: "true", gateParallel: 2 },
    `${path}:${process.env.PATH}`,
  );
  const two = landing.task(2);
  ({ workspace } = await own.open(TASK));
  const other = (await own.open(two)).workspace;
  await run("echo n > a.txt; git commit -qam Mine");
  writeFileSync(join(other, "a.txt"), "conflict\n");
  expect(await own.diff(TASK)).toContain("+n");
  await own.park(TASK, { signal: landing.by.signal, tell: () => Promise.resolve() });
  repo.write({ "b.txt": "b\n" });
  repo.commit("Person");
  expect(await own.land(TASK, landing.by)).toMatchObject({ kind: "landed" });
  expect(await own.land(two, landing.by)).toMatchObject({ kind: "refused", why: "conflict" });
  expect(await own.remove(TASK)).toEqual({ kind: "removed" });
  expect(await own.remove(two)).toMatchObject({ kind: "kept" });
  const calls = readFileSync(log, "utf8").trim().split("\n");
  expect(calls.length).toBeGreaterThan(1);
  // What serves a fetch is started by it, in the sandbox.
  expect(calls.filter((line) => !/ fetch /.test(line))).toEqual([]);
  const isInside = (text = ""): boolean => text.includes("/.ekiden/worktrees");
  const wrong = calls.filter((line) => {
    const [cwd, dir, args = ""] = line.split("\t");
    const fetch = args.includes(" fetch ") ? args.slice(0, args.indexOf("--upload-pack=")) : args;
    return isInside(cwd) || isInside(dir) || isInside(fetch);
  });
  expect(wrong).toEqual([]);
});
