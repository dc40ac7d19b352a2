/**
 * Git of our own in a repository that a stranger wrote and that members change while it runs: whatever its configuration, its hooks and its
 * attributes name, nothing of it runs outside of the sandbox, and git itself does not.
 */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/adapters/clock.ts";
import { Git } from "../../../src/adapters/git/git.ts";
import { landingsOf } from "../../../src/adapters/git/landing/landings.ts";
import { OwnRepository } from "../../../src/adapters/git/undo/own-repository.ts";
import { Records } from "../../../src/adapters/git/undo/records.ts";
import { WatchedFolder } from "../../../src/adapters/git/undo/watched-folder.ts";
import { folderDiff } from "../../../src/adapters/git/work-diff.ts";
import { instant, type Name } from "../../../src/core/ids.ts";
import { readCommit } from "../../../src/faces/web/read/commit.ts";
import { surroundingsOf } from "../../../src/host/surroundings.ts";
import { taskChanges } from "../../../src/host/workspaces/task-changes.ts";
import type { Sandbox } from "../../../src/ports/index.ts";
import { askGit, withGit } from "../../../src/project/own-git.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { type Confined, closeConfined, confined } from "../../fixtures/confined.ts";
import { boardIn } from "../../fixtures/landing-board.ts";
import { type Repository, repositoryIn } from "../../fixtures/repository.ts";

let base: string;
let out: string;
let repo: Repository;
let parts: Confined;
let path: string | undefined;
let head: string;

/** What a repository can name: each leaves a file outside of the workspace. */
const hostile = (evil: string): string =>
  [
    `[filter "evil"]\n clean = ${evil} filter\n smudge = ${evil} filter\n`,
    `[diff "evil"]\n textconv = ${evil} textconv\n command = ${evil} diff\n`,
    `[merge "evil"]\n driver = ${evil} merge\n`,
    `[core]\n fsmonitor = ${evil} fsmonitor\n sshCommand = ${evil} ssh\n alternateRefsCommand = ${evil} refs\n`,
    ` hooksPath = ${join(evil, "../hooks")}\n pager = ${evil} pager\n editor = ${evil} editor\n`,
    `[gpg]\n program = ${evil} gpg\n[log]\n showSignature = true\n[credential]\n helper = ${evil} helper\n`,
    `[interactive]\n diffFilter = ${evil} interactive\n[trailer "x"]\n cmd = ${evil} trailer\n`,
  ].join("");

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(homedir(), ".ekiden-git-runs-")));
  out = join(base, "out");
  for (const name of ["out", "bin", "hooks", "real"]) mkdirSync(join(base, name));
  const evil = join(base, "evil");
  writeFileSync(evil, `#!/bin/sh\ntouch ${out}/"$1" 2>/dev/null\ncat\n`, { mode: 0o755 });
  for (const name of ["post-index-change", "reference-transaction", "pre-commit", "post-checkout"])
    writeFileSync(join(base, "hooks", name), `#!/bin/sh\ntouch ${out}/hook\n`, { mode: 0o755 });
  writeFileSync(join(base, "config"), hostile(evil));
  const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
  // The configuration was listed before a command of a member filled a file that it includes.
  const late = `case "$*" in *--list*) ;; *) export GIT_CONFIG_GLOBAL=${base}/config ;; esac`;
  const trace = `echo "$*" >> ${out}/git`;
  writeFileSync(join(base, "bin/git"), `#!/bin/sh\n{ ${trace}; } 2>/dev/null\n${late}\nexec ${real} "$@"\n`, {
    mode: 0o755,
  });
  repo = repositoryIn(join(base, "ws"), {
    "a.txt": "a\n",
    "sub/b.txt": "b\n",
    ".gitattributes": "* filter=evil diff=evil merge=evil\n",
    ".gitignore": ".ekiden/\n",
  });
  repo.write({ "a.txt": "c\n", "sub/b.txt": "d\n", "new.txt": "n\n" });
  head = repo.git("rev-parse", "HEAD");
  path = process.env.PATH;
  process.env.PATH = `${join(base, "bin")}:${path}`;
  parts = confined(base, repo.dir);
});
afterEach(async () => {
  process.env.PATH = path;
  await closeConfined(parts, base);
});

type Asked = { readonly workspace: string; readonly sandbox: Sandbox | null };
const env = (): Record<string, string> => ({ PATH: process.env.PATH ?? "", GIT_CONFIG_NOSYSTEM: "1" });
const CALLERS: Readonly<Record<string, (asked: Asked) => Promise<unknown>>> = {
  "the review of a task": ({ workspace, sandbox }) =>
    taskChanges({ workspace, env: env(), trusted: false, sandbox, trees: null })({ startedAt: instant(0) }),
  "the review of a task in a folder whose programs were agreed to": ({ workspace, sandbox }) =>
    taskChanges({ workspace, env: env(), trusted: true, sandbox, trees: null })({ startedAt: instant(0) }),
  "the first text of a conversation": ({ workspace, sandbox }) =>
    surroundingsOf({ workspace, env: env(), trusted: false, sandbox, clock: systemClock })({ window: 1e6 }),
  "the outcome on the page": ({ workspace }) => withGit(workspace, (git) => folderDiff(git, workspace, 0)),
  "a commit on the page": ({ workspace }) => readCommit(workspace, head),
  "the landings": async ({ workspace }) => {
    const { store } = await boardIn(workspace, "alice" as Name);
    const landed = await (await landingsOf(workspace, askGit(workspace))).landed(store.landings, 5);
    await store.close();
    return landed;
  },
  "the names of files": ({ workspace }) => withGit(workspace, (git) => git.try(workspace, "ls-files", "-co")),
  "the records of changes": async ({ workspace, sandbox }) => {
    const repository = new OwnRepository(repo.dir, sandbox, env());
    const watched = new WatchedFolder(repository, workspace);
    await watched.look();
    // A member's command, with all that git would run by attributes and filters.
    writeFileSync(join(workspace, "crlf.txt"), `a\r\n$Id$ ${Math.random()}\r\n`);
    const { paths } = await watched.look();
    expect(paths).toMatchObject([{ path: "crlf.txt" }]);
    const records = new Records(repository, "t" as Name);
    const change = {
      kind: "call",
      who: "alice" as Name,
      task: null,
      reply: "",
      what: "",
      beside: [],
    } as const;
    await records.add({ ...change, began: 0, at: 1, left: [], of: [], roots: [{ root: "", paths }] });
    const oid = paths[0]?.after?.oid ?? "";
    expect((await records.contents([oid])).get(oid)).toEqual(readFileSync(join(workspace, "crlf.txt")));
    await records.prune(Date.now());
  },
  "all verbs that look": ({ workspace, sandbox }) => everyLook(new Git(env(), sandbox), workspace),
};
async function everyLook(git: Git, cwd: string): Promise<void> {
  for (const verb of ["status", "diff", "diff HEAD", "log -p", "show", "ls-files -m", "check-attr -a a.txt"])
    await git.try(cwd, ...verb.split(" "));
  for (const verb of [
    "update-index --refresh",
    "reset --quiet",
    "write-tree",
    "update-ref refs/heads/x HEAD",
  ])
    await git.try(cwd, ...verb.split(" "));
}
const outside = (): string[] => readdirSync(out);

bubblewrapOrSkip(describe)("git of our own", () => {
  it.each(Object.entries(CALLERS))("runs nothing outside of the sandbox: %s", async (_, call) => {
    for (const workspace of [repo.dir, join(repo.dir, "sub")])
      await call({ workspace, sandbox: parts.sandbox });
    expect(outside()).toEqual([]);
  });

  it.each(["the review of a task", "all verbs that look"])("does so without a sandbox: %s", async (name) => {
    await CALLERS[name]?.({ workspace: repo.dir, sandbox: null });
    expect(outside()).toContain("git");
    expect(outside()).toContain("filter");
  });

  it("runs nothing outside where `.git` is a file, or the repository of another folder", async () => {
    const git = join(base, "real", "r.git");
    writeFileSync(join(repo.dir, ".git/config"), `[core]\n worktree = ${repo.dir}\n`, { flag: "a" });
    execFileSync("mv", [join(repo.dir, ".git"), git]);
    writeFileSync(join(repo.dir, ".git"), `gitdir: ${git}\n`);
    for (const name of ["the review of a task", "the first text of a conversation", "all verbs that look"])
      await CALLERS[name]?.({ workspace: repo.dir, sandbox: parts.sandbox });
    expect(outside()).toEqual([]);
  });

  it("makes no file where links in `.git` lead, and leaves no trace there", async () => {
    const before = readdirSync(join(repo.dir, ".git")).sort();
    let isOver = false;
    // A command that puts a link in the place of each file that is made.
    const exchanged = (async () => {
      const known = new Set(before);
      while (!isOver) {
        for (const name of readdirSync(join(repo.dir, ".git"))) {
          if (known.has(name)) continue;
          known.add(name);
          rmSync(join(repo.dir, ".git", name), { force: true, recursive: true });
          symlinkSync(join(out, name), join(repo.dir, ".git", name));
        }
        await new Promise(setImmediate);
      }
    })();
    const diff = await folderDiff(new Git(env(), parts.sandbox), repo.dir, 0);
    isOver = true;
    await exchanged;
    expect(diff).toContain("+n");
    expect(outside()).toEqual([]);
    expect(readdirSync(join(repo.dir, ".git")).sort()).toEqual(before);
    expect(existsSync(join(repo.dir, ".git/index")) && readFileSync(join(repo.dir, "a.txt"), "utf8")).toBe(
      "c\n",
    );
  });
});
