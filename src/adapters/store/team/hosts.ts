/**
 * The processes that host members. A host has one lease, in one row, for all its members and their claims: a claim lasts as long as
 * the host of its owner lives.
 */

import type { HostProcess } from "../../../core/board/host.ts";
import { differenceOf, type LandingSettings } from "../../../core/board/landing-settings.ts";
import { lostClaim } from "../../../core/conversation/lost-claim.ts";
import { EkidenError } from "../../../core/errors.ts";
import { type HostId, later, type Name, type TaskId } from "../../../core/ids.ts";
import type { Roster } from "../../../ports/store.ts";
import { appendFacts } from "../journal.ts";
import type { Session } from "../session.ts";
import { exec, leaseEnd, type Op, parse, Raw, sql, type Tx } from "../sql.ts";
import { append } from "../talk/entries.ts";
import { releaseAssigned } from "../tasks/assign.ts";
import { putBack } from "../tasks/finish.ts";
import type { TaskRow } from "../tasks/task-row.ts";
import { leaveWith } from "./landings.ts";
import { JOINING, offer } from "./place.ts";
import { freeBlocks } from "./port-blocks.ts";

type HostRow = HostProcess & {
  readonly id: HostId;
  /** The rest of its lease, in milliseconds; 0 or less if it is over. */
  readonly left_ms: number;
};
type HostShown = HostRow & {
  readonly version: string;
  readonly lands: string;
  readonly capacity: number;
  readonly members: number;
  readonly working: number;
};
export function hosting(
  session: Session,
): Pick<Roster, "open" | "beat" | "offer" | "joining" | "fence" | "reap" | "wanted" | "hosts"> {
  const { leaseMs, version, lands } = session.limits;
  const fence = async (
    isAlive: (host: HostRow) => boolean | null,
    all: readonly HostRow[],
  ): Promise<HostRow[]> => {
    const gone = new Set(all.filter((host) => isAlive(host) === false).map((host) => host.id));
    const over = all.filter((host) => host.left_ms <= 0 || gone.has(host.id));
    return over.length > 0 ? await session.write((tx) => fenced(tx, over, gone)) : [];
  };
  return {
    open: (host, machine, pid, identity = "") =>
      session.write(function* (tx) {
        yield* alike(tx, version, lands);
        yield* exec`
          insert into hosts (team, id, machine, pid, identity, lease_until, heard_at, version, lands)
          values (${tx.team}, ${host}, ${machine}, ${pid}, ${identity}, ${leaseEnd(tx, leaseMs)}, ${tx.now}, ${version},
            ${lands === null ? "" : JSON.stringify(lands)})
          on conflict (team, id) do update set machine = excluded.machine, pid = excluded.pid, identity = excluded.identity,
            lease_until = excluded.lease_until, heard_at = excluded.heard_at`;
        yield* removeDeadHosts(tx);
      }),
    beat: (host) =>
      session.write(function* (tx) {
        const alive = yield* sql`
          update hosts set lease_until = ${leaseEnd(tx, leaseMs)}, heard_at = ${tx.now}
          where team = ${tx.team} and id = ${host} and lease_until > ${FENCED} returning id`;
        return alive.length > 0;
      }),
    offer: (host, places) => session.write((tx) => offer(tx, host, places)),
    joining: (host, isJoining) =>
      session.write((tx) => offer(tx, host, { places: isJoining ? JOINING : 0, adopts: false })),
    wanted: (host) =>
      session.look(function* (tx) {
        return (yield* wanted(tx, host)).map((one) => one.name);
      }),
    hosts: () =>
      session.look(function* (tx) {
        return (yield* shown(tx)).map((row) => ({
          id: row.id,
          machine: row.machine,
          pid: row.pid,
          identity: row.identity,
          leaseUntil: later(tx.now, row.left_ms),
          version: row.version,
          capacity: Math.max(0, row.capacity),
          members: Number(row.members),
          working: Number(row.working),
        }));
      }),
    fence: async (isAlive) => await fence(isAlive, await session.read(hosts)),
    reap: async (isAlive, beforeRelease) => {
      const seen = await session.read(survey);
      const lost = await fence(isAlive, seen.hosts);
      if (lost.length > 0) await beforeRelease?.(lost);
      return lost.length > 0 || seen.hasOrphans
        ? await session.write((tx) => removeHosts(tx, lost, session.limits))
        : [];
    },
  };
}

/** The end of the lease of a host that was declared dead. Only `open` makes it a host again. */
const FENCED = 0;

/** From here on a dead host cannot renew its lease. Leaves out those that renewed it since they were read, unless their process is gone. */
function* fenced(tx: Tx, over: readonly HostRow[], gone: ReadonlySet<HostId>): Op<HostRow[]> {
  const lost: HostRow[] = [];
  for (const host of over) {
    const rows = yield* sql`
      update hosts set lease_until = ${FENCED} where team = ${tx.team} and id = ${host.id}
        and (lease_until <= ${tx.leaseClock} or ${gone.has(host.id) ? 1 : 0} = 1) returning id`;
    if (rows.length === 0) continue;
    lost.push(host);
    yield* leaveWith(tx, host.id);
  }
  return lost;
}

/** A condition on a row of `hosts`. */
export const HOSTS_NOBODY = new Raw(
  "not exists (select 1 from members m where m.team = hosts.team and m.host = hosts.id)",
);

/** A short run ends before its first `reap`. Rows of hosts that still have members stay, since `reap` must put their tasks back. */
export function* removeDeadHosts(tx: Tx): Op<void> {
  yield* exec`delete from hosts where team = ${tx.team} and lease_until <= ${tx.leaseClock} and ${HOSTS_NOBODY}`;
  yield* freeBlocks(tx);
}

function* hosts(tx: Tx): Op<HostRow[]> {
  return yield* sql<HostRow>`
    select id, machine, pid, identity, lease_until - ${tx.leaseClock} as left_ms from hosts where team = ${tx.team} order by id`;
}

function* shown(tx: Tx): Op<HostShown[]> {
  return yield* sql<HostShown>`
    select h.*, h.lease_until - ${tx.leaseClock} as left_ms, count(m.name) as members, count(case when m.phase = 'work' then 1 end) as working
    from hosts h left join members m on m.team = h.team and m.host = h.id and m.phase <> 'shutdown'
    where h.team = ${tx.team} group by h.team, h.id order by h.id`;
}

/** Refuses a host that would decide otherwise about the same rows, or land otherwise. @throws `host_version` | `host_settings` */
function* alike(tx: Tx, version: string, lands: LandingSettings | null): Op<void> {
  const others = yield* sql<HostShown>`
    select hosts.*, lease_until - ${tx.leaseClock} as left_ms from hosts where team = ${tx.team} and lease_until > ${tx.leaseClock} order by id`;
  for (const other of others) {
    const { machine, pid, left_ms } = other;
    const who = `on ${machine} (pid ${pid}) runs members of team "${tx.team}"`;
    const end = `or end that process first. If it has ended already, its lease runs out in ${Math.ceil(left_ms / 1000)} s.`;
    if (version !== "" && other.version !== "" && other.version !== version)
      throw new EkidenError(
        "host_version",
        `Ekiden ${other.version} ${who}, and this is Ekiden ${version}. All hosts of a team must have one version: install the same one here, ${end}`,
      );
    const theirs = parse<LandingSettings | null>(other.lands, null);
    const difference = lands && theirs && differenceOf(lands, theirs);
    if (difference)
      throw new EkidenError(
        "host_settings",
        `A host ${who}, and it has other landing settings: ${difference}. All hosts of a team need the same remote, targetBranch and gate: use the same settings here, ${end}`,
      );
  }
}

function* wanted(tx: Tx, host: HostId): Op<{ name: Name }[]> {
  return yield* sql<{ name: Name }>`
    select m.name from members m where m.team = ${tx.team} and m.host = ${host} and m.phase <> 'shutdown' and (
      exists (select 1 from mail x where x.team = m.team and x.recipient = m.name and x.state = 0 and x.wakes = 1)
      or exists (select 1 from tasks t where t.team = m.team and t.owner = m.name and t.status = 'in_progress')
      or (m.kind = 'teammate' and exists (select 1 from tasks t where t.team = m.team and t.role = '' and t.status = 'pending' and t.open_blockers = 0))
      or (m.kind = 'teammate' and exists (select 1 from tasks t where t.team = m.team and t.role = '@' || m.name and t.status = 'pending' and t.open_blockers = 0))
      or (m.kind = 'teammate' and m.role <> '' and exists (select 1 from tasks t where t.team = m.team and t.role = m.role and t.status = 'pending' and t.open_blockers = 0)))
    order by m.name`;
}

/** The hosts, and whether a member that has not stopped has an unknown host, or has been without one for longer than its lease. */
function* survey(tx: Tx): Op<{ hosts: HostRow[]; hasOrphans: boolean }> {
  const orphans = yield* sql`
    select name from members m where team = ${tx.team} and phase <> 'shutdown'
      and ((host is null and kept_until > 0 and kept_until <= ${tx.leaseClock})
        or (host is not null and not exists (select 1 from hosts h where h.team = m.team and h.id = m.host))) limit 1`;
  return { hosts: yield* hosts(tx), hasOrphans: orphans.length > 0 };
}

/** Removes dead hosts and puts their members' tasks back. Keeps a host that has opened again since it was fenced. */
function* removeHosts(
  tx: Tx,
  dead: readonly HostRow[],
  { leaseMs, maxAttempts }: Session["limits"],
): Op<TaskId[]> {
  for (const { id } of dead)
    yield* exec`delete from hosts where team = ${tx.team} and id = ${id} and lease_until = ${FENCED}`;
  yield* freeBlocks(tx);
  const orphaned = yield* sql<{ name: Name }>`
    select name from members m where team = ${tx.team} and host is not null
      and not exists (select 1 from hosts h where h.team = m.team and h.id = m.host) order by name ${tx.dialect.forUpdate}`;
  const released: TaskId[] = [];
  for (const { name } of orphaned) {
    yield* exec`update members set host = null, kept_until = ${leaseEnd(tx, leaseMs)} where team = ${tx.team} and name = ${name}`;
    yield* appendFacts(tx, [
      { type: "warning.raised", who: name, text: `The process that hosted ${name} is gone.` },
    ]);
    yield* releaseAssigned(tx, name);
    released.push(...(yield* putAllBack(tx, name, "owner_died", maxAttempts)));
  }
  // Suspended members keep their tasks for one lease, so that a resume finds them; after that, members of other hosts may claim them.
  const suspended = yield* sql<{ name: Name }>`
    select name from members where team = ${tx.team} and host is null and kept_until > 0 and kept_until <= ${tx.leaseClock}
      and exists (select 1 from hosts where team = ${tx.team} and lease_until > ${tx.leaseClock}) order by name ${tx.dialect.forUpdate}`;
  for (const { name } of suspended) {
    yield* exec`update members set kept_until = 0 where team = ${tx.team} and name = ${name}`;
    yield* releaseAssigned(tx, name);
    released.push(...(yield* putAllBack(tx, name, "owner_stopped", maxAttempts)));
  }
  return released;
}

/** Puts the tasks of a member back, and tells it so in its conversation, which a later life may continue with. */
export function* putAllBack(
  tx: Tx,
  owner: Name,
  why: "owner_died" | "owner_stopped",
  maxAttempts: number,
): Op<TaskId[]> {
  const rows = yield* sql<TaskRow>`
    select * from tasks where team = ${tx.team} and owner = ${owner} and status = 'in_progress' order by id ${tx.dialect.forUpdate}`;
  for (const row of rows) yield* putBack(tx, row, why, undefined, maxAttempts);
  if (rows.length > 0) {
    const [member] = yield* sql<{ life: number }>`
      select life from members where team = ${tx.team} and name = ${owner}`;
    yield* append(
      tx,
      owner,
      member?.life ?? 0,
      rows.map((row) => lostClaim(row, why)),
    );
  }
  return rows.map((row) => row.id);
}
