/** Somebody removes the worktree or the branch of a task by hand, in each phase of the task: it lands once, refused at most once. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createShell } from "../../../src/adapters/shell/index.ts";
import { messageOf } from "../../../src/core/errors.ts";
import type { Landing, Worktrees } from "../../../src/ports/worktrees.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { landing, openTrees, workspacesIn, writeWork } from "../../fixtures/landing-trees.ts";
import { type Repository, repository } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";

const TASK = { ...landing.task(1), attempt: 1 };
const BRANCH = "ekiden/1-task-1";
const TREE = ".ekiden/worktrees/1-task-1";

type Scene = { readonly repo: Repository; readonly trees: Worktrees; readonly gate: { open: () => void } };

const removeFolder = ({ dir }: Repository): void => rmSync(join(dir, TREE), { recursive: true, force: true });
const REMOVALS: Readonly<Record<string, (repo: Repository) => void>> = {
  "the folder": removeFolder,
  "the folder, while a command writes there": (repo) => {
    removeFolder(repo);
    repo.write({ [`${TREE}/out/c.txt`]: "c\n" });
  },
  "the folder and the branch": (repo) => {
    removeFolder(repo);
    repo.git("branch", "-D", BRANCH);
  },
  "the branch alone": (repo) => {
    repo.git("update-ref", "-d", `refs/heads/${BRANCH}`);
  },
  "all worktrees and the notes about them": ({ dir }) => {
    rmSync(join(dir, ".ekiden", "worktrees"), { recursive: true, force: true });
  },
};

/** The acts of a member that completes its task: its tools open the worktree, which may refuse once. */
async function complete(trees: Worktrees, log: string[]): Promise<Landing | null> {
  try {
    const { workspace } = await trees.open(TASK);
    if (!existsSync(join(workspace, "b.txt"))) writeFileSync(join(workspace, "b.txt"), "b\n");
    const landed = await trees.land(TASK, landing.by);
    if (landed.kind !== "refused") return landed;
    log.push(landed.evidence);
  } catch (error) {
    log.push(messageOf(error));
  }
  return null;
}

const PHASES: Readonly<Record<string, (scene: Scene, remove: () => void) => Promise<Landing | null>>> = {
  "before its first command": async ({ trees }, remove) => {
    await trees.open(TASK);
    remove();
    return null;
  },
  "before it is completed": async ({ trees }, remove) => {
    await writeWork(trees, TASK, { "b.txt": "b\n" });
    remove();
    return await trees.land(TASK, landing.by);
  },
  "while its gate runs": async ({ repo, trees, gate }, remove) => {
    await writeWork(trees, TASK, { "b.txt": "b\n" });
    const landed = trees.land(TASK, landing.by);
    landed.catch(() => {});
    await soon(() => expect(existsSync(join(repo.dir, ".ekiden", "gate"))).toBe(true));
    remove();
    gate.open();
    return await landed;
  },
  "while it waits behind another one": async ({ repo, trees, gate }, remove) => {
    await writeWork(trees, landing.task(2), { "c.txt": "c\n" });
    const other = trees.land(landing.task(2), landing.by);
    await soon(() => expect(existsSync(join(repo.dir, ".ekiden", "gate"))).toBe(true));
    await writeWork(trees, TASK, { "b.txt": "b\n" });
    let landed: Promise<Landing> | null = null;
    await new Promise<void>((queued) => {
      const onStep = async (step: string): Promise<void> => {
        if (step === "queued") queued();
      };
      landed = trees.land(TASK, { ...landing.by, onStep });
      landed.catch(() => {});
    });
    remove();
    gate.open();
    await other;
    return await landed;
  },
  "after it has landed": async ({ trees, gate }, remove) => {
    await writeWork(trees, TASK, { "b.txt": "b\n" });
    gate.open();
    const landed = await trees.land(TASK, landing.by);
    remove();
    return landed;
  },
};

const cases = Object.keys(PHASES).flatMap((phase) =>
  Object.keys(REMOVALS).map((removal) => [removal, phase] as const),
);

it.each(sampled(cases, 2))("%s, removed %s", async (removal, phase) => {
  const repo = repository({ "a.txt": "a\n" });
  const { dir } = repo;
  const shell = createShell({ outputDir: join(dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const go = join(dir, ".ekiden", "go");
  const command = `touch '${dir}/.ekiden/gate'; until test -e '${go}'; do sleep 0.02; done; test -e b.txt -o -e c.txt`;
  const trees = await openTrees(dir, shell, { gate: command });
  const scene: Scene = { repo, trees, gate: { open: () => writeFileSync(go, "") } };
  if (!phase.startsWith("while")) scene.gate.open();
  const log: string[] = [];
  let landed = await (PHASES[phase] ?? (() => Promise.resolve(null)))(scene, () =>
    REMOVALS[removal]?.(repo),
  ).catch((error: unknown) => {
    log.push(messageOf(error));
    return null;
  });
  if (landed?.kind === "refused") log.push(landed.evidence);
  for (let tries = 0; landed?.kind !== "landed" && tries < 3; tries += 1) landed = await complete(trees, log);
  expect(landed, log.join("\n---\n")).toMatchObject({ kind: "landed" });
  const subjects = repo.git("log", "--format=%s", "main").replace("Task 2\n", "");
  expect(subjects, log.join("\n")).toBe("Task 1\nFirst");
  expect(repo.git("status", "--porcelain", "--untracked-files=no")).toBe("");
  expect(repo.read("b.txt")).toBe("b\n");
  expect(log.length, log.join("\n---\n")).toBeLessThanOrEqual(1);
  for (const text of log) expect(text).toMatch(/^The worktree of #1 was removed before its work had landed/);
  // Nobody knows any more which worktree and branch they were.
  if (removal.startsWith("all")) return;
  if (phase === "after it has landed" && removal.endsWith("writes there"))
    return expect(await trees.remove(TASK)).toMatchObject({
      kind: "kept",
      why: expect.stringContaining("out"),
    });
  expect(await trees.remove(TASK)).toEqual({ kind: "removed" });
  await trees.remove(landing.task(2));
  expect(workspacesIn(repo.dir)).toEqual([]);
  expect(repo.git("branch", "--format=%(refname:short)")).toBe("main");
});

it.each([".git", "."])(
  "lands nothing on the word of a gate during which %s of its worktree went",
  async (part) => {
    const repo = repository({ "a.txt": "a\n" });
    const { dir } = repo;
    const shell = createShell({ outputDir: join(dir, ".ekiden", "output") });
    onTestFinished(() => shell.close());
    // It is green whatever it finds, and says what it found.
    const seen = join(dir, ".ekiden", "seen");
    const once = `if test ! -e ${seen}; then rm -rf "$PWD"/${part === "." ? '* "$PWD"/.git' : part}; fi`;
    const gate = `${once}; if test -e b.txt && git rev-parse HEAD; then echo whole; else echo gone; fi >> ${seen}`;
    const trees = await openTrees(dir, shell, { gate });
    await writeWork(trees, TASK, { "b.txt": "b\n" });
    const first = await trees.land(TASK, landing.by);
    expect(first).toMatchObject({
      kind: "refused",
      evidence: expect.stringMatching(/^The worktree of #1 was removed/),
    });
    expect(repo.git("log", "--format=%s", "main")).toBe("First");
    await writeWork(trees, TASK, { "b.txt": "b\n" });
    expect(await trees.land(TASK, landing.by)).toMatchObject({ kind: "landed" });
    expect(readFileSync(seen, "utf8").trim().split("\n").at(-1)).toBe("whole");
  },
);

it("is not completed with nothing by a member that was told at a command and did not do it again", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const trees = await openTrees(repo.dir, shell, { gate: "true" });
  await writeWork(trees, TASK, { "b.txt": "b\n" });
  removeFolder(repo);
  // A command opens the worktree, and says it.
  await expect(trees.open(TASK)).rejects.toThrow(/^The worktree of #1 was removed/);
  // Another process may run the member by now.
  const later = await openTrees(repo.dir, shell, { gate: "true" });
  expect(await later.land(TASK, landing.by)).toMatchObject({
    ...{ kind: "refused", why: "branch", branch: BRANCH },
    evidence: expect.stringContaining("Do again what is missing there."),
  });
  // Said at a completion, it is the member's word that nothing is missing.
  expect(await later.land(TASK, landing.by)).toEqual({ kind: "nothing" });
});

it("lands what a command committed after somebody removed its branch in the project", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const trees = await openTrees(repo.dir, shell, { gate: "true" });
  const workspace = await writeWork(trees, TASK, { "b.txt": "b\n" });
  await writeWork(trees, landing.task(2), { "c.txt": "c\n" });
  expect(await trees.land(landing.task(2), landing.by)).toMatchObject({ kind: "landed" });
  repo.git("update-ref", "-d", `refs/heads/${BRANCH}`);
  writeFileSync(join(workspace, "b.txt"), "b1\n");
  repo.git("-C", workspace, "add", "--all");
  repo.git("-C", workspace, "commit", "--quiet", "-m", "Step 1");
  expect(await trees.land(TASK, landing.by)).toMatchObject({ kind: "landed" });
  expect(repo.git("log", "--format=%s", "main")).toBe("Step 1\nTask 2\nFirst");
  expect(repo.git("ls-tree", "--name-only", "main").split("\n")).toEqual(["a.txt", "b.txt", "c.txt"]);
  expect(repo.git("show", "main:b.txt")).toBe("b1");
});

it("says what to do where nothing tells on what such a commit was made", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const trees = await openTrees(repo.dir, shell, { gate: "true" });
  const workspace = await writeWork(trees, TASK, { "b.txt": "b\n" });
  // A command of the member, in its clone.
  repo.git("-C", workspace, "update-ref", "-d", `refs/heads/${BRANCH}`);
  repo.git("-C", workspace, "add", "--all");
  repo.git("-C", workspace, "commit", "--quiet", "-m", "Alone");
  expect(await trees.land(TASK, landing.by)).toMatchObject({
    ...{ kind: "refused", why: "branch" },
    evidence: expect.stringMatching(/no commit in common with main.*git reset --soft main/s),
  });
});

it("a branch that is removed during a gate that fails comes back with its own commits alone", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const { dir } = repo;
  const shell = createShell({ outputDir: join(dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  // That of task 2, which is ahead in the line, waits; that of task 1 runs in advance, on it.
  const [go, began] = [join(dir, ".ekiden", "go"), join(dir, ".ekiden", "began")];
  const wait = `until test -e '${go}'; do sleep 0.02; done`;
  const gate = `if test -e b.txt; then touch '${began}'; ${wait}; exit 1; fi; ${wait}; test ! -e '${go}.red'`;
  const trees = await openTrees(dir, shell, { gate, gateParallel: 2, reservationMs: 300 });
  await writeWork(trees, landing.task(2), { "c.txt": "c\n" });
  await writeWork(trees, TASK, { "b.txt": "b\n" });
  const other = trees.land(landing.task(2), landing.by);
  await soon(() => expect(existsSync(join(dir, ".ekiden", "worktrees", "2-task-2"))).toBe(true));
  await soon(() => expect(repo.git("log", "--format=%s", "ekiden/2-task-2")).toBe("Task 2\nFirst"));
  const landed = trees.land(TASK, landing.by);
  await soon(() => expect(existsSync(began)).toBe(true));
  repo.git("update-ref", "-d", `refs/heads/${BRANCH}`);
  writeFileSync(`${go}.red`, "");
  writeFileSync(go, "");
  expect(await other).toMatchObject({ kind: "refused", why: "gate" });
  expect(await landed).toMatchObject({ kind: "refused", why: "gate" });
  expect(repo.git("log", "--format=%s", BRANCH)).toBe("Task 1\nFirst");
});

it.each(["the folder and the branch", "the folder"])(
  "tells the next process of the team that %s went while none ran",
  async (removal) => {
    const repo = repository({ "a.txt": "a\n" });
    const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
    onTestFinished(() => shell.close());
    await writeWork(await openTrees(repo.dir, shell, {}), TASK, { "b.txt": "b\n" });
    REMOVALS[removal]?.(repo);
    const next = await openTrees(repo.dir, shell, {});
    const lost = /^The worktree of #1 was removed before its work had landed/;
    expect(await next.land(TASK, landing.by)).toMatchObject({
      kind: "refused",
      evidence: expect.stringMatching(lost),
    });
    await writeWork(next, TASK, { "b.txt": "b\n" });
    expect(await next.land(TASK, landing.by)).toMatchObject({ kind: "landed" });
  },
);
