/**
 * Who gets which task. A claim is one row that changes from pending to in progress: SQLite has one writer, PostgreSQL re-checks
 * the condition on the row after a lock wait, so neither needs a lock on the board.
 */
import type { Entry } from "../../core/conversation/chat.ts";
import type { TaskId } from "../../core/ids.ts";
import type { Seat } from "../../core/member.ts";
import type { Claimed, ClaimResult } from "../../core/task.ts";
import { overlapping } from "../../core/touches.ts";
import { append } from "./entries.ts";
import { book } from "./journal.ts";
import { checked, locked, type SeatRow, seated, staleSeat } from "./seat.ts";
import type { Session } from "./session.ts";
import { atMost, type Op, query, sql, type Tx, teamLock, together } from "./sql.ts";
import { claimedOf, listOf, TAKEN, type TakenRow, type TaskRow, takenOf } from "./task-row.ts";

type MakeEntry = (task: Claimed) => Entry;

function* taken(tx: Tx, seat: Seat, member: SeatRow, row: TakenRow, entry?: MakeEntry): Op<Claimed> {
  const task = takenOf(row, seat.name, tx.now);
  if (entry) yield* append(tx, seat.name, member.life, [entry(task)]);
  const { id, subject, attempt } = task;
  yield* book(tx, [{ type: "task.claimed", task: id, subject, by: seat.name, attempt }]);
  return task;
}

export function* claim(
  tx: Tx,
  leadMayHoldSeveral: boolean,
  seat: Seat,
  id: TaskId,
  entry?: MakeEntry,
): Op<ClaimResult> {
  const member = yield* seated(tx, seat);
  const [row] =
    yield* sql<TaskRow>`select * from tasks where team = ${tx.team} and id = ${id} ${tx.dialect.forUpdate}`;
  if (!row) return { ok: false, why: "missing" };
  if (row.status === "in_progress") {
    if (row.owner !== seat.name) return { ok: false, why: "taken", by: claimedOf(row).owner };
    const task = claimedOf(row);
    if (entry) yield* append(tx, seat.name, member.life, [entry(task)]);
    return { ok: true, task };
  }
  if (row.status !== "pending") return { ok: false, why: "finished", status: row.status };
  if (row.open_blockers > 0) {
    const on = yield* sql<{ id: TaskId }>`
      select t.id from edges e join tasks t on t.team = e.team and t.id = e.blocker
      where e.team = ${tx.team} and e.task = ${id} and t.status <> 'completed' order by t.id`;
    return { ok: false, why: "blocked", on: on.map((one) => one.id) };
  }
  if (row.role !== "" && row.role !== member.role) return { ok: false, why: "role", role: row.role };
  const [busy] = yield* sql<{
    id: TaskId;
  }>`select id from tasks where team = ${tx.team} and owner = ${seat.name} and status = 'in_progress' order by id limit 1`;
  if (busy && !(member.kind === "lead" && leadMayHoldSeveral))
    return { ok: false, why: "busy", with: busy.id };
  if (row.touches !== "[]") {
    yield* teamLock(tx, "touches");
    const clash = conflict(row.touches, yield* touched(tx));
    if (clash) return { ok: false, why: "touches", conflictsWith: clash };
  }
  const [mine] = yield* sql<TakenRow>`
    update tasks set status = 'in_progress', owner = ${seat.name}, attempt = attempt + 1, tries = tries + 1, version = version + 1,
      started_at = ${tx.now}, updated_at = ${tx.now}
    where team = ${tx.team} and id = ${id} returning ${TAKEN}`;
  return { ok: true, task: yield* taken(tx, seat, member, mine ?? row, entry) };
}

/** What the tasks in progress edit. */
type Touched = { readonly id: TaskId; readonly touches: string };
function* touched(tx: Tx): Op<Touched[]> {
  return yield* sql<Touched>`select id, touches from tasks where team = ${tx.team} and status = 'in_progress' and touches <> '[]' order by id`;
}

const conflict = (touches: string, running: readonly Touched[]): TaskId | null =>
  running.find((task) => overlapping(listOf(touches), listOf(task.touches)))?.id ?? null;

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

type Outlook = {
  readonly host: string | null;
  readonly role: string;
  readonly busy: number;
  /** What the first of the tasks for anybody edits; null when none is ready. */
  readonly touches: string | null;
  /** Whether one is ready that asks for the member's role. */
  readonly own: number;
};

/** One query answers what idle members ask again and again: is there anything for me? */
function* outlook(tx: Tx, seat: Seat): Op<Outlook> {
  const [member] = yield* sql<Outlook>`
    select m.host, m.role,
      case when m.kind = 'teammate' and exists (select 1 from tasks b where b.team = m.team and b.owner = m.name and b.status = 'in_progress') then 1 else 0 end as busy,
      (select r.touches from tasks r where r.team = m.team and r.role = '' and r.status = 'pending' and r.open_blockers = 0
        order by r.priority desc, r.chain desc, r.id limit 1) as touches,
      case when m.role <> '' and exists (select 1 from tasks r where r.team = m.team and r.role = m.role and r.status = 'pending' and r.open_blockers = 0)
        then 1 else 0 end as own
    from members m where m.team = ${tx.team} and m.name = ${seat.name}`;
  if (member?.host !== seat.host) throw staleSeat(seat, member);
  return member;
}

/** Of ten that are woken by one task, nine must see at their look that it is gone: a write in vain costs ten looks. */
export function claimNext(session: Session, seat: Seat, entry?: MakeEntry): Promise<Claimed | null> {
  return session.lookAndWrite(
    (tx) => outlook(tx, seat),
    ({ role, touches, own, busy }) => {
      if ((touches === null && own === 0) || busy === 1) return null;
      return function* (tx): Op<Claimed | null> {
        if (role === "" && touches === "[]") return yield* takeFirst(tx, seat, entry);
        return yield* takeBest(tx, seat, yield* seated(tx, seat), entry);
      };
    },
  );
}

/**
 * The usual case, in one step: the first task for anybody that nobody is taking at this moment. Whenever that is none, because it
 * needs files, or all are being taken, or the member has a task, the long way finds out.
 */
function* takeFirst(tx: Tx, seat: Seat, entry?: MakeEntry): Op<Claimed | null> {
  const take = query<TakenRow>`
    with first as (select id from tasks where team = ${tx.team} and role = '' and status = 'pending' and open_blockers = 0
      order by priority desc, chain desc, id limit 1 ${tx.dialect.skipLocked})
    update tasks set status = 'in_progress', owner = ${seat.name}, attempt = attempt + 1, tries = tries + 1, version = version + 1,
      started_at = ${tx.now}, updated_at = ${tx.now}
    where team = ${tx.team} and id = (select id from first) and touches = '[]' and not exists (
      select 1 from tasks b where b.team = ${tx.team} and b.owner = ${seat.name} and b.status = 'in_progress')
    returning ${TAKEN}`;
  const [members, [row]] = yield* together(locked(tx, seat), take);
  const member = checked(seat, members);
  return row ? yield* taken(tx, seat, member, row, entry) : yield* takeBest(tx, seat, member, entry);
}

/** Until it has one or there is none: what it has seen may be taken before it is locked. */
function* takeBest(tx: Tx, seat: Seat, member: SeatRow, entry?: MakeEntry): Op<Claimed | null> {
  for (let round = 1; ; round += 1) {
    let left = yield* candidates(tx, member.role);
    if (left.some((one) => one.touches !== "[]")) {
      // Two that overlap may be taken at this moment by two: look again behind the lock.
      yield* teamLock(tx, "touches");
      left = yield* candidates(tx, member.role);
    }
    if (left.length === 0) return null;
    const row = yield* takeOne(tx, seat, member, left, round);
    if (row) return yield* taken(tx, seat, member, row, entry);
    const [busy] =
      yield* sql`select id from tasks where team = ${tx.team} and owner = ${seat.name} and status = 'in_progress' limit 1`;
    if (busy && member.kind === "teammate") return null;
  }
}

const PATIENCE = 2;

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
          order by array_position(${ids}::bigint[], id) limit 1 ${round <= PATIENCE ? tx.dialect.skipLocked : tx.dialect.forUpdate}`;
  if (!chosen) return undefined;
  const [row] = yield* sql<TakenRow>`
    update tasks set status = 'in_progress', owner = ${seat.name}, attempt = attempt + 1, tries = tries + 1, version = version + 1,
      started_at = ${tx.now}, updated_at = ${tx.now}
    where team = ${tx.team} and id = ${chosen.id} and status = 'pending' and open_blockers = 0 and (${exempt} = 1 or not exists (
      select 1 from tasks b where b.team = ${tx.team} and b.owner = ${seat.name} and b.status = 'in_progress'))
    returning ${TAKEN}`;
  return row;
}
