/** Finds the locks that a killed git left behind, and tells whether such a git still runs. */

import { readlinkSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { tried } from "../../core/tried.ts";
import { namesIn, textIn } from "../small-files.ts";

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

const gits = (): Process[] =>
  namesIn("/proc").flatMap((pid) => {
    const line = /^\d+$/.test(pid) ? textIn(`/proc/${pid}/cmdline`, "latin1") : "";
    return tried(
      () => (/^(?:[^\0]*\/)?git\0/.test(line) ? [{ line, cwd: readlinkSync(`/proc/${pid}/cwd`) }] : []),
      [],
    ); // ended meanwhile, or another user's
  });
