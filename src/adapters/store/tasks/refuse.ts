/** The steps before a completion: its refusals, which are counted for each attempt, and the landing of its branch. */

import { REFUSALS_MAX } from "../../../core/board/task.ts";
import { HARNESS, type Name, type TaskId } from "../../../core/ids.ts";
import type { Held } from "../../../ports/held.ts";
import type { LandedCommit, Refusal } from "../../../ports/store.ts";
import { appendFacts } from "../journal.ts";
import { exec, type Op, type Tx } from "../sql.ts";
import { needlessRepairs } from "../team/gates.ts";
import { seated } from "../team/seat.ts";
import { failed, heldRow } from "./finish.ts";
import { completeFor } from "./override.ts";
import { taskForUpdate } from "./task-row.ts";

/** @throws `stale_seat` | `stale_claim` */
export function* refuse(tx: Tx, held: Held, { why, evidence, failure, isLast }: Refusal): Op<number> {
  const { seat, task, attempt } = held;
  yield* seated(tx, seat);
  const row = yield* heldRow(tx, held);
  const refusals = Math.max(row.refusals + 1, isLast ? REFUSALS_MAX : 0);
  yield* exec`update tasks set refusals = ${refusals}, updated_at = ${tx.now}, version = version + 1 where team = ${tx.team} and id = ${task}`;
  yield* appendFacts(tx, [{ type: "task.reopened", task, by: seat.name, attempt, why, evidence }]);
  if (refusals >= REFUSALS_MAX) yield* failed(tx, row, failure, seat.name);
  return refusals;
}

/** @throws `not_found` */
export function* landed(
  tx: Tx,
  id: TaskId,
  by: Name,
  landing: LandedCommit & { readonly isLate?: boolean },
): Op<void> {
  const { branch, target, commit, isLate = false } = landing;
  const row = yield* taskForUpdate(tx, id);
  if (row.landed === commit || (isLate && row.landed !== null)) return;
  yield* exec`update tasks set landed = ${commit}, updated_at = ${tx.now}, version = version + 1 where team = ${tx.team} and id = ${id}`;
  yield* appendFacts(tx, [{ type: "task.landed", task: id, by, branch, target, commit }]);
  for (const repair of yield* needlessRepairs(tx, target))
    yield* completeFor(tx, repair, HARNESS, `${target} is green again: #${id} has landed on it.`);
}
