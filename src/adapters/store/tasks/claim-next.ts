/**
 * Finding and claiming the best ready task of a member. This file defines "best", together.ts the short path of PostgreSQL.
 *
 * The short paths and the memory `found` were measured against a single path: see docs/decisions/0011.
 */

import { TAKING_REASONS } from "../../../core/board/lifecycle.ts";
import type { Seat } from "../../../core/board/member.ts";
import type { Claimed } from "../../../core/board/task.ts";
import type { Name, TaskId } from "../../../core/ids.ts";
import { chosen, type Standing, type Taker } from "../../../core/limits/choice.ts";
import type { Besides } from "../../../ports/store.ts";
import type { Session } from "../session.ts";
import { anyOf, atMost, type Op, Raw, sql, type Tx, teamLock } from "../sql.ts";
import { checked, type SeatRow, seated, staleSeat } from "../team/seat.ts";
import { conflict, type MakeEntry, start, type Touched, taken, touched } from "./claim.ts";
import { claimOf, SEEN, type SeenRow, TAKEN, type TakenRow, type TaskRow, takenOf } from "./task-row.ts";

/** A member for whom a task may be ready, or whose seat is stale. */
type Precheck = {
  /** Null if there is no such member. */
  readonly name: string | null;
  readonly host: string | null;
  readonly role: string;
  /** The file patterns of the first ready task without a role; null if there is none. */
  readonly touches: string | null;
  /** 1 if a ready task is kept for it. */
  readonly kept: number;
  readonly blocks_of: string | null;
};

/**
 * One query tells an idle member whether it may find a task. It returns no row if not, since building a row is a part of its cost,
 * and it checks whether the member has a task only if another one is ready.
 */
function* precheck(tx: Tx, seat: Seat): Op<Precheck | undefined> {
  const [member] = yield* sql<Precheck>`
    select m.name, m.host, m.role, m.blocks_of, (select r.touches from tasks r where r.team = m.team and r.role = '' and ${READY}
      order by r.priority desc, r.chain desc, r.id limit 1) as touches,
      case when ${KEPT} is null then 0 else 1 end as kept
    from (select 1) one left join members m on m.team = ${tx.team} and m.name = ${seat.name}
    where m.host is distinct from ${seat.host} or (
      ((select r.id from tasks r where r.team = m.team and r.role = '' and ${READY} ${BY_INDEX}) is not null
        or (m.role <> '' and (select r.id from tasks r where r.team = m.team and r.role = m.role and ${READY} ${BY_INDEX}) is not null)
        or ${KEPT} is not null)
      and (m.kind <> 'teammate' or ${FREE}))`;
  if (member && member.host !== seat.host) throw staleSeat(seat, member.name === null ? undefined : member);
  return member;
}

/** A condition on a task `r`. */
export const READY = new Raw("r.status = 'pending' and r.open_blockers = 0");
/** Instead of `exists`: if other teams have many ready tasks, PostgreSQL expects a match soon in any order and reads all of them. */
export const BY_INDEX = new Raw("order by r.priority desc, r.chain desc, r.id limit 1");
/** The first ready task that is kept for a member `m`. */
const KEPT = new Raw(
  "(select r.id from tasks r where r.team = m.team and r.role = '@' || m.name and r.status = 'pending' and r.open_blockers = 0 order by r.priority desc, r.chain desc, r.id limit 1)",
);
/** A condition on a member `m`. */
const FREE = new Raw(
  "not exists (select 1 from tasks b where b.team = m.team and b.owner = m.name and b.status = 'in_progress')",
);

/** `first`: the first ready task without a role or files. `best`: any ready task that the member may have. */
export type Way = "first" | "best";
export type Take = (way: Way, seat: Seat, entry?: MakeEntry) => Promise<Claimed | null>;

/** The way in which a member found its last task. It will probably find another one, so the next claim skips the check. */
const found = new WeakMap<Seat, Way>();

/** A member that finds nothing should find that out by a read: a failed write costs ten reads. */
export async function claimNext(
  session: Session,
  take: Take,
  seat: Seat,
  entry?: MakeEntry,
  besides: Besides = NONE,
): Promise<Claimed | null> {
  if (besides.ids.length > 0 || besides.logins) {
    const member = await session.look((tx) => precheck(tx, seat));
    return member ? await session.write((tx) => takeBest(tx, seat, entry, besides)) : null;
  }
  let way = found.get(seat);
  found.delete(seat);
  let task = way ? await take(way, seat, entry) : null;
  while (!task && way !== "best") {
    const member = await session.look((tx) => precheck(tx, seat));
    if (!member) return null;
    way = way ? "best" : wayOf(member);
    task = await take(way, seat, entry);
  }
  if (task && way) found.set(seat, way);
  return task;
}

const wayOf = ({ role, touches, kept, blocks_of }: Precheck): Way =>
  role === "" && touches === "[]" && kept === 0 && blocks_of === null ? "first" : "best";

/** On SQLite. */
export const takeAlone =
  (session: Session): Take =>
  (way, seat, entry) =>
    session.write((tx) => (way === "first" ? takeFirst(tx, seat, entry) : takeBest(tx, seat, entry)));

/**
 * The usual case in one step: the first ready task without a role or files; null if there is none, or if the member may not have
 * it. SQLite has one writer, so the row cannot change after it was read. `returning` would take longer than a second statement.
 */
function* takeFirst(tx: Tx, seat: Seat, entry?: MakeEntry): Op<Claimed | null> {
  const rows = yield* sql<Seen>`
    select m.host, m.life, ${SEEN} from members m left join tasks t on t.team = m.team and m.role = '' and t.touches = '[]' and t.id = (
      select id from tasks where team = ${tx.team} and role = '' and status = 'pending' and open_blockers = 0
      order by priority desc, chain desc, id limit 1) and ${FREE} and ${KEPT} is null
    where m.team = ${tx.team} and m.name = ${seat.name}`;
  const seen = checked(seat, rows);
  if (seen.id === null) return null;
  yield* start(tx, seat, seen.id);
  return yield* taken(tx, seat, seen.life, claimOf(seen, seen.attempt + 1, seat.name, tx.now), entry);
}

type Seen = Pick<SeatRow, "host" | "life"> & (SeenRow | { readonly id: null });

/** Repeats until it has a task or there is none: others may claim a candidate before it is locked. */
export function* takeBest(
  tx: Tx,
  seat: Seat,
  entry?: MakeEntry,
  { ids, idle, logins }: Besides = NONE,
): Op<Claimed | null> {
  const member = yield* seated(tx, seat);
  const without = ids.length === 0 ? ids : yield* forOthers(tx, seat.name, ids, idle);
  const takers = logins ? yield* takersOf(tx, logins.others) : [];
  const kept = `@${seat.name}`;
  for (let round = 1; ; round += 1) {
    let left = yield* candidates(tx, member, kept, without, takers.length);
    if (left.some((one) => one.touches !== "[]")) {
      // Two members may be claiming two overlapping tasks at this moment: read again under the lock.
      yield* teamLock(tx, "touches");
      left = yield* candidates(tx, member, kept, without, takers.length);
    }
    if (logins && left.length > 0) {
      const own = chosen(left, { ...logins.own, role: member.role, isIdle: true }, takers);
      left = own ? [own] : [];
    }
    if (left.length === 0) return null;
    const row = yield* takeOne(tx, seat, member, left, round);
    if (row) return yield* taken(tx, seat, member.life, takenOf(row, seat.name, tx.now), entry);
    const [busy] =
      yield* sql`select id from tasks where team = ${tx.team} and owner = ${seat.name} and status = 'in_progress' limit 1`;
    if (busy && member.kind === "teammate") return null;
  }
}

const SKIP_ROUNDS = 2;

/**
 * On PostgreSQL it skips rows that others have locked. After `SKIP_ROUNDS` rounds it waits for them: their transactions may roll
 * back, and nobody would wake a member that went to sleep meanwhile.
 */
function* takeOne(
  tx: Tx,
  seat: Seat,
  member: SeatRow,
  left: readonly Candidate[],
  round: number,
): Op<TakenRow | undefined> {
  const [best] = left;
  if (!best) return undefined;
  const exempt = member.kind === "lead" ? 1 : 0;
  const ids = `{${left.map((one) => one.id).join(",")}}`;
  const [chosen] =
    tx.dialect.name === "sqlite"
      ? [best]
      : yield* sql<{ id: TaskId }>`
          select id from tasks where team = ${tx.team} and id = any(${ids}::bigint[]) and status = 'pending' and open_blockers = 0
          order by array_position(${ids}::bigint[], id) limit 1 ${round <= SKIP_ROUNDS ? tx.dialect.skipLocked : tx.dialect.forUpdate}`;
  if (!chosen) return undefined;
  const [row] = yield* sql<TakenRow>`
    update tasks set status = 'in_progress', owner = ${seat.name}, attempt = attempt + 1, tries = tries + 1, version = version + 1,
      started_at = ${tx.now}, updated_at = ${tx.now}
    where team = ${tx.team} and id = ${chosen.id} and status = 'pending' and open_blockers = 0 and (${exempt} = 1 or not exists (
      select 1 from tasks b where b.team = ${tx.team} and b.owner = ${seat.name} and b.status = 'in_progress'))
    returning ${TAKEN}`;
  return row;
}

/** One parameter for a list of any length; no reason contains a space. */
const TAKING = ` ${TAKING_REASONS.join(" ")} `;

const NONE: Besides = { ids: [], idle: true };

/** The tasks of `ids` that another teammate works towards: it is at work, or, with `idle`, takes what becomes ready. */
export function* forOthers(tx: Tx, name: Name, ids: readonly TaskId[], idle = true): Op<TaskId[]> {
  const rows = yield* sql<{ id: TaskId }>`
    select t.id from tasks t where t.team = ${tx.team} and t.id ${anyOf(tx, ids)} and exists (
      select 1 from members m where m.team = t.team and m.kind = 'teammate' and m.name <> ${name} and m.host is not null
        and (m.phase = 'work' or (m.phase = 'idle' and ${idle ? TAKING : ""} like '% ' || m.reason || ' %'))
        and (t.role = '' or t.role = m.role) and (m.blocks_of is null or t.prose = 0 or t.runbook = m.blocks_of))`;
  return rows.map(({ id }) => Number(id) as TaskId);
}

/** Those of them that are at work or wait for tasks. */
function* takersOf(tx: Tx, standings: readonly Standing[]): Op<Taker[]> {
  const rows = yield* sql<{ name: Name; role: string; phase: string }>`
    select name, role, phase from members where team = ${tx.team} and kind = 'teammate' and host is not null and blocks_of is null
      and (phase = 'work' or (phase = 'idle' and ${TAKING} like '% ' || reason || ' %'))`;
  return rows.flatMap(({ name, role, phase }) => {
    const standing = standings.find((one) => one.name === name);
    return standing ? [{ ...standing, role, isIdle: phase === "idle" }] : [];
  });
}

type Candidate = Pick<TaskRow, "id" | "priority" | "chain" | "estimate" | "tries" | "role" | "touches">;

/** PostgreSQL needs several, since others may be claiming the first ones. SQLite has one writer. */
const CANDIDATES = { sqlite: 1, postgres: 8 } as const;

/** Best first, without tasks whose files a task in progress edits. `more`: so many are for others. */
function* candidates(
  tx: Tx,
  { role, blocks_of }: SeatRow,
  kept: string,
  without: readonly TaskId[],
  more: number,
): Op<Candidate[]> {
  const enough = CANDIDATES[tx.dialect.name] + more;
  const roles = role === "" ? ["", kept] : ["", role, kept];
  const found: Candidate[] = [];
  for (const one of roles) found.push(...(yield* seek(tx, one, blocks_of, enough, without)));
  if (found.every((one) => one.touches === "[]")) return found.sort(better).slice(0, enough);
  const free = isFree(yield* touched(tx));
  const fit = found.filter(free);
  // Every task at the head of the queue waits for files: search the whole queue.
  for (const one of fit.length === 0 ? roles : []) {
    let left = enough;
    for (const candidate of yield* seek(tx, one, blocks_of, 1_000_000, without)) {
      if (!free(candidate)) continue;
      fit.push(candidate);
      left -= 1;
      if (left === 0) break;
    }
  }
  return fit.sort(better).slice(0, enough);
}

/** Compares each list of patterns once: on a large board many tasks have the same. */
function isFree(running: readonly Touched[]): (one: Candidate) => boolean {
  const known = new Map([["[]", true]]);
  return ({ touches }) => {
    const is = known.get(touches) ?? conflict(touches, running) === null;
    known.set(touches, is);
    return is;
  };
}

const better = (a: Candidate, b: Candidate): number =>
  Number(b.role.startsWith("@")) - Number(a.role.startsWith("@")) ||
  b.priority - a.priority ||
  b.chain - a.chain ||
  Number(b.role !== "") - Number(a.role !== "") ||
  a.id - b.id;

const SEEK = new Raw("select id, priority, chain, estimate, tries, role, touches from tasks");
const BEST = new Raw("order by priority desc, chain desc, id");

/** `runbook`: `blocks_of` of the member. */
const seek = (
  tx: Tx,
  role: string,
  runbook: string | null,
  limit: number,
  without: readonly TaskId[],
): Op<Candidate[]> =>
  without.length > 0
    ? sql<Candidate>`
        ${SEEK} where team = ${tx.team} and role = ${role} and status = 'pending' and open_blockers = 0
        and (${runbook ?? ""} = '' or prose = 0 or runbook = ${runbook ?? ""}) and not (id ${anyOf(tx, without)}) ${BEST} limit ${atMost(limit)}`
    : runbook === null
      ? sql<Candidate>`
        ${SEEK} where team = ${tx.team} and role = ${role} and status = 'pending' and open_blockers = 0 ${BEST} limit ${atMost(limit)}`
      : sql<Candidate>`
        ${SEEK} where team = ${tx.team} and role = ${role} and status = 'pending' and open_blockers = 0
        and (prose = 0 or runbook = ${runbook}) ${BEST} limit ${atMost(limit)}`;
