/**
 * The next task of a member: a look that changes nothing, and the claim it calls for. Here and nowhere else stands what "best" is.
 */
import type { TaskId } from "../../core/ids.ts";
import type { Seat } from "../../core/member.ts";
import type { Claimed } from "../../core/task.ts";
import { conflict, type MakeEntry, start, taken, touched } from "./claim.ts";
import { checked, locked, type SeatRow, seated, staleSeat } from "./seat.ts";
import type { Session } from "./session.ts";
import { atMost, batch, type Op, query, Raw, sql, type Tx, teamLock } from "./sql.ts";
import { claimOf, SEEN, type SeenRow, TAKEN, type TakenRow, takenOf } from "./task-row.ts";

/** Of a member who may find something, or may not act. */
type Precheck = {
  /** Null when there is no such member. */
  readonly name: string | null;
  readonly host: string | null;
  readonly role: string;
  /** What the first of the tasks for anybody edits; null when none is ready. */
  readonly touches: string | null;
};

/**
 * One query answers what idle members ask again and again: is there anything for me? Without a row there is nothing: to hand over
 * none is a part of what it costs. Nor is it asked whether the member has a task before there is another for it.
 */
function* claimPrecheck(tx: Tx, seat: Seat): Op<Precheck | undefined> {
  const [member] = yield* sql<Precheck>`
    select m.name, m.host, m.role, (select r.touches from tasks r where r.team = m.team and r.role = '' and ${READY}
      order by r.priority desc, r.chain desc, r.id limit 1) as touches
    from (select 1) one left join members m on m.team = ${tx.team} and m.name = ${seat.name}
    where m.host is distinct from ${seat.host} or (
      ((select r.id from tasks r where r.team = m.team and r.role = '' and ${READY} ${BY_INDEX}) is not null
        or (m.role <> '' and (select r.id from tasks r where r.team = m.team and r.role = m.role and ${READY} ${BY_INDEX}) is not null))
      and (m.kind <> 'teammate' or ${FREE}))`;
  if (member && member.host !== seat.host) throw staleSeat(seat, member.name === null ? undefined : member);
  return member;
}

/** Of a task r. */
const READY = new Raw("r.status = 'pending' and r.open_blockers = 0");
/** Not `exists`: where other teams have much that is ready, PostgreSQL would expect to meet some soon in whatever order, and read it all. */
const BY_INDEX = new Raw("order by r.priority desc, r.chain desc, r.id limit 1");
/** Of a member m. */
const FREE = new Raw(
  "not exists (select 1 from tasks b where b.team = m.team and b.owner = m.name and b.status = 'in_progress')",
);

/** Who has just been given a task is likely to find a further one: that claim does without a look. How it was found then. */
const found = new WeakMap<Seat, typeof takeFirst>();

/** Of ten that are woken by one task, nine must see at their look that it is gone: a write in vain costs ten looks. */
export async function claimNext(session: Session, seat: Seat, entry?: MakeEntry): Promise<Claimed | null> {
  let way = found.get(seat);
  found.delete(seat);
  const known = way;
  const task = await (known
    ? session.write((tx) => known(tx, seat, entry))
    : session.lookAndWrite(
        (tx) => claimPrecheck(tx, seat),
        (member) => {
          if (!member) return null;
          const chosen = member.role === "" && member.touches === "[]" ? takeFirst : takeBest;
          way = chosen;
          return (tx) => chosen(tx, seat, entry);
        },
      ));
  if (task && way) found.set(seat, way);
  return task;
}

/**
 * The usual case, in one step: the first task for anybody that nobody is taking at this moment. Whenever that is none, because it
 * needs files, or all are being taken, or the member has a task, the long way finds out.
 */
function* takeFirst(tx: Tx, seat: Seat, entry?: MakeEntry): Op<Claimed | null> {
  const first = yield* tx.dialect.name === "sqlite" ? takeSeen(tx, seat) : takeUnseen(tx, seat);
  return first ? yield* taken(tx, seat, first.life, first.task, entry) : yield* takeBest(tx, seat, entry);
}

type Seen = Pick<SeatRow, "host" | "life"> & (SeenRow | { readonly id: null });
type First = { readonly life: number; readonly task: Claimed };

/** Where many write at once: the statement that finds it takes it. */
function* takeUnseen(tx: Tx, seat: Seat): Op<First | null> {
  const take = query<TakenRow>`
    with first as (select id from tasks where team = ${tx.team} and role = '' and status = 'pending' and open_blockers = 0
      order by priority desc, chain desc, id limit 1 ${tx.dialect.skipLocked})
    update tasks set status = 'in_progress', owner = ${seat.name}, attempt = attempt + 1, tries = tries + 1, version = version + 1,
      started_at = ${tx.now}, updated_at = ${tx.now}
    where team = ${tx.team} and id = (select id from first) and touches = '[]' and not exists (
      select 1 from tasks b where b.team = ${tx.team} and b.owner = ${seat.name} and b.status = 'in_progress')
    returning ${TAKEN}`;
  const [members, [row]] = yield* batch(locked(tx, seat), take);
  const { life } = checked(seat, members);
  return row ? { life, task: takenOf(row, seat.name, tx.now) } : null;
}

/** With one writer, what is seen inside its transaction stays so: SQLite takes longer for `returning` than for a query of its own. */
function* takeSeen(tx: Tx, seat: Seat): Op<First | null> {
  const rows = yield* sql<Seen>`
    select m.host, m.life, ${SEEN} from members m left join tasks t on t.team = m.team and m.role = '' and t.touches = '[]' and t.id = (
      select id from tasks where team = ${tx.team} and role = '' and status = 'pending' and open_blockers = 0
      order by priority desc, chain desc, id limit 1) and ${FREE}
    where m.team = ${tx.team} and m.name = ${seat.name}`;
  const seen = checked(seat, rows);
  if (seen.id === null) return null;
  yield* start(tx, seat, seen.id);
  return { life: seen.life, task: claimOf(seen, seat.name, tx.now) };
}

/** Until it has one or there is none: what it has seen may be taken before it is locked. */
function* takeBest(tx: Tx, seat: Seat, entry?: MakeEntry): Op<Claimed | null> {
  const member = yield* seated(tx, seat);
  for (let round = 1; ; round += 1) {
    let left = yield* candidates(tx, member.role);
    if (left.some((one) => one.touches !== "[]")) {
      // Two that overlap may be taken at this moment by two: look again behind the lock.
      yield* teamLock(tx, "touches");
      left = yield* candidates(tx, member.role);
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
 * PostgreSQL: passes over rows that others are taking just now; after `PATIENCE` rounds it waits for them, since they may be
 * given up again, and a member who went to sleep then would not be woken for them.
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

type Candidate = {
  readonly id: TaskId;
  readonly priority: number;
  readonly chain: number;
  readonly role: string;
  readonly touches: string;
};

/** On PostgreSQL several, since others may be taking the first ones at this moment. SQLite has one writer. */
const CANDIDATES = { sqlite: 1, postgres: 8 } as const;

/** Best first, none that edits what a task in progress edits. */
function* candidates(tx: Tx, role: string): Op<Candidate[]> {
  const enough = CANDIDATES[tx.dialect.name];
  const found = yield* seek(tx, "", enough);
  if (role !== "") found.push(...(yield* seek(tx, role, enough)));
  if (found.every((one) => one.touches === "[]")) return found.sort(better).slice(0, enough);
  const running = yield* touched(tx);
  const free = (one: Candidate): boolean => one.touches === "[]" || conflict(one.touches, running) === null;
  let fit = found.filter(free);
  // Everything at the head of the queue has to wait for files: look through all of it.
  if (fit.length === 0) {
    const all = yield* seek(tx, "", 1_000_000);
    if (role !== "") all.push(...(yield* seek(tx, role, 1_000_000)));
    fit = all.filter(free);
  }
  return fit.sort(better).slice(0, enough);
}

const better = (a: Candidate, b: Candidate): number =>
  b.priority - a.priority ||
  b.chain - a.chain ||
  Number(b.role !== "") - Number(a.role !== "") ||
  a.id - b.id;

function* seek(tx: Tx, role: string, limit: number): Op<Candidate[]> {
  return yield* sql<Candidate>`
    select id, priority, chain, role, touches from tasks
    where team = ${tx.team} and role = ${role} and status = 'pending' and open_blockers = 0
    order by priority desc, chain desc, id limit ${atMost(limit)}`;
}
