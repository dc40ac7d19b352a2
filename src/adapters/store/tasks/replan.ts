/** Several edits of the board in one transaction, made of the board as it is then: an order, or a task with its edges, is never half edited. */
import { checkTask, type Task } from "../../../core/board/task.ts";
import type { Name } from "../../../core/ids.ts";
import type { Replan } from "../../../ports/store.ts";
import { type Op, sql, type Tx, teamLock } from "../sql.ts";
import { change } from "./add.ts";
import { assign, cancel, retry } from "./override.ts";
import { type TaskRow, toTask } from "./task-row.ts";

/** @throws as `change`, `assign`, `cancel` and `retry` */
export function* replan<P extends Replan>(tx: Tx, make: (tasks: readonly Task[]) => P, by: Name): Op<P> {
  // One editor after the other: each sees what the other has made.
  yield* teamLock(tx, "edges");
  const rows = yield* sql<TaskRow>`select * from tasks where team = ${tx.team} order by id`;
  const plan = make(rows.map(toTask));
  for (const edit of plan.edits) {
    const { id, cancelled } = edit;
    if (edit.change) checkTask(edit.change);
    if (edit.retried) yield* retry(tx, id, by);
    if (edit.assignee !== undefined) yield* assign(tx, id, edit.assignee, by);
    if (edit.change) yield* change(tx, id, edit.change, by);
    if (cancelled !== undefined) yield* cancel(tx, id, by, cancelled);
  }
  return plan;
}
