/**
 * A ready or waiting task may be kept for one teammate. Its `role` is then `@name`, which no role can be, and `asked_role` holds its
 * own role: so a claim finds the task by the same index, and other claims do not see it at all.
 */

import { notFound } from "../../../core/errors.ts";
import type { Name } from "../../../core/ids.ts";
import { type Op, Raw, sql, type Tx } from "../sql.ts";

/** The value of `role` without an assignment, as an expression on a task. */
export const UNASSIGNED = new Raw("case when role like '@%' then coalesce(asked_role, '') else role end");

/** A member that has left gets no task any more. */
export function* releaseAssigned(tx: Tx, name: Name): Op<void> {
  // `like` says what the index `tasks_kept` says, so that the planner may use it.
  const released = yield* sql`
    update tasks set role = ${UNASSIGNED}, updated_at = ${tx.now}, version = version + 1
    where team = ${tx.team} and role = ${`@${name}`} and role like '@%' and status = 'pending' returning id`;
  if (released.length > 0) tx.notify("board");
}

/** @throws `not_found` for a name that no teammate has */
export function* checkAssignee(tx: Tx, name: Name): Op<void> {
  const mates = yield* sql<{ name: Name }>`
    select name from members where team = ${tx.team} and kind = 'teammate' and phase <> 'shutdown' order by name`;
  if (mates.some((mate) => mate.name === name)) return;
  throw notFound(
    `There is no teammate "${name}" to assign to. The teammates: ${mates.map((mate) => mate.name).join(", ") || "none"}.`,
  );
}
