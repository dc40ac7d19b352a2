/**
 * Commands whose Ekiden process was killed: nobody waits for them, and their task will be done anew, so they may not go on
 * beside it. Background jobs are left alone: the process that adopts their member reports them and can end them.
 */
import { readdirSync, readFileSync } from "node:fs";
import { endAll, isAlive } from "../process-table.ts";

const GRACE_MS = 1_000;
/** "PID-RANDOM.N;", and in front of it the jobs that it runs inside of. */
const JOB = /EKIDEN_JOB=(?:[^\0]*:)?((\d+)-[0-9a-f]+\.\d+;)\0/;

/** Ends them with all that they started. Needs /proc: elsewhere it finds none. */
export async function endOrphans(): Promise<void> {
  const tags = new Set<string>();
  for (const entry of listProc()) {
    const environ = readEnvironment(entry);
    const [, tag, pid] = JOB.exec(environ) ?? [];
    if (tag !== undefined && !environ.includes("EKIDEN_JOB_OUTPUT=") && !isAlive(Number(pid))) tags.add(tag);
  }
  await Promise.all([...tags].map((tag) => endAll(new Set(), tag, GRACE_MS)));
}

function listProc(): string[] {
  try {
    return readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
  } catch {
    return [];
  }
}

function readEnvironment(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return ""; // ended in between, or somebody else's
  }
}
