/** Decides whether a member that lost its task by an order may still have a command at it: it has not read the mail about it yet. */
import type { Name, TaskId } from "../../../core/ids.ts";
import { type Op, parse, sql, type Tx } from "../sql.ts";

/** `by`: the member that asks. A member reads its mail when its step has ended; one whose host is lost has no commands. */
export function* hasOtherHands(tx: Tx, task: TaskId, by: Name): Op<boolean> {
  const told = yield* sql<{ body: string }>`
    select x.body from mail x
    join members m on m.team = x.team and m.name = x.recipient and m.phase <> 'shutdown'
    join hosts h on h.team = m.team and h.id = m.host and h.lease_until > ${tx.leaseClock}
    where x.team = ${tx.team} and x.state = 0 and x.kind = 'claim_taken' and x.recipient <> ${by}`;
  return told.some(({ body }) => parse<{ task?: TaskId }>(body, {}).task === task);
}
