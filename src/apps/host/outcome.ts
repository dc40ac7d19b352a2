/** How a run ended: its counts, its reason, the lead's last words. */
import { textOf } from "../../core/conversation/chat.ts";
import { EkidenError, isEkidenError, messageOf } from "../../core/errors.ts";
import { LEAD, type TaskId } from "../../core/ids.ts";
import type { Task } from "../../core/task.ts";
import type { Store } from "../../ports/index.ts";

/** Counts tasks by how they ended. Tasks finished before the run count only when it was resumed. */
export type Outcome = {
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Pending or in progress. */
  readonly unfinished: number;
  /** `budget`, `turns`: used up. `calls`: too many without a result, of the team or of its lead. `model`: the lead cannot go on without one. */
  readonly reason: "concluded" | "budget" | "turns" | "calls" | "model" | "interrupted";
  /** The lead's last words; "" when it said nothing. */
  readonly text: string;
  /** The cause, with `model`. */
  readonly error?: EkidenError;
  /** This process only watched; the team goes on in another, so the journal has no end of this run. */
  readonly elsewhere?: true;
};

/** Whether any process runs a member of the team. */
export const isHosted = async ({ roster }: Store): Promise<boolean> =>
  (await roster.members()).some(({ host, activity }) => host !== null && activity.phase !== "shutdown");

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

export const asEkidenError = (cause: unknown): EkidenError =>
  isEkidenError(cause) ? cause : new EkidenError("tool_failed", messageOf(cause), { cause });
