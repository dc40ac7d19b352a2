/** Teams of an earlier version have git worktrees. Each becomes a clone when its task continues, and nothing of it is lost. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bindingsOf } from "../../../src/adapters/git/bindings.ts";
import { atWorkFile } from "../../../src/adapters/git/clones/own-state.ts";
import { PLACE } from "../../../src/adapters/process-identity.ts";
import { DEFAULT_TEAM } from "../../../src/core/ids.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { type Confined, closeConfined, confined } from "../../fixtures/confined.ts";
import { landing, openTrees } from "../../fixtures/landing-trees.ts";
import { type Repository, repositoryIn } from "../../fixtures/repository.ts";

const TASK = landing.task(1);
const BRANCH = "ekiden/1-task-1";
let base: string;
let repo: Repository;
let root: string;
let notes: string;
let both: Confined;

const here = (...args: string[]): string => repo.git("-C", root, ...args);
const status = (): string => here("status", "--porcelain=v2", "--untracked-files=all");

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(homedir(), ".ekiden-old-")));
  repo = repositoryIn(join(base, "ws"), {
    "a.txt": "a\n",
    "b.txt": "b\n",
    "c.txt": "c\n",
    ".gitignore": ".ekiden/\n",
  });
  root = join(repo.dir, ".ekiden/worktrees/1-task-1");
  notes = join(repo.dir, ".git/worktrees/1-task-1");
  repo.git("worktree", "add", "--quiet", "-b", BRANCH, root);
  const binding = {
    path: "1-task-1",
    branch: BRANCH,
    target: "main",
    kept: false,
    isMade: true,
    landing: null,
  };
  bindingsOf({ project: repo.dir, team: DEFAULT_TEAM }).write(TASK, binding);
  writeFileSync(join(root, "d.txt"), "d\n");
  here("add", "d.txt");
  here("commit", "--quiet", "-m", "Own");
});
afterEach(() => closeConfined(both, base));

bubblewrapOrSkip(describe).each(["required", "off"] as const)("with the sandbox %s", (mode) => {
  const open = async (gate = "true") => {
    both = confined(base, repo.dir, { mode, inWorktrees: true });
    return await openTrees(repo.dir, both.shell, { sandbox: both.sandbox, gate });
  };
  const isClone = (): void => {
    expect(existsSync(join(root, ".git/HEAD"))).toBe(true);
    expect(existsSync(notes)).toBe(false);
    expect(repo.git("worktree", "list").split("\n")).toHaveLength(1);
  };

  it("keeps what is staged, changed, new, deleted and stashed, and lands it", async () => {
    writeFileSync(join(root, "c.txt"), "stashed\n");
    here("stash", "--quiet");
    mkdirSync(join(notes, "ekiden-refs"));
    repo.git("update-ref", "-d", "refs/stash");
    writeFileSync(join(notes, "ekiden-refs/stash"), `${repo.git("rev-parse", BRANCH)}\n`);
    writeFileSync(join(root, "a.txt"), "staged\n");
    here("add", "a.txt");
    writeFileSync(join(root, "a.txt"), "changed\n");
    writeFileSync(join(root, "new.txt"), "new\n");
    here("rm", "--quiet", "b.txt");
    const before = status();
    const trees = await open("test -f new.txt");
    expect(trees.find(TASK)?.workspace).toBe(root);
    expect(await trees.open(TASK)).toMatchObject({ workspace: root, branch: BRANCH });
    isClone();
    expect(status()).toBe(before);
    expect(here("log", "--format=%s")).toBe("Own\nFirst");
    expect(here("rev-parse", "refs/stash")).toBe(repo.git("rev-parse", BRANCH));
    expect(await trees.land(TASK, landing.by)).toMatchObject({ kind: "landed" });
    expect(["a.txt", "d.txt", "new.txt"].map((name) => repo.read(name))).toEqual([
      "changed\n",
      "d\n",
      "new\n",
    ]);
    expect(existsSync(join(repo.dir, "b.txt"))).toBe(false);
    expect(await trees.remove(TASK)).toEqual({ kind: "removed" });
  });

  it("lands at once where the task is completed first", async () => {
    writeFileSync(join(root, "new.txt"), "new\n");
    const trees = await open();
    expect(await trees.land(TASK, landing.by)).toMatchObject({ kind: "landed" });
    isClone();
    expect(repo.read("new.txt")).toBe("new\n");
  });

  it("continues with a rebase of the member", async () => {
    writeFileSync(join(root, "a.txt"), "mine\n");
    here("commit", "--quiet", "-am", "Mine");
    repo.write({ "a.txt": "theirs\n" });
    repo.commit("Theirs");
    expect(() => here("rebase", "main")).toThrow();
    const trees = await open();
    await trees.open(TASK);
    isClone();
    expect(here("status")).toMatch(/rebase in progress/);
    writeFileSync(join(root, "a.txt"), "both\n");
    here("add", "a.txt");
    here("-c", "core.editor=true", "rebase", "--continue");
    expect(await trees.land(TASK, landing.by)).toMatchObject({ kind: "landed" });
    expect(repo.read("a.txt")).toBe("both\n");
  });

  it("continues after a landing that was cut off, with its own commits alone", async () => {
    const own = here("rev-parse", "HEAD");
    repo.write({ "e.txt": "e\n" });
    repo.commit("Person");
    here("checkout", "--quiet", "--detach", "main");
    here("cherry-pick", own);
    writeFileSync(atWorkFile(notes), `rebase ${own}`);
    const trees = await open();
    expect(await trees.land(TASK, landing.by)).toMatchObject({ kind: "landed" });
    isClone();
    expect(repo.git("log", "--format=%s", "main")).toBe("Own\nPerson\nFirst");
  });

  it("finishes after a crash in the middle of it", async () => {
    writeFileSync(join(root, "new.txt"), "new\n");
    const trees = await open();
    await trees.open(TASK);
    // As it is between the two renames of a process that is gone.
    const draft = join(repo.dir, `.ekiden/worktrees/.making-${PLACE}.4194305.1.aaaaaaaaaaaa`);
    mkdirSync(draft);
    writeFileSync(join(draft, "link"), "gitdir: x\n");
    renameSync(join(root, ".git"), join(draft, ".git"));
    const later = await openTrees(repo.dir, both.shell, { sandbox: both.sandbox, gate: "true" });
    expect(await later.open(TASK)).toMatchObject({ workspace: root });
    expect(here("log", "--format=%s")).toBe("Own\nFirst");
    expect(status()).toBe("? new.txt");
    expect(existsSync(draft)).toBe(false);
  });

  it("takes none that git was still making", async () => {
    writeFileSync(join(notes, "locked"), "initializing");
    const trees = await open();
    expect(trees.find(TASK)).toBeNull();
    await expect(trees.open(TASK)).rejects.toThrow("made again");
    expect(readFileSync(join(root, "d.txt"), "utf8")).toBe("d\n");
    isClone();
  });
});
