/** Ends an agent program, with all that it started. */
import type { ChildProcess } from "node:child_process";
import { endAll } from "../process-table.ts";

const GRACE_MS = 1_000;

/** `child`: the leader of its group. `tag`: the mark of its processes, in their environment. */
export async function endProgram(child: ChildProcess, tag: string): Promise<void> {
  await endAll(tag, GRACE_MS, new Set(child.pid === undefined ? [] : [child.pid]));
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
}
