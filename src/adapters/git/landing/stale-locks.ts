/** Finds the locks that a killed git left behind, and tells whether such a git still runs. */

import { lstatSync, readdirSync, readlinkSync, realpathSync, rmSync, statSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin } from "../../../core/paths/paths.ts";
import { succeeds, tried } from "../../../core/tried.ts";
import { inHeldFolder } from "../../held-folder.ts";
import { namesIn, textIn } from "../../small-files.ts";

const WAIT_MS = 30_000;
const POLL_MS = 100;

type Process = { readonly line: string; readonly cwd: string };

/** A git may outlive the process that started it: this waits until it ends. Needs /proc; elsewhere it does not wait. */
export async function gitGone(isIt: (process: Process) => boolean): Promise<void> {
  for (let ms = 0; ms < WAIT_MS && gits().some(isIt); ms += POLL_MS)
    await new Promise((later) => setTimeout(later, POLL_MS));
}

/** The locks that git makes in the folder of a worktree when it moves its HEAD. */
export const OWN_LOCKS: readonly string[] = ["index.lock", "HEAD.lock", "ORIG_HEAD.lock"];

/** Those that were made in this time (milliseconds since 1970, and a second for imprecise clocks). */
export function removeLocks(
  folder: string,
  locks: readonly string[],
  from: number,
  to = Number.POSITIVE_INFINITY,
): void {
  for (const lock of locks.map((name) => join(folder, name))) {
    const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (made >= from - 1_000 && made <= to) rmSync(lock, { force: true });
  }
}

/** A git that just starts may not be seen yet. */
const FRESH_MS = 2_000;
const DEPTH_MAX = 16;

/**
 * The new owner of a task finds in its clone the locks of a git that was killed with the earlier one: no git could change anything there. The
 * clone is nobody else's, so they go as soon as no git runs in it. Links are not followed.
 */
export async function removeLeftLocks(root: string): Promise<void> {
  const found = [...locksIn(root, ".git", 0), ...locksIn(root, ".git/refs", DEPTH_MAX)];
  if (found.length === 0) return;
  const ages = found.map((path) => tried(() => inHeldFolder(root, path, ageOf), FRESH_MS));
  const waitMs = FRESH_MS - Math.max(0, Math.min(...ages));
  if (waitMs > 0) await new Promise((later) => setTimeout(later, waitMs));
  await gitGone(({ cwd }) => isWithin(root, cwd));
  for (const path of found) succeeds(() => inHeldFolder(root, path, (at) => removeOld(at)));
}
const ageOf = (path: string): number => Date.now() - lstatSync(path).mtimeMs;

function locksIn(root: string, folder: string, depth: number): string[] {
  if (!succeeds(() => inHeldFolder(root, `${folder}/HEAD`, () => {}))) return [];
  const entries = tried(() => readdirSync(join(root, folder), { withFileTypes: true }), []);
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && depth > 0) return locksIn(root, path, depth - 1);
    return entry.isFile() && entry.name.endsWith(".lock") ? [path] : [];
  });
}

function removeOld(path: string): void {
  if (ageOf(path) >= FRESH_MS) unlinkSync(path);
}

/** Git's words about the lock of a branch of a task. */
const HELD = /Unable to create '(([^'\n]+)\/refs\/heads\/(ekiden\/[^'\n]+)\.lock)': File exists/;
const OWN_BRANCHES = /\/refs\/heads\/ekiden(?:\/|$)/;

/**
 * Git could not lock the branch of a task: waits until the git that holds it has ended, and removes the lock of one that was killed.
 * Branches of tasks are Ekiden's own, so no program of the person waits in between.
 * @returns whether git may be started again; false also for all other errors
 */
export async function branchFreed(error: string): Promise<boolean> {
  const [, lock = "", commonDir = "", branch = ""] = HELD.exec(error) ?? [];
  // A link of a member would lead to a file elsewhere.
  if (lock === "" || !OWN_BRANCHES.test(tried(() => realpathSync(dirname(lock)), ""))) return false;
  const project = `${dirname(commonDir)}/`;
  await gitGone(({ cwd, line }) => `${cwd}/`.startsWith(project) || line.includes(branch));
  rmSync(lock, { force: true });
  return true;
}

const gits = (): Process[] =>
  namesIn("/proc").flatMap((pid) => {
    const line = /^\d+$/.test(pid) ? textIn(`/proc/${pid}/cmdline`, "latin1") : "";
    return tried(
      () => (/^(?:[^\0]*\/)?git\0/.test(line) ? [{ line, cwd: readlinkSync(`/proc/${pid}/cwd`) }] : []),
      [],
    ); // ended meanwhile, or another user's
  });
