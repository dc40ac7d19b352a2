/** How a run ended, and the small questions about it that need no host. */
import { hostname } from "node:os";
import { textOf } from "../../core/conversation/chat.ts";
import { EkidenError, isEkidenError, messageOf } from "../../core/errors.ts";
import { LEAD, type TaskId } from "../../core/ids.ts";
import type { Task } from "../../core/task.ts";
import type { Store } from "../../ports/index.ts";

export type Outcome = {
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Pending or in progress. */
  readonly unfinished: number;
  readonly reason: "concluded" | "budget" | "turns" | "model" | "interrupted";
  /** The lead's concluding words. */
  readonly text: string;
  readonly error?: EkidenError;
};

/** Signal 0 asks the kernel whether a process exists without touching it. */
export function isAlive(machine: string, pid: number): boolean | null {
  if (machine !== hostname()) return null;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

export function tally(
  tasks: readonly Task[],
  before: ReadonlySet<TaskId>,
): Pick<Outcome, "completed" | "failed" | "cancelled" | "unfinished"> {
  const counts = { completed: 0, failed: 0, cancelled: 0, unfinished: 0 };
  for (const task of tasks)
    if (!before.has(task.id))
      counts[task.status === "pending" || task.status === "in_progress" ? "unfinished" : task.status] += 1;
  return counts;
}

export async function lastWords(store: Store): Promise<string> {
  const entries = await store.transcript.current(LEAD);
  for (const entry of entries.reverse()) {
    const text = entry.kind === "said" ? textOf(entry.message) : "";
    if (text) return text;
  }
  return "";
}

export const asEkidenError = (cause: Error): EkidenError =>
  isEkidenError(cause) ? cause : new EkidenError("tool_failed", messageOf(cause), { cause });
