/** How a run ended, and what is told of it. */
import { textOf } from "../../core/conversation/chat.ts";
import { EkidenError, isEkidenError, messageOf } from "../../core/errors.ts";
import { LEAD, type TaskId } from "../../core/ids.ts";
import type { Task } from "../../core/task.ts";
import type { Store } from "../../ports/index.ts";

/** Tasks by how they ended; without those that were over when the run began, unless it was a resumption. */
export type Outcome = {
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Pending or in progress. */
  readonly unfinished: number;
  /** `budget`, `turns`: used up. `model`: the lead cannot go on without one. */
  readonly reason: "concluded" | "budget" | "turns" | "model" | "interrupted";
  /** The lead's last words; "" when it said nothing. */
  readonly text: string;
  /** What stood in the way, with `model`. */
  readonly error?: EkidenError;
  /** This process only watched, and the team goes on in another: nothing about its end stands in the journal. */
  readonly elsewhere?: true;
};

/** Whether any process runs somebody of the team. */
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

export const asEkidenError = (cause: Error): EkidenError =>
  isEkidenError(cause) ? cause : new EkidenError("tool_failed", messageOf(cause), { cause });
