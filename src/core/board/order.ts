/** Tasks by their dependencies: an order in which each can be done, and the chain that decides the end. Pure. */
import type { Status } from "./task.ts";

type Waiting<Id> = { readonly id: Id; readonly blockedBy: readonly Id[] };

/** Every task after all that it waits for. Tasks in a cycle (the store refuses cycles) come last. */
export function inOrder<Id>(tasks: ReadonlyMap<Id, Waiting<Id>>): Id[] {
  const open = new Map<Id, number>();
  const after = new Map<Id, Id[]>();
  for (const { id, blockedBy } of tasks.values()) {
    const known = blockedBy.filter((blocker) => tasks.has(blocker));
    open.set(id, known.length);
    for (const blocker of known) {
      const list = after.get(blocker);
      if (list) list.push(id);
      else after.set(blocker, [id]);
    }
  }
  const order = [...open].filter(([, count]) => count === 0).map(([id]) => id);
  // The loop also comes to what it adds.
  for (const done of order)
    for (const id of after.get(done) ?? []) {
      const left = (open.get(id) as number) - 1;
      open.set(id, left);
      if (left === 0) order.push(id);
    }
  const placed = new Set(order);
  return [...order, ...[...open.keys()].filter((id) => !placed.has(id))];
}

type Estimated<Id> = Waiting<Id> & { readonly status: Status; readonly estimate: number };

/** The chain of unfinished tasks with the most estimated work: nothing done elsewhere makes the end come sooner. */
export function criticalPath<Id>(tasks: ReadonlyMap<Id, Estimated<Id>>): Id[] {
  const best = new Map<Id, { readonly work: number; readonly after: Id | null }>();
  for (const id of inOrder(tasks)) {
    const task = tasks.get(id) as Estimated<Id>;
    if (task.status !== "pending" && task.status !== "in_progress") continue;
    let [work, after]: [number, Id | null] = [0, null];
    for (const blocker of task.blockedBy) {
      const before = best.get(blocker);
      if (before && before.work > work) [work, after] = [before.work, blocker];
    }
    best.set(id, { work: work + task.estimate, after });
  }
  let [last, most]: [Id | null, number] = [null, Number.NEGATIVE_INFINITY];
  for (const [id, { work }] of best) if (work > most) [last, most] = [id, work];
  const path: Id[] = [];
  for (let at = last; at !== null; at = best.get(at)?.after ?? null) path.unshift(at);
  return path.length > 1 ? path : [];
}
