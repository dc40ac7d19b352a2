/** The order in which the tasks of a board begin, and the priorities that put a task elsewhere in it. Pure. */
import { PRIORITY_MAX, type Status } from "../board/task.ts";
import type { TaskId } from "../ids.ts";
import { tails } from "./makespan.ts";

export type Placed = {
  readonly id: TaskId;
  readonly status: Status;
  readonly blockedBy: readonly TaskId[];
  readonly priority: number;
  readonly estimate: number;
};

type Later<T> = (a: T, b: T) => number;

/** As the store gives tasks out: the higher priority, then the longer chain of work behind it, then the older task. */
function byClaim<T extends Placed>(tasks: readonly T[]): Later<T> {
  const tail = tails(new Map<TaskId, T>(tasks.map((task) => [task.id, task])));
  const behind = ({ id }: T): number => tail.get(id) ?? 0;
  return (a, b) => b.priority - a.priority || behind(b) - behind(a) || a.id - b.id;
}

/** The pending tasks, each behind those of them that it waits for. Those of a cycle come last. */
export function inPlan<T extends Placed>(tasks: readonly T[]): T[] {
  const sorted = tasks.filter(({ status }) => status === "pending").sort(byClaim(tasks));
  const nth = new Map(sorted.map(({ id }, at) => [id, at]));
  const behind: number[][] = sorted.map(() => []);
  const open = sorted.map(({ blockedBy }, at) => {
    const places = new Set(blockedBy.flatMap((id) => nth.get(id) ?? []));
    for (const place of places) behind[place]?.push(at);
    return places.size;
  });
  // The first one is the last.
  let ready = sorted.flatMap((_, at) => (open[at] === 0 ? [at] : [])).reverse();
  const left = new Set(sorted.keys());
  const order: T[] = [];
  while (left.size > 0) {
    const [first = 0] = left;
    const at = ready.pop() ?? first;
    if (!left.delete(at)) continue;
    order.push(sorted[at] as T);
    const freed = (behind[at] ?? []).filter((one) => {
      open[one] = (open[one] ?? 0) - 1;
      return open[one] === 0;
    });
    // Sorting what is nearly sorted costs one look at each.
    if (freed.length > 0) ready = [...ready, ...freed].sort((a, b) => b - a);
  }
  return order;
}

/** New priorities, with which the task changes places with its neighbour; or the reason why it cannot. */
export type Moved = { readonly priorities: ReadonlyMap<TaskId, number> } | { readonly why: string };

export function moved<T extends Placed>(tasks: readonly T[], id: TaskId, by: 1 | -1): Moved {
  const order = inPlan(tasks);
  const at = order.findIndex((task) => task.id === id);
  const [task, other] = [order[at], order[at + by]];
  if (!task) return { why: `#${id} has begun or has ended, so it has no place in the order.` };
  if (!other) return { why: `#${id} is the ${by < 0 ? "first" : "last"} one.` };
  const [first, second] = by < 0 ? [other, task] : [task, other];
  if (second.blockedBy.includes(first.id))
    return { why: `#${second.id} waits for #${first.id}. Take that edge out first.` };
  order[at] = other;
  order[at + by] = task;
  const later = byClaim(tasks);
  const [fewest] = [fitted(order, later, 1), fitted(order, later, -1)]
    .filter((found) => [...found.values()].every((priority) => Math.abs(priority) <= PRIORITY_MAX))
    .sort((a, b) => a.size - b.size);
  // Where both ways lead over the limit, all get new numbers.
  return { priorities: fewest ?? new Map(order.map((one, nth) => [one.id, order.length - nth])) };
}

/** The fewest priorities that differ, so that `order` is the one of `later`. `step`: 1 raises those before, -1 lowers those behind. */
function fitted<T extends Placed>(order: readonly T[], later: Later<T>, step: 1 | -1): Map<TaskId, number> {
  const changed = new Map<TaskId, number>();
  let known: T | undefined;
  for (const task of step > 0 ? order.toReversed() : order) {
    const fits = (priority: number): boolean => {
      const own = { ...task, priority };
      return !known || (step > 0 ? later(own, known) : later(known, own)) < 0;
    };
    const near = known?.priority ?? task.priority;
    const priority = [task.priority, near, near + step].find(fits) ?? near + step;
    if (priority !== task.priority) changed.set(task.id, priority);
    known = { ...task, priority };
  }
  return changed;
}
