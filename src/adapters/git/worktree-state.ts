/** Makes a worktree, and tells whether it is complete. Git locks it as "initializing" while it checks its files out. */
import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { textIn } from "../small-files.ts";
import { type Git, messageOfGit, type Ran } from "./git.ts";
import { NO_HOOKS } from "./hardening.ts";
import { atWorkFile } from "./own-state.ts";
import { withWorktreeLock } from "./queue.ts";
import { gitGone } from "./stale-locks.ts";

const WAIT_MS = 2_000;
const POLL_MS = 100;
/** Git writes the first, and the second until its branch is checked out. */
const MAKING = /initializing|added with --lock/;

export const isWhole = (root: string): boolean => stateOf(root) === "whole";

/** It is not there, or only what a command has written after somebody removed it. */
export const isRemoved = (root: string): boolean => stateOf(root) === "none";

/** Its files are there, but git's notes about it are not. */
export const isCutOff = (root: string): boolean => stateOf(root) === "cut off";

/** A task that went on silently would be completed without its earlier work. */
export const lost = (id: number, branch: string, onto: string): string =>
  `The worktree of #${id} was removed before its work had landed, and with it all that was not committed. It has been made again on ${branch}, which builds on ${onto}. Do again what is missing there.`;

type Where = { readonly project: string; readonly commonDir: string };

/**
 * `from`: where a new branch starts; null: the branch exists. `isFirst`: it may try once more. Returns why there is no worktree, null when
 * there is one.
 */
export async function addWorktree(
  git: Git,
  where: Where,
  root: string,
  branch: string,
  from: string | null,
  isFirst = true,
): Promise<string | null> {
  await clearHalfMade(git, where, root);
  if (isWhole(root)) return null;
  if (stateOf(root) === "cut off")
    return await putBack(root, () => addWorktree(git, where, root, branch, from));
  // Somebody removed most of it, while a command wrote there.
  if (existsSync(root) && readdirSync(root).length > 0)
    return await layOver(root, () => addWorktree(git, where, root, branch, from));
  const ref = `refs/heads/${branch}`;
  const add = (...options: string[]): Promise<Ran> => {
    const args = [...NO_HOOKS, "worktree", "add", "--lock", "--detach", ...options, root, from ?? ref];
    return withWorktreeLock(where.commonDir, () => git.try(where.project, ...args));
  };
  let added = await add();
  // Somebody removed its folder, or git was killed before it made one.
  if (added.code !== 0 && /already registered|missing but locked/.test(added.err))
    added = await add("--force", "--force");
  // The git of a dead process is just making it.
  if (added.code !== 0 && /already exists/.test(added.err) && isFirst) {
    await gitGone(({ line }) => line.includes(root));
    return await addWorktree(git, where, root, branch, from, false);
  }
  if (added.code !== 0) return messageOfGit(added);
  // Members write the folders of branches and their logs, so this does not happen in the same step.
  const checkOut = (...what: string[]): Promise<Ran> => git.try(root, "checkout", "--quiet", ...what);
  let checkedOut = await checkOut(...(from === null ? [branch] : ["--no-track", "-b", branch]));
  const isMade = from !== null && checkedOut.code === 0;
  // The git of a dead process has made it meanwhile.
  if (/already exists/.test(checkedOut.err)) checkedOut = await checkOut(branch);
  // A failing hook of the person (post-checkout) does not prevent a worktree.
  if (!isMade && (await git.ask(root, "symbolic-ref", "--quiet", "HEAD")) !== ref)
    return messageOfGit(checkedOut);
  await withWorktreeLock(where.commonDir, () => git.run(where.project, "worktree", "unlock", root));
  return null;
}

/**
 * Removes an incomplete worktree that a crash left: nobody has worked in it, and every missing file would look deleted. It waits
 * a little first, because the git of a dead process may still finish.
 */
async function clearHalfMade(git: Git, { project, commonDir }: Where, root: string): Promise<void> {
  for (let ms = 0; stateOf(root) === "begun"; ms += POLL_MS) {
    if (ms >= WAIT_MS) {
      await withWorktreeLock(commonDir, () =>
        git.run(project, "worktree", "remove", "--force", "--force", root),
      );
      return;
    }
    await new Promise((later) => setTimeout(later, POLL_MS));
  }
}

/** Makes it anew while its files are aside; `then` deals with them when it is there. */
async function withFilesAside(
  root: string,
  add: () => Promise<string | null>,
  then: (aside: string) => void,
): Promise<string | null> {
  const aside = join(mkdtempSync(join(dirname(root), ".aside-")), "files");
  renameSync(root, aside);
  const why = await add();
  if (why === null) {
    then(aside);
    rmSync(dirname(aside), { recursive: true, force: true });
  } else if (!existsSync(root)) renameSync(aside, root);
  return why;
}

/** Copies the rest of its files over those of its branch. A `git init` in the place of the worktree leaves a `.git` that is not the worktree's. */
const layOver = (root: string, add: () => Promise<string | null>): Promise<string | null> =>
  withFilesAside(root, add, (aside) => {
    const filter = (path: string): boolean => path !== join(aside, ".git");
    cpSync(aside, root, { recursive: true, verbatimSymlinks: true, filter });
  });

/** Somebody removed git's notes about it (git worktree prune while its disk was away): its files are kept. */
const putBack = (root: string, add: () => Promise<string | null>): Promise<string | null> =>
  withFilesAside(root, add, (aside) => {
    const files = (folder: string): string[] => readdirSync(folder).filter((name) => name !== ".git");
    for (const name of files(root)) rmSync(join(root, name), { recursive: true, force: true });
    for (const name of files(aside)) renameSync(join(aside, name), join(root, name));
  });

/** Restores parts that somebody removed by hand of a worktree whose folder is there. `otherwise`: where a branch starts that left no trace. */
export async function mend(
  git: Git,
  where: Where,
  root: string,
  branch: string,
  otherwise: string,
): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const isGone = async (): Promise<boolean> =>
    !existsSync(join(where.commonDir, ref)) && (await git.tip(where.project, ref)) === null;
  if (stateOf(root) === "cut off")
    await addWorktree(git, where, root, branch, (await isGone()) ? otherwise : null);
  if (stateOf(root) !== "whole") return;
  const gone = await isGone();
  const log = headLog(root);
  if (gone) {
    // The branch comes back where the worktree was last. A landing puts the worktree on commits of others, and notes that of the branch.
    const landing = /^rebase ([0-9a-f]+)\b/.exec(textIn(atWorkFile(gitDirOf(root))))?.[1];
    const commit = landing ?? log.at(-1)?.to ?? otherwise;
    await git.run(root, "update-ref", "--no-deref", "-m", "ekiden: made again", ref, commit, "");
  } else if (log.slice(1).some(({ from }) => NO_COMMIT.test(from)))
    await graft(git, root, ref, log, otherwise);
}

/** Whether the branch is there, and was made on the target. True where the target is gone, which has a message of its own. */
export async function hasBranch(git: Git, project: string, branch: string, target: string): Promise<boolean> {
  if ((await git.try(project, "merge-base", target, `refs/heads/${branch}`)).code === 0) return true;
  return (await git.tip(project, target)) === null;
}

/**
 * Somebody removed the branch and a command committed there before it was made again: the commit holds all files and has no parent.
 * One commit with the last files takes its place, on what the worktree was on before.
 */
async function graft(git: Git, root: string, ref: string, log: readonly Move[], onto: string): Promise<void> {
  const meets = async (commit: string): Promise<boolean> =>
    (await git.try(root, "merge-base", onto, commit)).code === 0;
  const tip = await git.tip(root, ref);
  if (tip === null || (await meets(tip))) return;
  const before = log.flatMap(({ to }, at) => (NO_COMMIT.test(log[at + 1]?.from ?? "") ? [to] : []));
  for (const parent of before.reverse()) {
    if (!(await meets(parent))) continue;
    const [head = "", ...text] = (await git.run(root, "cat-file", "commit", tip)).split("\n\n");
    const kept = head.split("\n").filter((line) => /^(tree|author|committer|encoding) /.test(line));
    const input = [[kept[0], `parent ${parent}`, ...kept.slice(1)].join("\n"), ...text].join("\n\n");
    const made = await git.tryWith({ input }, root, "hash-object", "-t", "commit", "-w", "--stdin");
    if (made.code === 0)
      await git.run(root, "update-ref", "--no-deref", "-m", "ekiden: joined", ref, made.out.trim(), tip);
    return;
  }
}

type Move = { readonly from: string; readonly to: string };
const NO_COMMIT = /^0+$/;

/** Where the HEAD of a worktree was, the oldest first. */
function headLog(root: string): Move[] {
  const lines = textIn(join(gitDirOf(root), "logs", "HEAD")).split("\n");
  return lines.flatMap((line) => {
    const [, from, to] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) /.exec(line) ?? [];
    return from && to ? [{ from, to }] : [];
  });
}

function stateOf(root: string): "whole" | "begun" | "cut off" | "none" {
  if (textIn(join(root, ".git")) === "") return "none";
  const gitDir = gitDirOf(root);
  if (textIn(join(gitDir, "locked")).search(MAKING) === 0) return "begun";
  // The removal of the notes takes a moment.
  return existsSync(join(gitDir, "HEAD")) ? "whole" : "cut off";
}

const gitDirOf = (root: string): string =>
  resolve(root, /^gitdir: (.+)$/m.exec(textIn(join(root, ".git")))?.[1] ?? "");
