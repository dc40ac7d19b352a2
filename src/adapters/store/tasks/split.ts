/**
 * Splitting a task, in one transaction: its parts are added, and it waits for them like any task behind others, kept for its owner.
 * Old parts are locked before the task itself, in the order in which completions and failures lock them.
 */

import { PARTS_MAX, type Split, type Task } from "../../../core/board/task.ts";
import type { Entry } from "../../../core/conversation/chat.ts";
import { badInput } from "../../../core/errors.ts";
import type { TaskId } from "../../../core/ids.ts";
import type { Held } from "../../../ports/held.ts";
import { appendFacts } from "../journal.ts";
import { exec, insert, type Op, type Tx, teamLock } from "../sql.ts";
import { append } from "../talk/entries.ts";
import { seated } from "../team/seat.ts";
import { addAll, type Batch } from "./add.ts";
import { UNASSIGNED } from "./assign.ts";
import { freed, heldRow } from "./finish.ts";
import { measure, openBlockers, refuseCycle } from "./graph.ts";
import { unfinishedParts } from "./parts.ts";
import { listOf, splitOf } from "./task-row.ts";

export function* split(
  tx: Tx,
  held: Held,
  batch: Batch,
  note: string,
  entry?: (parts: readonly Task[]) => Entry,
): Op<Task[]> {
  const { seat, task: id } = held;
  const { life } = yield* seated(tx, seat);
  yield* teamLock(tx, "edges");
  yield* openBlockers(tx, yield* unfinishedParts(tx, id));
  const row = yield* heldRow(tx, held);
  const before = splitOf(row.split)?.parts ?? [];
  if (before.length + batch.tasks.length > PARTS_MAX)
    throw badInput(
      `#${id} would have ${before.length + batch.tasks.length} parts; the limit is ${PARTS_MAX}. Make larger parts.`,
    );
  const [ownRole, priority] = [row.role.startsWith("@") ? (row.asked_role ?? "") : row.role, row.priority];
  const tasks = batch.tasks.map((task) => ({
    role: ownRole,
    priority,
    needsPlan: row.needs_plan === 1,
    ...(row.runbook !== null && { runbook: row.runbook }),
    ...task,
    parent: id,
  }));
  const parts = yield* addAll(tx, { ...batch, tasks }, seat.name);
  const waits = [...(yield* unfinishedParts(tx, id)), ...parts.map((part) => part.id)];
  if (waits.length === 0) throw badInput(`#${id} has no parts to wait for: name at least one.`);
  yield* refuseCycle(tx, id, waits);
  const blockers = listOf<TaskId>(row.blocked_by);
  const added = waits.filter((one) => !blockers.includes(one));
  const now: Split = { by: seat.name, parts: [...before, ...parts.map((part) => part.id)], note };
  yield* exec`
    update tasks set status = 'pending', owner = null, asked_role = ${UNASSIGNED}, role = ${`@${seat.name}`},
      tries = ${Math.max(0, row.tries - 1)}, refusals = 0, started_at = null, split = ${JSON.stringify(now)},
      blocked_by = ${JSON.stringify([...blockers, ...added])}, open_blockers = ${waits.length}, updated_at = ${tx.now},
      version = version + 1
    where team = ${tx.team} and id = ${id}`;
  yield* insert(
    "edges",
    ["team", "task", "blocker"],
    added.map((blocker) => [tx.team, id, blocker]),
  );
  yield* measure(tx, waits);
  if (entry) yield* append(tx, seat.name, life, [entry(parts)]);
  yield* appendFacts(tx, [
    { type: "task.released", task: id, from: seat.name, why: "split", note, parts: waits },
  ]);
  freed(tx, row);
  tx.notify("board");
  return parts;
}
