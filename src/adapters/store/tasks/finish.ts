/** Ends an attempt: completed, failed, or back on the board. Every write checks the number of the attempt. */

import { INTERRUPTIONS, type ReleaseReason, releaseWords } from "../../../core/board/release.ts";
import type { Entry } from "../../../core/conversation/chat.ts";
import { EkidenError } from "../../../core/errors.ts";
import type { Fact } from "../../../core/event.ts";
import { HARNESS, LEAD, type Name, type TaskId } from "../../../core/ids.ts";
import { cutEnd } from "../../../core/text/valid.ts";
import type { Held } from "../../../ports/held.ts";
import { appendFacts } from "../journal.ts";
import { exec, type Op, sql, type Tx } from "../sql.ts";
import { append } from "../talk/entries.ts";
import { post } from "../talk/mail.ts";
import { checked, type SeatRow, seated } from "../team/seat.ts";
import { UNASSIGNED } from "./assign.ts";
import { unblock } from "./graph.ts";
import { wakeWhole } from "./parts.ts";
import type { TaskRow } from "./task-row.ts";

/**
 * On SQLite. Returns the tasks that became ready. It has one writer, so the row cannot change after it was read. `returning` would
 * take longer than a second statement. @throws `stale_seat` | `stale_claim`
 */
export function* complete(
  tx: Tx,
  held: Held,
  result: string,
  entry?: (ready: readonly TaskId[]) => Entry,
): Op<TaskId[]> {
  const { seat, task: id, attempt } = held;
  const rows = yield* sql<Pick<SeatRow, "host" | "life"> & { subject: string; touches: string | null }>`
    select m.host, m.life, t.subject, t.touches from members m
    left join tasks t on t.team = m.team and t.id = ${id} and t.owner = m.name and t.attempt = ${attempt} and t.status = 'in_progress'
    where m.team = ${tx.team} and m.name = ${seat.name}`;
  const { life, subject, touches } = checked(seat, rows);
  if (touches === null) throw yield* stale(tx, held);
  yield* exec`
    update tasks set status = 'completed', result = ${result}, ended_at = ${tx.now}, updated_at = ${tx.now}, version = version + 1
    where team = ${tx.team} and id = ${id}`;
  const ready = yield* unblock(tx, id);
  if (entry) yield* append(tx, seat.name, life, [entry(ready)]);
  return yield* completed(tx, { id, subject, attempt, touches }, seat.name, result, ready);
}

/** The characters of a result that the journal keeps. */
const RESULT_SHOWN = 300;

type Done = Pick<TaskRow, "id" | "subject" | "attempt" | "touches">;

/** The facts of a completion that unblocked `ready`. Wakes members for them. */
export function factsOf(tx: Tx, task: Done, by: Name, result: string, ready: readonly TaskId[]): Fact[] {
  const { id, subject, attempt } = task;
  if (ready.length > 0) tx.notify("board");
  freed(tx, task);
  return [
    { type: "task.completed", task: id, subject, by, attempt, result: cutEnd(result, RESULT_SHOWN) },
    ...ready.map((one): Fact => ({ type: "task.unblocked", task: one, by: id })),
  ];
}

export function* completed(
  tx: Tx,
  task: Done,
  by: Name,
  result: string,
  ready: readonly TaskId[],
): Op<TaskId[]> {
  yield* appendFacts(tx, factsOf(tx, task, by, result, ready));
  return [...ready];
}

/** Wakes members whose task waited for this task's files. */
export function freed(tx: Tx, task: Pick<TaskRow, "touches">): void {
  if (task.touches !== "[]") tx.notify("board");
}

export function* fail(tx: Tx, held: Held, reason: string, entry?: Entry): Op<void> {
  const { life } = yield* seated(tx, held.seat);
  const row = yield* heldRow(tx, held);
  if (entry) yield* append(tx, held.seat.name, life, [entry]);
  yield* failed(tx, row, reason, held.seat.name);
}

export function* release(
  tx: Tx,
  held: Held,
  why: ReleaseReason,
  note: string | undefined,
  maxAttempts: number,
  entry?: Entry,
): Op<void> {
  const { life } = yield* seated(tx, held.seat);
  const row = yield* heldRow(tx, held);
  if (entry) yield* append(tx, held.seat.name, life, [entry]);
  yield* putBack(tx, row, why, note, maxAttempts);
}

/** Puts a locked row in progress back to pending, or fails it if it was tried too often. Returns the new status. */
export function* putBack(
  tx: Tx,
  row: TaskRow,
  why: ReleaseReason,
  note: string | undefined,
  maxAttempts: number,
): Op<"pending" | "failed"> {
  const evidence = releaseWords(why, row.owner, note);
  if (why === "given_back" && row.tries >= maxAttempts) {
    yield* failed(
      tx,
      row,
      `It was tried ${row.tries} times, at most ${maxAttempts} are allowed. The last time: ${evidence}`,
      row.owner,
    );
    return "failed";
  }
  // An interruption says nothing about the task, so it does not count as a try.
  const tries = INTERRUPTIONS.has(why) ? Math.max(0, row.tries - 1) : row.tries;
  yield* exec`
    update tasks set status = 'pending', owner = null, role = ${UNASSIGNED}, tries = ${tries}, refusals = 0, started_at = null, last_failure = ${evidence}, updated_at = ${tx.now}, version = version + 1
    where team = ${tx.team} and id = ${row.id}`;
  yield* appendFacts(tx, [
    { type: "task.released", task: row.id, from: row.owner, why, ...(note !== undefined && { note }) },
  ]);
  tx.notify("board");
  return "pending";
}

export function* failed(tx: Tx, row: TaskRow, reason: string, by: Name | null): Op<void> {
  yield* exec`
    update tasks set status = 'failed', reason = ${reason}, last_failure = ${reason}, ended_at = ${tx.now}, updated_at = ${tx.now}, version = version + 1
    where team = ${tx.team} and id = ${row.id}`;
  yield* appendFacts(tx, [
    { type: "task.failed", task: row.id, subject: row.subject, by, attempt: row.attempt, reason },
  ]);
  // The lead knows its own decision.
  if (by !== LEAD)
    yield* post(tx, [
      {
        from: by ?? HARNESS,
        to: LEAD,
        body: { kind: "task_failed", task: row.id, subject: row.subject, reason },
      },
    ]);
  freed(tx, row);
  yield* wakeWhole(tx, row);
}

export function* heldRow(tx: Tx, held: Held): Op<TaskRow> {
  const [row] = yield* sql<TaskRow>`
    select * from tasks where team = ${tx.team} and id = ${held.task} and owner = ${held.seat.name} and attempt = ${held.attempt}
      and status = 'in_progress' ${tx.dialect.forUpdate}`;
  if (!row) throw yield* stale(tx, held);
  return row;
}

/** Its message tells the task's present state. */
export function* stale(tx: Tx, { task, attempt, seat }: Held): Op<EkidenError> {
  const [row] = yield* sql<TaskRow>`select * from tasks where team = ${tx.team} and id = ${task}`;
  const now = !row
    ? "does not exist"
    : row.status !== "in_progress"
      ? `is ${row.status}${row.status === "completed" ? ` by ${row.owner}` : ""}`
      : row.owner !== seat.name
        ? `is in progress with ${row.owner}`
        : `is at attempt ${row.attempt}`;
  return new EkidenError(
    "stale_claim",
    `Task #${task} ${now}; ${seat.name} does not hold it at attempt ${attempt}. Nothing was changed. Continue with another task.`,
  );
}
