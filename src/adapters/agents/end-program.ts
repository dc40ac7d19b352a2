/** Ends an agent program, with all that it started. */
import type { ChildProcess } from "node:child_process";
import { endAll } from "../process-table.ts";

const GRACE_MS = 1_000;

/**
 * `child`: the leader of its group, which is ended only while its leader lives: the number may be another program's afterwards. `tag`: the mark of its
 * processes, in their environment.
 */
export async function endProgram(child: ChildProcess, tag: string): Promise<void> {
  const lives = (): boolean => child.exitCode === null && child.signalCode === null;
  await endAll(tag, GRACE_MS, new Set(child.pid !== undefined && lives() ? [child.pid] : []));
  if (lives()) child.kill("SIGKILL");
}
