/** The parts of a task that was split: what its next owner reads of them, and what ends its wait. */

import type { Claimed, Part } from "../../../core/board/task.ts";
import type { TaskId } from "../../../core/ids.ts";
import { appendFacts } from "../journal.ts";
import { anyOf, exec, type Op, sql, type Tx } from "../sql.ts";
import { measure } from "./graph.ts";
import { listOf, splitOf, type TaskRow } from "./task-row.ts";

type PartRow = Pick<TaskRow, "id" | "subject" | "status" | "result" | "reason">;

function* rowsOf(tx: Tx, ids: readonly TaskId[]): Op<PartRow[]> {
  if (ids.length === 0) return [];
  return yield* sql<PartRow>`
    select id, subject, status, result, reason from tasks where team = ${tx.team} and id ${anyOf(tx, ids)} order by id`;
}

function* idsOf(tx: Tx, whole: TaskId): Op<readonly TaskId[]> {
  const [row] = yield* sql<{ split: string | null }>`
    select split from tasks where team = ${tx.team} and id = ${whole}`;
  return splitOf(row?.split ?? null)?.parts ?? [];
}

const shown = (rows: readonly PartRow[]): Part[] =>
  rows.map(({ id, subject, status, result, reason }) => ({
    id,
    subject,
    status,
    said: (status === "completed" ? result : reason) ?? "",
  }));

export function* partsOf(tx: Tx, whole: TaskId): Op<Part[]> {
  return shown(yield* rowsOf(tx, yield* idsOf(tx, whole)));
}

export function* unfinishedParts(tx: Tx, whole: TaskId): Op<TaskId[]> {
  const rows = yield* rowsOf(tx, yield* idsOf(tx, whole));
  return rows.filter(({ status }) => status === "pending" || status === "in_progress").map(({ id }) => id);
}

export function* withParts(tx: Tx, task: Claimed): Op<Claimed> {
  return { ...task, parts: shown(yield* rowsOf(tx, task.split?.parts ?? [])) };
}

/**
 * A part has failed or was cancelled, so the whole does not wait any longer for those that are not completed: its owner decides. A part
 * that is completed in another transaction at this moment may count on the same row; see `unblocking`.
 */
export function* wakeWhole(tx: Tx, part: TaskRow): Op<void> {
  if (part.parent === null) return;
  const [whole] = yield* sql<TaskRow>`
    select * from tasks where team = ${tx.team} and id = ${part.parent} ${tx.dialect.forUpdate}`;
  const parts = splitOf(whole?.split ?? null)?.parts ?? [];
  const blockers = listOf<TaskId>(whole?.blocked_by ?? "[]");
  if (whole?.status !== "pending" || !parts.includes(part.id) || !blockers.includes(part.id)) return;
  const rows = yield* rowsOf(tx, blockers);
  const open = rows.filter(({ status }) => status !== "completed").map(({ id }) => id);
  const left = open.filter((id) => parts.includes(id));
  const kept = blockers.filter((id) => !left.includes(id));
  yield* exec`delete from edges where team = ${tx.team} and task = ${whole.id} and blocker ${anyOf(tx, left)}`;
  yield* exec`
    update tasks set blocked_by = ${JSON.stringify(kept)}, open_blockers = ${open.length - left.length}, updated_at = ${tx.now},
      version = version + 1
    where team = ${tx.team} and id = ${whole.id}`;
  yield* measure(tx, left);
  const by = splitOf(whole.split)?.by ?? whole.created_by;
  const now = { blockedBy: kept };
  yield* appendFacts(tx, [{ type: "task.changed", task: whole.id, by, what: ["blockedBy"], now }]);
  tx.notify("board");
}
