/** Whether a member that has nothing to do may still get a task: its idle timeout runs only while it may not. */
import type { Name } from "../../core/ids.ts";
import { type Op, sql, type Tx } from "./sql.ts";

/**
 * An unfinished task of somebody else that asks for no other role. A pending task behind a failed or cancelled one does not count,
 * nor do those behind it: without a change by the lead they never become ready.
 */
export function* hasProspect(tx: Tx, name: Name): Op<boolean> {
  const found = yield* sql`
    with recursive dead(id) as (
      select id from tasks where team = ${tx.team} and status in ('failed', 'cancelled')
      union
      select e.task from edges e join dead d on e.team = ${tx.team} and e.blocker = d.id
    )
    select t.id from tasks t join members m on m.team = t.team and m.name = ${name}
    where t.team = ${tx.team} and t.status in ('pending', 'in_progress') and coalesce(t.owner, '') <> m.name
      and (t.role = '' or t.role = m.role or t.role = '@' || m.name) and not exists (select 1 from dead d where d.id = t.id)
    limit 1`;
  return found.length > 0;
}
