/** A task in the place of another one that is not completed, in one transaction: what waits for that one waits for the new task. */

import type { Task } from "../../../core/board/task.ts";
import { badInput, EkidenError } from "../../../core/errors.ts";
import type { Name, TaskId } from "../../../core/ids.ts";
import { type Op, sql, type Tx, teamLock } from "../sql.ts";
import { addAll, type Batch, change } from "./add.ts";
import { cancel } from "./override.ts";
import { taskForUpdate } from "./task-row.ts";

/** @throws `not_found` | `bad_input` | `cycle` | `already_started` (the replaced task is completed) */
export function* addReplacing(tx: Tx, batch: Batch, by: Name): Op<Task[]> {
  const replaced = batch.tasks.map((task) => task.replaces);
  if (replaced.some((id) => id !== undefined)) yield* teamLock(tx, "edges");
  const added = yield* addAll(tx, batch, by);
  for (const [nth, id] of replaced.entries())
    if (id !== undefined) yield* replace(tx, id, added[nth] as Task, by);
  return added;
}

function* replace(tx: Tx, id: TaskId, task: Task, by: Name): Op<void> {
  if (task.blockedBy.includes(id))
    throw badInput(
      `A task cannot take the place of #${id} and wait for it. Leave #${id} out of its blockers.`,
    );
  const { status, reason } = yield* taskForUpdate(tx, id);
  if (status === "completed")
    throw new EkidenError(
      "already_started",
      `Task #${id} is completed, so nothing can take its place. Add the task without replacing.`,
    );
  const [, other] = /^replaced by #(\d+)/.exec(reason ?? "") ?? [];
  if (status === "cancelled" && other !== undefined)
    throw new EkidenError(
      "already_started",
      `Task #${id} was replaced by #${other}, and what waited for it waits for #${other}. Replace #${other} instead.`,
    );
  const waiting = yield* sql<{ id: TaskId }>`
    select t.id from edges e join tasks t on t.team = e.team and t.id = e.task
    where e.team = ${tx.team} and e.blocker = ${id} and t.status = 'pending' order by t.id`;
  for (const one of waiting)
    yield* change(tx, one.id, { addBlockedBy: [task.id], removeBlockedBy: [id] }, by);
  const before = reason ? `; it ${status === "failed" ? "had failed" : `was ${status}`}: ${reason}` : "";
  // One that was cancelled before stays so, and says from now on what is in its place.
  yield* cancel(tx, id, by, `replaced by #${task.id}${before}`, task.id);
}
