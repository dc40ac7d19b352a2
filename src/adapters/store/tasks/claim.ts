/**
 * Claiming a task. A claim changes one row from pending to in progress. Neither database needs a lock on the board for it: SQLite
 * has one writer, and PostgreSQL re-checks the condition on the row after it waited for the row's lock.
 */

import type { Seat } from "../../../core/board/member.ts";
import type { Claimed, ClaimResult } from "../../../core/board/task.ts";
import { overlapping } from "../../../core/board/touches.ts";
import type { Entry } from "../../../core/conversation/chat.ts";
import type { Fact } from "../../../core/event.ts";
import type { Name, TaskId } from "../../../core/ids.ts";
import { appendFacts } from "../journal.ts";
import { exec, type Op, sql, type Tx, teamLock } from "../sql.ts";
import { append } from "../talk/entries.ts";
import { seated } from "../team/seat.ts";
import { withParts } from "./parts.ts";
import { claimedOf, listOf, type TaskRow, takenOf } from "./task-row.ts";

export type MakeEntry = (task: Claimed) => Entry;

export const claimFact = ({ id, subject, owner, attempt }: Claimed): Fact => ({
  type: "task.claimed",
  task: id,
  subject,
  by: owner,
  attempt,
});

/** Writes the entry and the fact of a claim, in its transaction. */
export function* taken(tx: Tx, seat: Seat, life: number, row: Claimed, entry?: MakeEntry): Op<Claimed> {
  const task = row.split ? yield* withParts(tx, row) : row;
  if (entry) yield* append(tx, seat.name, life, [entry(task)]);
  yield* appendFacts(tx, [claimFact(task)]);
  return task;
}

export function* claim(
  tx: Tx,
  leadMayHoldSeveral: boolean,
  seat: Seat,
  id: TaskId,
  entry?: MakeEntry,
): Op<ClaimResult> {
  const member = yield* seated(tx, seat);
  const [row] =
    yield* sql<TaskRow>`select * from tasks where team = ${tx.team} and id = ${id} ${tx.dialect.forUpdate}`;
  if (!row) return { ok: false, why: "missing" };
  if (row.status === "in_progress") {
    if (row.owner !== seat.name) return { ok: false, why: "taken", by: claimedOf(row).owner };
    const task = claimedOf(row);
    if (entry) yield* append(tx, seat.name, member.life, [entry(task)]);
    return { ok: true, task };
  }
  if (row.status !== "pending") return { ok: false, why: "finished", status: row.status };
  if (row.open_blockers > 0) {
    const on = yield* sql<{ id: TaskId }>`
      select t.id from edges e join tasks t on t.team = e.team and t.id = e.blocker
      where e.team = ${tx.team} and e.task = ${id} and t.status <> 'completed' order by t.id`;
    return { ok: false, why: "blocked", on: on.map((one) => one.id) };
  }
  if (row.role.startsWith("@") && row.role !== `@${seat.name}`)
    return { ok: false, why: "assigned", to: row.role.slice(1) as Name };
  if (row.role !== "" && row.role !== `@${seat.name}` && row.role !== member.role)
    return { ok: false, why: "role", role: row.role };
  const [busy] = yield* sql<{
    id: TaskId;
  }>`select id from tasks where team = ${tx.team} and owner = ${seat.name} and status = 'in_progress' order by id limit 1`;
  if (busy && !(member.kind === "lead" && leadMayHoldSeveral))
    return { ok: false, why: "busy", with: busy.id };
  if (row.touches !== "[]") {
    yield* teamLock(tx, "touches");
    const clash = conflict(row.touches, yield* touched(tx));
    if (clash) return { ok: false, why: "touches", conflictsWith: clash };
  }
  yield* start(tx, seat, id);
  const task = takenOf({ ...row, attempt: row.attempt + 1 }, seat.name, tx.now);
  return { ok: true, task: yield* taken(tx, seat, member.life, task, entry) };
}

/** Requires that no other transaction can change the row before this one ends. */
export function* start(tx: Tx, seat: Seat, id: TaskId): Op<void> {
  yield* exec`
    update tasks set status = 'in_progress', owner = ${seat.name}, attempt = attempt + 1, tries = tries + 1, version = version + 1,
      started_at = ${tx.now}, updated_at = ${tx.now}
    where team = ${tx.team} and id = ${id}`;
}

/** The file patterns of a task in progress. */
export type Touched = { readonly id: TaskId; readonly files: readonly string[] };
export function* touched(tx: Tx): Op<Touched[]> {
  const rows = yield* sql<{ id: TaskId; touches: string }>`
    select id, touches from tasks where team = ${tx.team} and status = 'in_progress' and touches <> '[]' order by id`;
  return rows.map(({ id, touches }) => ({ id, files: listOf(touches) }));
}

export function conflict(touches: string, running: readonly Touched[]): TaskId | null {
  const files: readonly string[] = listOf(touches);
  return running.find((task) => overlapping(files, task.files))?.id ?? null;
}
