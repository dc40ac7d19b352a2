/** Hosts that offer places: workers. The team's lead adds a teammate, and the store gives it to the worker with the most room. */

import type { Profile } from "../../../core/board/member.ts";
import type { HostId, Name } from "../../../core/ids.ts";
import { atMost, exec, type Op, Raw, sql, type Tx } from "../sql.ts";

/** An idle member without a role, a prompt or a task does nothing that another one could not do: its place counts as free. */
const TAKEN =
  new Raw(`(select count(*) from members m where m.team = h.team and m.host = h.id and m.phase <> 'shutdown'
  and not (m.phase = 'idle' and m.role = '' and m.prompt = ''
    and not exists (select 1 from tasks t where t.team = m.team and t.owner = m.name and t.status = 'in_progress')))`);

/** Null if no living host has room. Locks the host, so that two members do not get its last place. */
export function* hostWithRoom(tx: Tx): Op<HostId | null> {
  const [best] = yield* sql<{ id: HostId }>`
    select h.id from hosts h where h.team = ${tx.team} and h.adopts = 1 and h.lease_until > ${tx.leaseClock} and ${TAKEN} < h.capacity
    order by h.capacity - ${TAKEN} desc, h.id limit ${atMost(1)}`;
  if (!best) return null;
  yield* sql`select id from hosts where team = ${tx.team} and id = ${best.id} ${tx.dialect.forUpdate}`;
  const [still] = yield* sql<{ id: HostId }>`
    select h.id from hosts h where h.team = ${tx.team} and h.id = ${best.id} and h.adopts = 1 and ${TAKEN} < h.capacity`;
  return still?.id ?? null;
}

/** The capacity of a host whose teammates are about to join. */
export const JOINING = -1;

export function* offer(
  tx: Tx,
  host: HostId,
  { places, adopts }: { readonly places: number; readonly adopts: boolean },
): Op<void> {
  yield* exec`update hosts set capacity = ${places}, adopts = ${Number(adopts)} where team = ${tx.team} and id = ${host}`;
}

/** Joins the profile on the host with the most room. */
export function* place(
  tx: Tx,
  profile: Profile,
  by: Name,
  join: (tx: Tx, profile: Profile, host: HostId, by: Name) => Op<unknown>,
): Op<HostId | null> {
  const host = yield* hostWithRoom(tx);
  if (host) yield* join(tx, profile, host, by);
  return host;
}
