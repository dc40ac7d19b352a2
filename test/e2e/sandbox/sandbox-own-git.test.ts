/** Own git works for a member on files that the member has made: no branch of others moves, and no file outside is read or made. */
import { createHash } from "node:crypto";
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
import { Git } from "../../../src/adapters/git/git.ts";
import { openWorktrees } from "../../../src/adapters/git/index.ts";
import { ALONE } from "../../../src/adapters/git/remote.ts";
import { folderDiff } from "../../../src/adapters/git/work-diff.ts";
import { asTaskId, DEFAULT_TEAM, instant } from "../../../src/core/ids.ts";
import type { Sandbox, Shell } from "../../../src/ports/index.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { closeConfined, confined } from "../../fixtures/confined.ts";
import { type Repository, repositoryIn } from "../../fixtures/repository.ts";

let base: string;
let repo: Repository;
let sandbox: Sandbox;
let shell: Shell;
let git: Git;
const env = { PATH: process.env.PATH ?? "", GIT_CONFIG_NOSYSTEM: "1" };
const WHICH = { id: asTaskId(1), subject: "Work", createdAt: instant(1_700_000_000_000) };

const open = (share: readonly string[] = []) =>
  openWorktrees({
    ...{ project: repo.dir, team: DEFAULT_TEAM, env, shell, sandbox, share, gateTimeoutMs: 60_000 },
  });
const run = (cwd: string, command: string) =>
  shell.run(command, {
    cwd,
    signal: new AbortController().signal,
    timeoutMs: 60_000,
    env: { C: join(repo.dir, ".git") },
  });

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(homedir(), ".ekiden-own-git-")));
  mkdirSync(join(base, "own"));
  mkdirSync(join(base, "outside"));
  writeFileSync(join(base, "own/key"), "TOPSECRET\n");
  repo = repositoryIn(join(base, "ws"), {
    "a.txt": "a\n",
    "pkg/b.txt": "b\n",
    ".gitignore": ".ekiden/\nnode_modules\n",
  });
  ({ sandbox, shell } = confined(base, repo.dir, { inWorktrees: true, ownFolders: [join(base, "own")] }));
  git = new Git(env, sandbox);
});
afterEach(() => closeConfined({ sandbox, shell }, base));

bubblewrapOrSkip(describe)("own git", () => {
  it("a branch that became a symbolic ref takes no other branch along when it is removed", async () => {
    const trees = await open();
    const tree = await trees.open(WHICH);
    const main = repo.git("rev-parse", "main");
    await run(tree.workspace, `echo "ref: refs/heads/main" > "$C/refs/heads/${tree.branch}"`);
    await trees.remove(WHICH);
    expect(repo.git("rev-parse", "main")).toBe(main);
  });

  it("runs again when a folder of branches goes between the look at it and its mount", async () => {
    const trees = await open();
    const { workspace } = await trees.open(WHICH);
    writeFileSync(join(workspace, "a.txt"), "changed\n");
    let isRemoved = false;
    const meets: Sandbox = Object.assign(Object.create(sandbox), {
      confine: async (...asked: Parameters<Sandbox["confine"]>) => {
        const made = await sandbox.confine(...asked);
        // As git does it with the last branch of a task, which another member has just landed.
        if (!isRemoved) rmSync(join(repo.dir, ".git/logs/refs/heads/ekiden"), { recursive: true });
        isRemoved = true;
        return made;
      },
    });
    const done = await new Git(env, meets).try(workspace, "update-index", "a.txt");
    expect(isRemoved).toBe(true);
    expect(done).toMatchObject({ code: 0, err: "" });
  });

  it("an index that names a file outside shows nothing of it", async () => {
    repo.write({ aaaaaaaaaa: "public\n" });
    repo.git("add", "--all");
    const path = join(repo.dir, ".git/index");
    const index = readFileSync(path).subarray(0, -20);
    index.write("../own/key", index.indexOf("aaaaaaaaaa"));
    writeFileSync(path, Buffer.concat([index, createHash("sha1").update(index).digest()]));
    const { out } = await git.inside.try(repo.dir, "diff", "--no-color", "--no-ext-diff");
    expect(out).toContain("own/key");
    expect(out).not.toContain("TOPSECRET");
  });

  it("an index that is a link is not copied to where a member reads", async () => {
    const index = join(repo.dir, ".git/index");
    rmSync(index);
    symlinkSync(join(base, "own/key"), index);
    await expect(folderDiff(git, repo.dir, 0)).rejects.toThrow("it is a link");
    expect(readdirSync(join(repo.dir, ".git")).filter((name) => name.startsWith("ekiden-index"))).toEqual([]);
  });

  it("a shared folder is not linked, nor its link removed, behind a link", async () => {
    mkdirSync(join(repo.dir, "pkg/node_modules"));
    const trees = await open(["pkg/node_modules"]);
    const tree = await trees.open(WHICH);
    expect(existsSync(join(tree.workspace, "pkg/node_modules"))).toBe(true);
    symlinkSync("/", join(base, "outside/node_modules"));
    await run(
      tree.workspace,
      `rm -rf pkg; ln -s ${base}/outside pkg; git add -A; git -c user.name=a -c user.email=a@x commit -qm x; git push -q . HEAD:refs/heads/ekiden/7-x`,
    );
    await trees.park(WHICH, ALONE);
    repo.git("merge", "--quiet", tree.branch);
    expect(await trees.remove(WHICH)).toEqual({ kind: "removed" });
    expect(readdirSync(join(base, "outside"))).toEqual(["node_modules"]);
    rmSync(join(base, "outside/node_modules"));
    repo.git("rm", "--quiet", "--cached", "pkg");
    await trees.open({ ...WHICH, id: asTaskId(2) });
    expect(readdirSync(join(base, "outside"))).toEqual([]);
  });
});
