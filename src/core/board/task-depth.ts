/** The distance of a task from one of the person: tasks that members add while they work on tasks that members added have no end otherwise. */
import { HARNESS, LEAD, type Name, PERSON } from "../ids.ts";
import type { Task } from "./task.ts";

/** Those whose tasks are nobody's parts: a cron job of the person puts a task on the board for the person. */
export const ROOTS: ReadonlySet<Name> = new Set([PERSON, HARNESS]);

/** 0 for a task of the person, 1 for a task that comes from it. */
export function depthOf(task: Task, tasks: readonly Task[]): number {
  let depth = 0;
  for (let at: Task | undefined = task; at && !ROOTS.has(at.createdBy); at = parentOf(at, tasks)) depth += 1;
  return depth;
}

/** The first of the tasks from which this one comes: one of the person, or one that the lead planned. */
export function rootOf(task: Task, tasks: readonly Task[]): Task {
  if (ROOTS.has(task.createdBy)) return task;
  const parent = parentOf(task, tasks);
  return parent ? rootOf(parent, tasks) : task;
}

/** The task that a member works on, or worked on last. The lead plans for the person, so only a task that it still has counts. */
export function lastTaskOf(
  who: Name,
  tasks: readonly Task[],
  before = Number.POSITIVE_INFINITY,
): Task | undefined {
  let last: Task | undefined;
  for (const task of tasks) {
    if (!("owner" in task) || task.owner !== who || task.startedAt === null || task.startedAt > before)
      continue;
    if (who === LEAD && "endedAt" in task && task.endedAt < before) continue;
    if (!last || task.startedAt >= (last as { startedAt: number }).startedAt) last = task;
  }
  return last;
}

/** Older tasks only, so that no chain has a cycle: the clocks of processes differ. */
const parentOf = ({ id, parent, createdBy, createdAt }: Task, tasks: readonly Task[]): Task | undefined =>
  tasks.find((task) => task.id === parent && task.id < id) ??
  lastTaskOf(
    createdBy,
    tasks.filter((task) => task.id < id),
    createdAt,
  );
