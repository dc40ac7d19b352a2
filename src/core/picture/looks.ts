/** The state of each task of a picture as people see it, and the counts. Kept until a task changes: most facts change none. Pure. */
import type { Counts } from "../board/task.ts";
import { overlapping } from "../board/touches.ts";
import type { Picture } from "./picture.ts";
import type { Task } from "./task.ts";

/** As a status is shown: waiting and ready are both pending. */
export type Look = "waiting" | "ready" | "busy" | "done" | "failed" | "cancelled";
export const LOOKS: readonly Look[] = ["waiting", "ready", "busy", "done", "failed", "cancelled"];
type Tasks = ReadonlyMap<number, Task>;

export function lookOf(task: Task, tasks: Tasks): Look {
  switch (task.status) {
    case "pending":
      return task.blockedBy.every((id) => tasks.get(id)?.status === "completed") ? "ready" : "waiting";
    case "in_progress":
      return "busy";
    case "completed":
      return "done";
    default:
      return task.status;
  }
}

export type LookCounts = Readonly<Record<Look, number>>;

type Looks = { readonly of: ReadonlyMap<number, Look>; readonly counts: LookCounts };
const kept = new WeakMap<Picture, Looks & { readonly board: number }>();

/** The looks of all tasks and their counts. Kept until a task changes: most facts change none, and a board may have 10,000. */
export function looksOf(model: Picture): Looks {
  const known = kept.get(model);
  if (known?.board === model.board) return known;
  const counts = { waiting: 0, ready: 0, busy: 0, done: 0, failed: 0, cancelled: 0 };
  const of = new Map<number, Look>();
  for (const task of model.tasks.values()) {
    const look = lookOf(task, model.tasks);
    of.set(task.id, look);
    counts[look] += 1;
  }
  const made = { of, counts, board: model.board };
  kept.set(model, made);
  return made;
}

/** In the words of the tables. */
export function countsOf(picture: Picture): Counts {
  const { ready, waiting, busy, done, failed, cancelled } = looksOf(picture).counts;
  const [pending, total] = [ready + waiting, picture.tasks.size];
  return { pending, ready, inProgress: busy, completed: done, failed, cancelled, total };
}

/** As a list shows it. */
export type ListedTask = Task & {
  readonly ready: boolean;
  /** The blockers that are not completed. */
  readonly waitsFor: readonly number[];
  /** A task in progress that edits the same files, so that this one, though ready, cannot be claimed yet. */
  readonly heldBy: number | null;
  /** Since it ended, else since it was claimed, else since it was added. */
  readonly ageMs: number;
};

export function listed(picture: Picture, now: number): ListedTask[] {
  const { tasks } = picture;
  const { of } = looksOf(picture);
  const editing = [...tasks.values()].filter(
    (task) => task.status === "in_progress" && task.touches.length > 0,
  );
  return [...tasks.values()].map((task) => {
    const ready = of.get(task.id) === "ready";
    const isOpen = (id: number): boolean => tasks.get(id)?.status !== "completed";
    return {
      ...task,
      ready,
      waitsFor: task.status === "pending" ? task.blockedBy.filter(isOpen) : [],
      heldBy: ready ? (editing.find((other) => overlapping(task.touches, other.touches))?.id ?? null) : null,
      ageMs: now - (task.endedAt ?? task.startedAt ?? task.createdAt),
    };
  });
}
