/** The board's side of a folder of task files: its tasks as files show them, and what a file asks of the board. */

import {
  type Agreed,
  type FileTask,
  isOutsider,
  outsider,
  type Progress,
  type SharedField,
  type SharedTask,
} from "../../core/board/sync.ts";
import type { Task, TaskChange } from "../../core/board/task.ts";
import { EkidenError } from "../../core/errors.ts";
import { foldName, HARNESS, type Name, type TaskId } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";

/** The author of changes of the board for a file. Never the person: anybody may have written the file. */
export const BY = HARNESS;

/** One look at the board. */
export type Board = {
  readonly tasks: Map<TaskId, Task>;
  /** The living teammates. */
  readonly mates: ReadonlySet<Name>;
  readonly fileId: (task: TaskId) => string | undefined;
  readonly taskId: (id: string) => TaskId | undefined;
};

/** `agreed`: how the file showed what someone outside of the team does. */
export function sharedOf(task: Task, board: Board, agreed: Agreed | null): SharedTask {
  return {
    ...progressOf(task, agreed),
    subject: task.subject,
    description: task.description,
    blockedBy: openOf(
      task.blockedBy.map((id) => board.fileId(id) ?? String(id)),
      board,
    ),
    priority: task.priority,
    estimate: task.estimate,
    role: task.role ?? "",
    touches: task.touches,
    needsPlan: task.needsPlan,
  };
}

/** Sorted ids of files, without tasks that are completed. */
export const openOf = (ids: readonly string[], board: Board): string[] =>
  [...new Set(ids)]
    .filter((id) => board.tasks.get(board.taskId(id) as TaskId)?.status !== "completed")
    .sort((a, b) => a.localeCompare(b));

function progressOf(task: Task, agreed: Agreed | null): Progress {
  if (task.status !== "pending") return { status: task.status, owner: task.owner ?? "" };
  const { assignee } = task;
  if (assignee === undefined || !isOutsider(assignee)) return { status: "pending", owner: assignee ?? "" };
  if (agreed && outsider(agreed.owner) === assignee) return { status: agreed.status, owner: agreed.owner };
  return { status: "in_progress", owner: assignee.replace(/^.*?:/, "") };
}

/** The name of a living teammate as it is here, or the text itself. */
export const ownerIn = (board: Board, owner: string): string =>
  board.mates.has(foldName(owner) as Name) ? foldName(owner) : owner;

/** The name that may claim a task that a file gives to somebody; undefined: everybody. */
export function assigneeFor({ status, owner }: Progress, board: Board): Name | undefined {
  if (owner === "") return status === "in_progress" ? outsider("") : undefined;
  const name = ownerIn(board, owner);
  return board.mates.has(name as Name) ? (name as Name) : outsider(owner);
}

/** Gives a task of the board the progress that a file tells. Returns why not, or null. */
export async function progress(
  { board }: Store,
  task: Task,
  want: Progress,
  told: string,
  here: Board,
): Promise<string | null> {
  const { id } = task;
  if (task.status === "completed") return "it is completed here, which is final";
  if (task.status === "in_progress")
    return `${task.owner} is at work on it here (to take it away: ekiden release ${id})`;
  const isEnded = task.status === "failed" || task.status === "cancelled";
  try {
    if (want.status === "cancelled" || want.status === "failed") {
      if (!isEnded) await board.cancel(id, BY, told);
      return null;
    }
    if (isEnded) await board.retry(id, BY);
    // First the hold, which is refused once a member has claimed the task.
    const assignee = want.status === "completed" ? outsider(want.owner) : assigneeFor(want, here);
    await board.assign(id, assignee ?? null, BY);
    if (want.status === "completed") await board.completeFor(id, BY, told);
    return null;
  } catch (error) {
    if (isRefusal(error)) return error.message;
    throw error;
  }
}

const REFUSALS: ReadonlySet<string> = new Set(["already_started", "not_found", "bad_input", "cycle"]);
export const isRefusal = (error: unknown): error is EkidenError =>
  error instanceof EkidenError && REFUSALS.has(error.code);

/** Changes fields of a task. The store tells its owner. Returns why not, or null. */
export async function change(
  store: Store,
  task: Task,
  fields: readonly SharedField[],
  said: FileTask,
  here: Board,
): Promise<string | null> {
  const { blockedBy, role, ...plain } = Object.fromEntries(
    fields.map((field) => [field, said[field]]),
  ) as Partial<SharedTask>;
  const wanted = blockedBy?.map((id) => here.taskId(id) as TaskId);
  const isOpen = (id: TaskId): boolean => here.tasks.get(id)?.status !== "completed";
  const changes: TaskChange = {
    ...plain,
    ...(role !== undefined && { role: role || null }),
    ...(wanted && {
      addBlockedBy: wanted.filter((id) => !task.blockedBy.includes(id)),
      removeBlockedBy: task.blockedBy.filter((id) => isOpen(id) && !wanted.includes(id)),
    }),
  };
  try {
    await store.board.change(task.id, changes, BY);
    return null;
  } catch (error) {
    if (isRefusal(error)) return error.message;
    throw error;
  }
}
