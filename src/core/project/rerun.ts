/**
 * A runbook that is run again. It is recognised by its heading and the subjects of its tasks, so that it continues where it was instead of putting
 * all its tasks on the board a second time; its file may have been corrected in between. Pure.
 */

import type { NewTask, Task, TaskChange } from "../board/task.ts";
import type { TaskId } from "../ids.ts";
import { hashOf } from "../text/hash.ts";
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

/**
 * Names a runbook by its heading, which stays when its tasks are corrected. Two files with like-named tasks ("Build", "Test") are
 * therefore two runbooks.
 */
export const keyOf = ({ goal }: Pick<Runbook, "goal">): string => {
  const [heading = ""] = goal.split("\n");
  return hashOf(subjectKey(heading)).toString(16);
};

/** Its tasks as they are put on the board. */
export const tasksOf = (runbook: Runbook): NewTask[] =>
  runbook.tasks.map((task) => ({ ...task, runbook: keyOf(runbook) }));

/** Null for a runbook that is not on the board. `board`: the tasks that a person has put there, oldest first. */
export function rerunOf(runbook: Runbook, board: readonly Task[]): Rerun | null {
  const wanted = tasksOf(runbook);
  const tasks = earlierTasks(wanted, board);
  if (tasks === null) return null;
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

/**
 * The task of the board for each task of the file. Null unless at least half of them are there. Subjects recognise the tasks of the
 * same runbook, if anything shows that the file was corrected, and not replaced by another one with the same heading: a text that
 * is still the same, or a task that is not completed. Tasks of older versions do not name their runbook, so the texts of half of them must be the same.
 */
function earlierTasks(wanted: readonly NewTask[], board: readonly Task[]): (Task | null)[] | null {
  const [own, old] = [wanted[0]?.runbook, undefined].map((runbook) => {
    // The latest of each subject: earlier ones belong to earlier runs.
    const latest = board.filter((task) => task.runbook === runbook);
    const bySubject = new Map(latest.map((task) => [subjectKey(task.subject), task]));
    return wanted.map((task) => bySubject.get(subjectKey(task.subject)) ?? null);
  }) as [(Task | null)[], (Task | null)[]];
  const isSame = (task: Task | null, nth: number): boolean =>
    task !== null && task.description === (wanted[nth]?.description ?? "");
  const hasSame = old.some(isSame);
  const tasks = own.map((task, nth) => task ?? (hasSame ? (old[nth] ?? null) : null));
  const sure = tasks.filter(
    (task, nth) => task !== null && (task.runbook !== undefined || isSame(task, nth)),
  );
  if (sure.length === 0 || sure.length < wanted.length / 2) return null;
  const goesOn = tasks.some((task, nth) => isSame(task, nth) || (task && task.status !== "completed"));
  return goesOn ? tasks : null;
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
