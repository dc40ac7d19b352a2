/** Operations of the person and the lead on any task, of any owner. The journal names who did each. */

import type { Taking } from "../../../core/board/mail.ts";
import type { ReleaseReason } from "../../../core/board/release.ts";
import { EkidenError } from "../../../core/errors.ts";
import { LEAD, type Name, PERSON, type TaskId } from "../../../core/ids.ts";
import { appendFacts } from "../journal.ts";
import { exec, type Op, type Tx } from "../sql.ts";
import { post } from "../talk/mail.ts";
import { withdrawAbout } from "../talk/requests.ts";
import { checkAssignee, UNASSIGNED } from "./assign.ts";
import { completed, failed, freed, putBack } from "./finish.ts";
import { unblock } from "./graph.ts";
import { unfinishedParts, wakeWhole } from "./parts.ts";
import { type TaskRow, taskForUpdate } from "./task-row.ts";
import { writtenText } from "./written.ts";

export function* retry(tx: Tx, id: TaskId, by: Name): Op<void> {
  const row = yield* taskForUpdate(tx, id);
  if (row.status === "pending") throw refused("bad_input", row, "It waits on the board already.");
  if (row.status === "in_progress")
    throw refused(
      "already_started",
      row,
      by === LEAD
        ? "Give it to another member with update_task and assign, or end it with cancel_task."
        : `Take it back (ekiden release ${id}), or cancel it (ekiden cancel ${id}).`,
    );
  if (row.status === "completed") throw refused("already_started", row, finalHint(row, by));
  yield* exec`
    update tasks set status = 'pending', owner = null, tries = 0, refusals = 0, last_failure = reason, reason = null, started_at = null, ended_at = null,
      updated_at = ${tx.now}, version = version + 1
    where team = ${tx.team} and id = ${id}`;
  yield* appendFacts(tx, [{ type: "task.released", task: id, from: row.owner, why: "retry" }]);
  tx.notify("board");
}

/** Also of a failed task: it will not be tried again. The parts of a task that was split go with it. `replacedBy`: the task in its place. */
export function* cancel(tx: Tx, id: TaskId, by: Name, reason: string, replacedBy?: TaskId): Op<void> {
  yield* cancelParts(tx, id, by, `cancelled${reason && `: ${reason}`}`);
  const row = yield* taskForUpdate(tx, id);
  if (row.status === "completed" || (row.status === "cancelled" && replacedBy === undefined))
    throw refused("already_started", row, finalHint(row, by));
  const why = yield* withWritten(tx, row, reason);
  yield* exec`
    update tasks set status = 'cancelled', owner = null, role = ${UNASSIGNED}, reason = ${why}, ended_at = ${tx.now}, updated_at = ${tx.now}, version = version + 1
    where team = ${tx.team} and id = ${id}`;
  yield* appendFacts(tx, [
    { type: "task.cancelled", task: id, by, reason: why, ...(replacedBy !== undefined && { replacedBy }) },
  ]);
  yield* tellOwner(tx, row, by, "cancelled", reason);
  freed(tx, row);
  yield* wakeWhole(tx, row);
}

function* withWritten(tx: Tx, row: TaskRow, text: string): Op<string> {
  return [text, yield* writtenText(tx, row)].filter((one) => one !== "").join(". ");
}

function* cancelParts(tx: Tx, whole: TaskId, by: Name, how: string): Op<void> {
  for (const part of yield* unfinishedParts(tx, whole))
    yield* cancel(tx, part, by, `part of #${whole}, which was ${how}`);
}

export function* takeBack(tx: Tx, id: TaskId, by: Name): Op<void> {
  const row = yield* unfinished(tx, id, by);
  if (row.status === "pending") throw refused("bad_input", row, "Nobody has it, so it cannot be taken back.");
  yield* taken(tx, row, by, "taken back");
}

/** Puts a locked row in progress back on the board by an order. */
function* taken(tx: Tx, row: TaskRow, by: Name, how: Taking): Op<void> {
  const why: ReleaseReason = by === LEAD ? "lead" : "person";
  const written = yield* writtenText(tx, row);
  yield* putBack(tx, row, why, written || undefined, Number.POSITIVE_INFINITY);
  yield* tellOwner(tx, row, by, how);
}

/** Interrupts the member that works on it: its command ends, and the mail is the next that it reads. */
function* tellOwner(tx: Tx, row: TaskRow, by: Name, how: Taking, reason = ""): Op<void> {
  const { id, owner, attempt, status } = row;
  if (status !== "in_progress" || owner === null || owner === by || owner === PERSON) return;
  yield* withdrawAbout(tx, id);
  const body = { kind: "claim_taken", task: id, attempt, how, reason } as const;
  yield* post(tx, [{ from: by, to: owner, urgent: true, body }]);
}

/** `to`: null for any member. A task in progress is taken from its owner, unless it is the same. @throws `not_found` | `already_started` */
export function* assign(tx: Tx, id: TaskId, to: Name | null, by: Name): Op<void> {
  const row = yield* unfinished(tx, id, by);
  if (row.status === "in_progress" && to === null)
    throw refused(
      "already_started",
      row,
      by === LEAD
        ? "Name the teammate that is to continue with it."
        : `Take it back, so that any member can claim it: ekiden release ${id}`,
    );
  if (row.owner !== null && row.owner === to) return;
  if (to !== null) yield* checkAssignee(tx, to);
  if (row.status === "in_progress") yield* taken(tx, row, by, "given to another member");
  const role = to === null ? "" : `@${to}`;
  yield* exec`
    update tasks set asked_role = ${UNASSIGNED}, role = case when ${role} = '' then ${UNASSIGNED} else ${role} end,
      updated_at = ${tx.now}, version = version + 1
    where team = ${tx.team} and id = ${id}`;
  yield* appendFacts(tx, [{ type: "task.changed", task: id, by, what: ["assignee"], now: { assignee: to } }]);
  if (row.open_blockers === 0) tx.notify("board");
}

export function* completeFor(tx: Tx, id: TaskId, by: Name, result: string): Op<TaskId[]> {
  yield* cancelParts(tx, id, by, "completed by hand");
  const row = yield* unfinished(tx, id, by);
  const told = yield* withWritten(tx, row, result);
  yield* exec`
    update tasks set status = 'completed', owner = ${row.owner ?? by}, result = ${told}, started_at = ${row.started_at ?? tx.now},
      ended_at = ${tx.now}, updated_at = ${tx.now}, version = version + 1
    where team = ${tx.team} and id = ${id}`;
  yield* tellOwner(tx, row, by, "completed by somebody else");
  return yield* completed(tx, row, by, told, yield* unblock(tx, id));
}

export function* failFor(tx: Tx, id: TaskId, by: Name, reason: string): Op<void> {
  yield* cancelParts(tx, id, by, `given up as failed${reason && `: ${reason}`}`);
  const row = yield* unfinished(tx, id, by);
  yield* tellOwner(tx, row, by, "given up as failed", reason);
  yield* exec`update tasks set owner = ${row.owner ?? by} where team = ${tx.team} and id = ${id}`;
  yield* failed(tx, row, yield* withWritten(tx, row, reason), by);
}

/** No host has this claim, so no lease of one ends it. */
export function* claimFor(tx: Tx, id: TaskId, by: Name): Op<void> {
  const row = yield* unfinished(tx, id, by);
  if (row.status === "in_progress" && row.owner === by) return;
  if (row.status === "in_progress")
    throw refused("already_started", row, `Take it back first: ekiden release ${id}`);
  if (row.open_blockers > 0)
    throw refused(
      "bad_input",
      row,
      `It waits for ${row.open_blockers === 1 ? "another task" : `${row.open_blockers} other tasks`}: ekiden tasks ${id}`,
    );
  const attempt = row.attempt + 1;
  yield* exec`
    update tasks set status = 'in_progress', owner = ${by}, attempt = ${attempt}, tries = tries + 1, started_at = ${tx.now},
      updated_at = ${tx.now}, version = version + 1
    where team = ${tx.team} and id = ${id}`;
  yield* appendFacts(tx, [{ type: "task.claimed", task: id, subject: row.subject, by, attempt }]);
}

function* unfinished(tx: Tx, id: TaskId, by: Name): Op<TaskRow> {
  const row = yield* taskForUpdate(tx, id);
  if (row.status !== "pending" && row.status !== "in_progress")
    throw refused("already_started", row, finalHint(row, by));
  return row;
}

/** Models have tools for what a person does by commands. */
const finalHint = ({ id, status }: TaskRow, by: Name): string =>
  status === "completed"
    ? `Add a new task for further work${by === LEAD ? "." : `: ekiden reopen ${id} names this one in it.`}`
    : by === LEAD
      ? "retry_task puts it back on the board, and create_task with replaces puts another one in its place."
      : `To put it back on the board first: ekiden retry ${id}`;

const refused = (code: "bad_input" | "already_started", row: TaskRow, hint: string): EkidenError =>
  new EkidenError(
    code,
    `Task #${row.id} ${row.status === "failed" ? "has failed" : `is ${row.status === "in_progress" ? `in progress with ${row.owner}` : row.status}`}. ${hint}`,
  );
