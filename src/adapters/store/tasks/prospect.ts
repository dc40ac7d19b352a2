/** Finds out whether a member that has nothing to do may still get a task: its idle timeout runs only while it may not. */
import type { Name } from "../../../core/ids.ts";
import { type Op, Raw, sql, type Tx } from "../sql.ts";
import { READY } from "./claim-next.ts";

/** A condition on a task `r`: a member `m` may have it one day. */
const MAY_HAVE = new Raw(
  "(r.role = '' or r.role = m.role or r.role = '@' || m.name) and (m.blocks_of is null or r.prose = 0 or r.runbook = m.blocks_of) and not exists (select 1 from dead d where d.id = r.id)",
);

/**
 * An unfinished task of somebody else that asks for no other role. A pending task behind a failed or cancelled one does not count,
 * nor do those behind it: without a change by the lead they never become ready. On PostgreSQL each kind of unfinished task has its index.
 */
export function* hasProspect(tx: Tx, name: Name): Op<boolean> {
  const found = yield* sql`
    with recursive dead(id) as (
      select id from tasks where team = ${tx.team} and status in ('failed', 'cancelled')
      union
      select e.task from edges e join dead d on e.team = ${tx.team} and e.blocker = d.id
    )
    select m.name from members m where m.team = ${tx.team} and m.name = ${name} and (
      (select r.id from tasks r where r.team = m.team and ${READY} and ${MAY_HAVE} order by r.role limit 1) is not null
      or (select r.id from tasks r where r.team = m.team and r.status = 'in_progress' and r.owner <> m.name and ${MAY_HAVE}
        order by r.owner limit 1) is not null
      or (select r.id from tasks r where r.team = m.team and r.status = 'pending' and r.open_blockers > 0 and ${MAY_HAVE}
        order by r.id limit 1) is not null)`;
  return found.length > 0;
}
