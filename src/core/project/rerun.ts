/**
 * A runbook that is run again. It is recognised by the subjects of its tasks, so that it goes on where it was instead of putting
 * all its tasks on the board a second time; its file may have been corrected in between. Pure.
 */
import type { TaskId } from "../ids.ts";
import type { NewTask, Task, TaskChange } from "../task.ts";
import { type Runbook, subjectKey } from "./runbook.ts";

export type Rerun = {
  /** The task of the board for each task of the runbook; null where there is none yet. */
  readonly tasks: readonly (Task | null)[];
  /** Failed tasks, to be tried again. */
  readonly retry: readonly TaskId[];
  /** Tasks that are not completed and differ from the file. */
  readonly change: readonly { readonly id: TaskId; readonly change: TaskChange }[];
  /** Tasks that are new in the file; their blockers are on the board or, as `nth`, in this list. */
  readonly add: readonly NewTask[];
  /** Tasks that wait for new ones, by their places in `add`. */
  readonly link: readonly { readonly id: TaskId; readonly after: readonly number[] }[];
  /** Completed tasks whose text in the file is another one now. */
  readonly outdated: readonly TaskId[];
};

/** Null for a runbook that is not on the board: fewer than half of its tasks are. `board`: what a person has put there, oldest first. */
export function rerunOf({ tasks: wanted }: Runbook, board: readonly Task[]): Rerun | null {
  // The latest of each subject: earlier ones belong to earlier runs.
  const latest = new Map(board.map((task) => [subjectKey(task.subject), task]));
  const tasks = wanted.map((task) => latest.get(subjectKey(task.subject)) ?? null);
  const known = tasks.filter((task) => task !== null);
  if (known.length === 0 || known.length < wanted.length / 2) return null;
  const added = wanted.flatMap((_, nth) => (tasks[nth] ? [] : [nth]));
  const pairs = wanted.flatMap((task, nth) => {
    const old = tasks[nth];
    return old ? [{ old, task, blockers: blockersOf(task, tasks) }] : [];
  });
  const open = pairs.filter(({ old }) => old.status !== "completed" && old.status !== "cancelled");
  return {
    tasks,
    retry: open.filter(({ old }) => old.status === "failed").map(({ old }) => old.id),
    change: open.flatMap(({ old, task, blockers }) => {
      const change = changeOf(old, task, blockers);
      return Object.keys(change).length > 0 ? [{ id: old.id, change }] : [];
    }),
    add: added.map((nth) => {
      const task = wanted[nth] as NewTask;
      const fresh = placesOf(task).filter((place) => tasks[place] === null);
      const blockedBy = [
        ...blockersOf(task, tasks),
        ...fresh.map((place) => ({ nth: added.indexOf(place) })),
      ];
      return { ...task, blockedBy };
    }),
    link: open.flatMap(({ old, task }) => {
      const after = placesOf(task).flatMap((place) => (tasks[place] ? [] : [added.indexOf(place)]));
      return old.status !== "in_progress" && after.length > 0 ? [{ id: old.id, after }] : [];
    }),
    outdated: pairs
      .filter(({ old, task }) => old.status === "completed" && old.description !== (task.description ?? ""))
      .map(({ old }) => old.id),
  };
}

const placesOf = ({ blockedBy = [] }: NewTask): number[] =>
  blockedBy.flatMap((blocker) => (typeof blocker === "object" ? [blocker.nth] : []));

const blockersOf = (task: NewTask, tasks: readonly (Task | null)[]): TaskId[] =>
  placesOf(task).flatMap((place) => tasks[place]?.id ?? []);

/** The text may be corrected at any time; edges and the role only before the task has started. */
function changeOf(old: Task, task: NewTask, blockers: readonly TaskId[]): TaskChange {
  const { description = "", priority = 0, estimate = 1 } = task;
  const addBlockedBy = blockers.filter((id) => !old.blockedBy.includes(id));
  return {
    ...(description !== old.description && { description }),
    ...(priority !== old.priority && { priority }),
    ...(estimate !== old.estimate && { estimate }),
    ...(old.status === "pending" && addBlockedBy.length > 0 && { addBlockedBy }),
  };
}
