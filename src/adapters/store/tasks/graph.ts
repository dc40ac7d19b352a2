/**
 * Edges between tasks: open blockers, cycles, and the length of the chain behind each task.
 *
 * A blocker is locked before it is counted. So a completion either is seen here, or comes later and sees the new edge: no dependant
 * waits for ever or starts early, and the team needs no lock.
 */

import { type Status, showCycle } from "../../../core/board/task.ts";
import { EkidenError } from "../../../core/errors.ts";
import type { TaskId } from "../../../core/ids.ts";
import { type Asking, anyOf, exec, type Op, query, sql, type Tx } from "../sql.ts";
import { missing } from "./task-row.ts";

/** Locks them in id order. Returns those that still block. @throws `not_found` */
export function* openBlockers(tx: Tx, ids: readonly TaskId[]): Op<Set<TaskId>> {
  if (ids.length === 0) return new Set();
  const rows = yield* sql<{ id: TaskId; status: Status }>`
    select id, status from tasks where team = ${tx.team} and id ${anyOf(tx, ids)} order by id ${tx.dialect.forUpdate}`;
  const known = new Set(rows.map((row) => row.id));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) throw missing(unknown);
  return new Set(rows.flatMap((row) => (row.status === "completed" ? [] : [row.id])));
}

type Unblocked = { readonly id: TaskId; readonly status: Status; readonly open_blockers: number };
/** `by`: the last of the completed tasks that blocked it. */
export type Freed = Unblocked & { readonly by: TaskId };

/** On PostgreSQL: takes completed tasks off their dependants. */
export const unblocking = (tx: Tx, completed: readonly TaskId[]): Asking<Freed> => {
  const ids = `{${completed.join(",")}}`;
  // Arrays instead of `in (select …)`: that is a join, and the planner may begin it with all tasks of the team.
  // Two completions that unblock the same tasks must lock them in the same order.
  // A failed part may have freed its whole while this waited for the lock, so there may be nothing left to count.
  return query<Freed>`
    with waiting as materialized (
      select id from tasks where team = ${tx.team} and id = any(array(select task from edges where team = ${tx.team} and blocker = any(${ids}::bigint[])))
      order by id for update)
    update tasks t set updated_at = ${tx.now}, open_blockers = greatest(0, open_blockers - (
      select count(*) from edges e where e.team = t.team and e.task = t.id and e.blocker = any(${ids}::bigint[])))
    where team = ${tx.team} and id = any(array(select id from waiting))
    returning id, status, open_blockers, (select max(blocker) from edges e where e.team = t.team and e.task = t.id and e.blocker = any(${ids}::bigint[])) as by`;
};

export function* unblock(tx: Tx, id: TaskId): Op<TaskId[]> {
  if (tx.dialect.name === "sqlite") return yield* unblockSeen(tx, id);
  return readyAmong((yield unblocking(tx, [id])) as Freed[]).map((one) => one.id);
}

/** SQLite has one writer, so rows cannot change after they were read. Most tasks have no dependants, which costs one read. */
function* unblockSeen(tx: Tx, id: TaskId): Op<TaskId[]> {
  const waiting = yield* sql<Unblocked>`
    select t.id, t.status, t.open_blockers - 1 as open_blockers from edges e join tasks t on t.team = e.team and t.id = e.task
    where e.team = ${tx.team} and e.blocker = ${id}`;
  for (const one of waiting)
    yield* exec`
      update tasks set open_blockers = open_blockers - 1, updated_at = ${tx.now} where team = ${tx.team} and id = ${one.id}`;
  return readyAmong(waiting).map((one) => one.id);
}

/** The tasks that became ready, by id. */
export const readyAmong = <R extends Unblocked>(rows: readonly R[]): R[] =>
  rows.filter((row) => row.status === "pending" && row.open_blockers === 0).sort((a, b) => a.id - b.id);

/** The caller holds the team's lock on edges, so two halves of a cycle cannot be added at once. @throws `cycle` */
export function* refuseCycle(tx: Tx, id: TaskId, blockers: readonly TaskId[]): Op<void> {
  const [found] = yield* sql`
    with recursive above(id) as (
      select id from tasks where team = ${tx.team} and id ${anyOf(tx, blockers)}
      union select e.blocker from edges e join above on e.task = above.id where e.team = ${tx.team})
    select id from above where id = ${id}`;
  if (!found) return;
  const edges = yield* sql<{
    task: TaskId;
    blocker: TaskId;
  }>`select task, blocker from edges where team = ${tx.team}`;
  const above = new Map<TaskId, TaskId[]>();
  for (const { task, blocker } of edges) above.set(task, [...(above.get(task) ?? []), blocker]);
  above.set(id, [...blockers]);
  throw cycle(showCycle(findCycle(id, (one) => above.get(one) ?? [])));
}

export const cycle = (shown: string): EkidenError =>
  new EkidenError(
    "cycle",
    `These tasks would wait for each other: ${shown}. Nothing was changed. Leave out one of these edges.`,
  );

/** The path from `start` back to itself, along blockers. */
export function findCycle<T>(start: T, above: (one: T) => readonly T[]): T[] {
  const cameFrom = new Map<T, T>();
  const queue: T[] = [start];
  for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
    for (const next of above(one)) {
      if (next === start) {
        const way: T[] = [start];
        for (let at: T | undefined = one; at !== undefined && at !== start; at = cameFrom.get(at))
          way.unshift(at);
        return [start, ...way];
      }
      if (!cameFrom.has(next)) {
        cameFrom.set(next, one);
        queue.push(next);
      }
    }
  }
  return [start, start];
}

/** Chain lengths only order the queue, so an addition to the end of a very long chain updates this many rows at most. */
const CHAIN_STEPS = 1_000;

/** After new work behind these tasks: lengthens their chains and those of their blockers. */
export function* lengthen(tx: Tx, behind: ReadonlyMap<TaskId, number>): Op<void> {
  const queue = [...behind];
  for (let steps = 0; steps < CHAIN_STEPS && queue.length > 0; steps += 1) {
    const [id, work] = queue.shift() as [TaskId, number];
    const [row] = yield* sql<{ chain: number }>`
      update tasks set chain = estimate + ${work}
      where team = ${tx.team} and id = ${id} and chain < estimate + ${work} and status not in ('completed', 'cancelled') returning chain`;
    if (!row) continue;
    for (const { blocker } of yield* sql<{
      blocker: TaskId;
    }>`select blocker from edges where team = ${tx.team} and task = ${id}`)
      queue.push([blocker, row.chain]);
  }
}

/** After a change that may shorten chains: computes them again, from these tasks up to where nothing changes. */
export function* measure(tx: Tx, from: readonly TaskId[]): Op<void> {
  const queue = [...from];
  for (let steps = 0; steps < CHAIN_STEPS && queue.length > 0; steps += 1) {
    const id = queue.shift() as TaskId;
    const [longest] = yield* sql<{ chain: number }>`
      select coalesce(max(d.chain), 0) as chain from edges e join tasks d on d.team = e.team and d.id = e.task
      where e.team = ${tx.team} and e.blocker = ${id}`;
    const work = longest?.chain ?? 0;
    const changed = yield* sql`
      update tasks set chain = estimate + ${work} where team = ${tx.team} and id = ${id} and chain <> estimate + ${work} returning id`;
    if (changed.length === 0) continue;
    for (const { blocker } of yield* sql<{
      blocker: TaskId;
    }>`select blocker from edges where team = ${tx.team} and task = ${id}`)
      queue.push(blocker);
  }
}
