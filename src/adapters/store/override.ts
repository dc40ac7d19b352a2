/** Operations of the person and the lead on any task, of any owner. The journal names who did each. */
import { EkidenError } from "../../core/errors.ts";
import type { ReleaseReason } from "../../core/event.ts";
import { LEAD, type Name, type TaskId } from "../../core/ids.ts";
import { UNASSIGNED } from "./assign.ts";
import { completed, freed, putBack } from "./finish.ts";
import { unblock } from "./graph.ts";
import { appendFacts } from "./journal.ts";
import { exec, type Op, type Tx } from "./sql.ts";
import { type TaskRow, taskForUpdate } from "./task-row.ts";

export function* retry(tx: Tx, id: TaskId, _by: Name): Op<void> {
  const row = yield* taskForUpdate(tx, id);
  if (row.status === "pending") throw refused("bad_input", row, "It waits on the board already.");
  if (row.status === "in_progress")
    throw refused("already_started", row, "Take it back, or cancel it, before it can be tried again.");
  if (row.status === "completed") throw refused("already_started", row, "Add a new task for further work.");
  yield* exec`
    update tasks set status = 'pending', owner = null, tries = 0, refusals = 0, last_failure = reason, reason = null, started_at = null, ended_at = null,
      updated_at = ${tx.now}, version = version + 1
    where team = ${tx.team} and id = ${id}`;
  yield* appendFacts(tx, [{ type: "task.released", task: id, from: row.owner, why: "retry" }]);
  tx.notify("board");
}

/** Also of a failed task: it will not be tried again. */
export function* cancel(tx: Tx, id: TaskId, by: Name, reason: string): Op<void> {
  const row = yield* taskForUpdate(tx, id);
  if (row.status === "completed" || row.status === "cancelled") throw refused("already_started", row, FINAL);
  yield* exec`
    update tasks set status = 'cancelled', owner = null, role = ${UNASSIGNED}, reason = ${reason}, ended_at = ${tx.now}, updated_at = ${tx.now}, version = version + 1
    where team = ${tx.team} and id = ${id}`;
  yield* appendFacts(tx, [{ type: "task.cancelled", task: id, by, reason }]);
  freed(tx, row);
}

export function* takeBack(tx: Tx, id: TaskId, by: Name): Op<void> {
  const row = yield* unfinished(tx, id);
  if (row.status === "pending") throw refused("bad_input", row, "Nobody has it, so it cannot be taken back.");
  const why: ReleaseReason = by === LEAD ? "lead" : "person";
  yield* putBack(tx, row, why, undefined, Number.POSITIVE_INFINITY);
}

export function* completeFor(tx: Tx, id: TaskId, by: Name, result: string): Op<TaskId[]> {
  const row = yield* unfinished(tx, id);
  yield* exec`
    update tasks set status = 'completed', owner = ${row.owner ?? by}, result = ${result}, started_at = ${row.started_at ?? tx.now},
      ended_at = ${tx.now}, updated_at = ${tx.now}, version = version + 1
    where team = ${tx.team} and id = ${id}`;
  return yield* completed(tx, row, by, result, yield* unblock(tx, id));
}

function* unfinished(tx: Tx, id: TaskId): Op<TaskRow> {
  const row = yield* taskForUpdate(tx, id);
  if (row.status === "failed") throw refused("already_started", row, "Retry it first.");
  if (row.status === "completed" || row.status === "cancelled") throw refused("already_started", row, FINAL);
  return row;
}

const FINAL = "That is final, unless a cancelled task is retried.";

const refused = (code: "bad_input" | "already_started", row: TaskRow, hint: string): EkidenError =>
  new EkidenError(
    code,
    `Task #${row.id} is ${row.status === "in_progress" ? `in progress with ${row.owner}` : row.status}. ${hint}`,
  );
