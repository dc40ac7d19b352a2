/** The outcome of a run: its counts, its reason, the lead's last words. */

import { ENDED_STINT } from "../core/board/lifecycle.ts";
import { type Backlog, backlogText } from "../core/board/mail.ts";
import { isFinished, isReady, type Task } from "../core/board/task.ts";
import { untakenWords } from "../core/board/untaken.ts";
import { textOf } from "../core/conversation/chat.ts";
import { Conversation } from "../core/conversation/conversation.ts";
import { lastWords } from "../core/conversation/last-words.ts";
import { EkidenError, isEkidenError, messageOf, toolFailed } from "../core/errors.ts";
import { HARNESS, type HostId, LEAD, type Name, type TaskId } from "../core/ids.ts";
import type { Cursor, Store } from "../ports/index.ts";
import { type TurnOutcome, UNANSWERED } from "../runtime/agent/agent.ts";
import type { Parts } from "./parts.ts";

/** Counts tasks by how they ended. Tasks finished before the run count only when it was resumed. */
export type Outcome = {
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Pending or in progress. */
  readonly unfinished: number;
  /**
   * `budget`, `turns`, `calls`: used up. `progress`: too many calls without progress. `loop`: the lead repeated itself. `deadline`: its time
   * is over. `model`: the lead cannot continue without one.
   */
  readonly reason:
    | "concluded"
    | "budget"
    | "turns"
    | "calls"
    | "progress"
    | "loop"
    | "deadline"
    | "model"
    | "interrupted";
  /** The reason, where a limit or a repetition ended the run. */
  readonly why?: string;
  /** The words that raise the limit: options of `ekiden resume`, or a variable before it. */
  readonly goOn?: string;
  /** The lead's last words; "" when it said nothing. */
  readonly text: string;
  /** The cause, with `model`. */
  readonly error?: EkidenError;
  /** The notes that members have not read: the exit code does not depend on them. Absent where there are none. */
  readonly unread?: readonly Pick<Backlog, "to" | "count">[];
  /** The tasks that no member may take, each with the remedy. Absent where there are none. */
  readonly untaken?: readonly string[];
  /** All that is left waits for pull requests on the forge. Absent otherwise. */
  readonly proposed?: true;
  /** This process only watched; the team continues in another, so the journal has no end of this run. */
  readonly elsewhere?: true;
};

export type HowEnded = Pick<Outcome, "error" | "why" | "goOn">;

/** The last warning about a member since then, such as what it repeated; null if there is none. */
async function lastWarningOf({ journal }: Store, since: Cursor, who: Name): Promise<string | null> {
  let text: string | null = null;
  for await (const { events } of journal.pages(since, ["warning.raised"]))
    for (const event of events) if (event.type === "warning.raised" && event.who === who) text = event.text;
  return text;
}

/** Reports the notes of members to each other that nobody has read. */
async function tellUnread({ mail, journal }: Store): Promise<readonly Backlog[]> {
  const unread = await mail.unreadNotes();
  for (const left of unread)
    await journal.warn(
      null,
      `The run ends, and ${left.to} has not read all notes: ${backlogText(left)}. ekiden inbox ${left.to} shows them.`,
    );
  return unread;
}

/** Reports the tasks that are ready and that no member may take: without a change by a person they stay. The words of each. */
async function tellUntaken({ roster, journal }: Store, tasks: readonly Task[]): Promise<readonly string[]> {
  const members = (await roster.members()).filter(({ activity }) => activity.phase !== "shutdown");
  const untaken = tasks.filter(isReady).flatMap((task) => untakenWords(task, members) ?? []);
  for (const why of untaken) await journal.warn(null, `The run ends: nobody can take ${why}`);
  return untaken;
}

/** Whether any process runs a member of the team. */
export const isHosted = async ({ roster }: Store): Promise<boolean> =>
  (await roster.members()).some(({ host, activity }) => host !== null && activity.phase !== "shutdown");

/** Members that only run the blocks of a runbook leave to others what they cannot do: that is not unfinished. */
export async function ownTasks(
  { store, models }: Pick<Parts, "store" | "models">,
  own: string | undefined,
): Promise<Task[]> {
  const tasks = await store.board.tasks();
  if (own === undefined || models.ofNew !== "runbook") return tasks;
  return tasks.filter(({ status, runbook }) => status !== "pending" || runbook === own);
}

/** The tasks in whose place another one was put: the outcome of that one counts. */
async function replacedIn({ journal }: Store): Promise<ReadonlySet<TaskId>> {
  const replaced = new Set<TaskId>();
  for await (const { events } of journal.pages(journal.from(0), ["task.cancelled"]))
    for (const event of events)
      if (event.type === "task.cancelled")
        replaced[event.replacedBy === undefined ? "delete" : "add"](event.task);
  return replaced;
}

/** Without those of `before`, and those of `replaced` that are still cancelled. */
export function tally(
  tasks: readonly Task[],
  before: ReadonlySet<TaskId>,
  replaced: ReadonlySet<TaskId> = new Set(),
): Pick<Outcome, "completed" | "failed" | "cancelled" | "unfinished"> {
  const counts = { completed: 0, failed: 0, cancelled: 0, unfinished: 0 };
  for (const task of tasks)
    if (!before.has(task.id) && !(task.status === "cancelled" && replaced.has(task.id)))
      counts[task.status === "pending" || task.status === "in_progress" ? "unfinished" : task.status] += 1;
  return counts;
}

/** The last reply of the lead that has words. */
async function saidLast(store: Store): Promise<string> {
  const messages = new Conversation(await store.transcript.current(LEAD)).messages();
  const last = messages.findLastIndex((message) => message.role === "assistant" && textOf(message) !== "");
  return lastWords(messages.slice(0, last + 1));
}

export const asEkidenError = (cause: unknown): EkidenError =>
  isEkidenError(cause) ? cause : toolFailed(messageOf(cause), { cause });

/** The turns of the lead in this process: what the last one was, and whether any did something. */
export class LeadTurns {
  private last: TurnOutcome["unanswered"] = null;
  private hasActed = false;

  note({ unanswered, calls }: TurnOutcome): void {
    this.last = unanswered;
    this.hasActed ||= calls.length > 0;
  }

  /** The end of a run whose board is quiet. A lead whose last stint was ended for it has concluded nothing. */
  async conclusion(
    store: Store,
    since: Cursor,
    before: ReadonlySet<TaskId>,
  ): Promise<readonly [Outcome["reason"], EkidenError | null, HowEnded]> {
    const activity = (await store.roster.member(LEAD))?.activity;
    if (activity?.phase === "idle" && ENDED_STINT.has(activity.reason)) {
      const why = await lastWarningOf(store, since, LEAD);
      return ["loop", null, why === null ? {} : { why }];
    }
    const hasWork = this.hasActed || (await store.board.tasks()).length > before.size;
    // A lead that only concludes in silence, or with too many words, has done its work.
    if (this.last === null || (this.last !== "filtered" && hasWork)) return ["concluded", null, {}];
    const lacks = this.last === "cut" ? "its end is missing" : "the run has no result";
    const text = `The answer of ${LEAD} ${UNANSWERED[this.last]}, again after a hint, so ${lacks}. Another model may continue (--model).`;
    return ["model", new EkidenError("model_refused", text), {}];
  }
}

type Ending = {
  readonly id: HostId;
  readonly runbook: string | undefined;
  readonly before: ReadonlySet<TaskId>;
  readonly reason: Outcome["reason"];
};

/** No member can do anything about it now: it has ended, waits for other tasks, or for its pull request. */
export const isAtRest = (task: Task): boolean =>
  isFinished(task) ||
  (task.status === "pending"
    ? task.openBlockers > 0
    : task.status === "in_progress" && task.owner === HARNESS);

/** Records the end of a run whose members have been suspended. */
export async function recordEnd(parts: Parts, { id, runbook, before, reason }: Ending): Promise<Outcome> {
  const { store } = parts;
  const tasks = await ownTasks(parts, runbook);
  const unread = reason === "interrupted" ? [] : await tellUnread(store);
  const untaken = reason === "concluded" ? await tellUntaken(store, tasks) : [];
  const counts = tally(tasks, before, await replacedIn(store));
  const told = await store.roster.finish(id, { ...counts, reason });
  const left = tasks.filter((task) => !isFinished(task));
  const proposed = left.every(isAtRest) && left.some(({ status }) => status === "in_progress");
  const elsewhere = !told && reason === "interrupted" && (await isHosted(store));
  return {
    ...counts,
    reason,
    text: await saidLast(store),
    ...(unread.length > 0 && { unread: unread.map(({ to, count }) => ({ to, count })) }),
    ...(untaken.length > 0 && { untaken }),
    ...(proposed && { proposed }),
    ...(elsewhere && { elsewhere }),
  };
}
