/** What a git that was killed leaves: a lock that nobody holds. And whether it is still there. */
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs";

const WAIT_MS = 30_000;
const POLL_MS = 100;

type Process = { readonly line: string; readonly cwd: string };

/** The git of a process that died may have survived it: it is let come to its end. Needs /proc: elsewhere it waits for nobody. */
export async function gitGone(isIt: (process: Process) => boolean): Promise<void> {
  for (let ms = 0; ms < WAIT_MS && gits().some(isIt); ms += POLL_MS)
    await new Promise((later) => setTimeout(later, POLL_MS));
}

/** If it was made in this time (milliseconds since 1970, and a second for rough clocks). */
export function removeLock(lock: string, from: number, to = Number.POSITIVE_INFINITY): void {
  const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (made >= from - 1_000 && made <= to) rmSync(lock, { force: true });
}

function gits(): Process[] {
  let pids: string[];
  try {
    pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  return pids.flatMap((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "latin1");
      return /^(?:[^\0]*\/)?git\0/.test(line) ? [{ line, cwd: readlinkSync(`/proc/${pid}/cwd`) }] : [];
    } catch {
      return []; // ended in between, or somebody else's
    }
  });
}
