/**
 * The queue of landings. A place has no lease of its own: it lasts as long as the host of its member, whose heartbeat is one row for all.
 * A reservation of a task that has ended counts no more, and is removed with the next one that is made.
 */

import {
  holderOf,
  type LandingQueue,
  type Order,
  type Reservation,
  reservedRank,
  reservedUntil,
  type Waiting,
} from "../../../core/board/landing.ts";
import type { Seat } from "../../../core/board/member.ts";
import type { Obstacle } from "../../../core/board/worktree.ts";
import type { Name, TaskId } from "../../../core/ids.ts";
import type { Landings, NewReservation, NewWaiting } from "../../../ports/landings.ts";
import type { Session } from "../session.ts";
import { exec, type Op, parse, Raw, sql, type Tx, teamLock } from "../sql.ts";
import { seated, staleSeat } from "./seat.ts";

type LandingRow = {
  readonly id: number;
  readonly team: Name;
  readonly branch: string;
  readonly number: number;
  readonly entry: string;
  readonly ordered: string;
  /** 1: its host has a lease. */
  readonly lives: number;
};

type ReservationRow = {
  readonly team: Name;
  readonly branch: string;
  readonly target: string;
  readonly task: TaskId;
  readonly created_at: number;
  readonly paths: string;
  readonly why: Obstacle;
  readonly refusals: number;
  /** In the store's clock, which orders them. */
  readonly since: number;
  /** Milliseconds from now. */
  readonly alone_ms: number;
  readonly left_ms: number;
};

const taskIs = (condition: string): Raw =>
  new Raw(
    `exists (select 1 from tasks t where t.team = r.team and t.id = r.task and t.created_at = r.created_at and ${condition})`,
  );
const OPEN = taskIs("t.status in ('pending', 'in_progress')");
/** A task that went back keeps its rank and holds nobody up: all who could claim it may be waiting in the line. */
const HELD = taskIs("t.status = 'in_progress'");

export function landings(session: Session): Omit<Landings, "gates" | "bases"> {
  return {
    queue: (repository) => session.look((tx) => queue(tx, repository)),
    join: (seat, repository, about) => session.write((tx) => join(tx, seat, repository, about)),
    update: (seat, id, change) => session.write((tx) => update(tx, seat, id, change)),
    leave: (id, isOver) => session.write((tx) => leave(tx, id, isOver)),
    order: (branch, order) =>
      session.write(function* (tx) {
        yield* exec`
          update landings set ordered = ${JSON.stringify(order)}, changed = changed + 1 where team = ${tx.team} and branch = ${branch}`;
        tx.notify("landings");
      }),
    reserve: (repository, wanted) => session.write((tx) => reserve(tx, repository, wanted)),
    forget: (branch) =>
      session.write(function* (tx) {
        const gone = yield* sql`
          delete from reservations where team = ${tx.team} and branch = ${branch} returning branch`;
        if (gone.length > 0) tx.notify("landings");
      }),
  };
}

function* queue(tx: Tx, repository: string): Op<LandingQueue> {
  const rows = yield* sql<LandingRow>`
    select l.id, l.team, l.branch, l.number, l.entry, l.ordered, (
      select count(*) from hosts h where h.team = l.team and h.id = l.host and h.lease_until > ${tx.leaseClock}) as lives
    from landings l where l.repository = ${repository} order by l.id`;
  return {
    waiting: rows.flatMap((row) => (Number(row.lives) === 1 ? (waitingOf(row) ?? []) : [])),
    orders: new Map(
      rows.flatMap(({ branch, ordered }) => {
        const order = parse<Order | null>(ordered, null);
        return order ? [[branch, order] as const] : [];
      }),
    ),
    reservations: yield* list(tx, repository),
  };
}

function waitingOf({ id, team, number, entry }: LandingRow): Waiting | null {
  const about = parse<NewWaiting | null>(entry, null);
  return about && { ...about, team, id: String(id), arrived: Number(id), number: Number(number) };
}

function* join(tx: Tx, seat: Seat, repository: string, about: NewWaiting): Op<Waiting> {
  // So that each sees all that came before it.
  yield* teamLock(tx, "landings");
  yield* seated(tx, seat);
  const { branch, task } = about;
  const [before] = yield* sql<{ ordered: string }>`
    select ordered from landings where team = ${tx.team} and branch = ${branch} and ordered <> '' order by id desc limit 1`;
  yield* removeDead(tx, branch);
  const number = yield* nextNumber(repository);
  const [made] = yield* sql<{ id: number }>`
    insert into landings (team, repository, branch, task, host, number, entry, ordered)
    values (${tx.team}, ${repository}, ${branch}, ${task}, ${seat.host}, ${number}, ${JSON.stringify(about)}, ${before?.ordered ?? ""})
    returning id`;
  tx.notify("landings");
  const id = Number(made?.id);
  return { ...about, team: tx.team, id: String(id), arrived: id, number };
}

function* nextNumber(repository: string): Op<number> {
  const [row] = yield* sql<{ last: number | null }>`
    select max(number) as last from landings where repository = ${repository}`;
  return 1 + Number(row?.last ?? 0);
}

/** Places whose host has ended, or will not come back. An order about an unfinished task stays for the next landing of it. */
function* removeDead(tx: Tx, branch: string): Op<void> {
  yield* exec`
    delete from landings where team = ${tx.team}
      and not exists (select 1 from hosts h where h.team = landings.team and h.id = landings.host and h.lease_until > 0)
      and (ordered = '' or branch = ${branch} or not exists (
        select 1 from tasks t where t.team = landings.team and t.id = landings.task and t.status in ('pending', 'in_progress')))`;
}

function* update(tx: Tx, seat: Seat, id: string, change: Partial<NewWaiting>): Op<void> {
  const [row] = yield* sql<LandingRow & { repository: string; host: string }>`
    select id, team, branch, number, entry, ordered, repository, host, 1 as lives from landings
    where team = ${tx.team} and id = ${Number(id)} ${tx.dialect.forUpdate}`;
  yield* seated(tx, seat);
  const before = row && row.host === seat.host ? parse<NewWaiting | null>(row.entry, null) : null;
  if (!row || !before) throw staleSeat(seat, undefined);
  const isReadyNow = change.isReady === true && !before.isReady;
  const number = isReadyNow ? yield* nextNumber(row.repository) : row.number;
  yield* exec`
    update landings set entry = ${JSON.stringify({ ...before, ...change })}, number = ${number}, changed = changed + 1
    where team = ${tx.team} and id = ${Number(id)}`;
  tx.notify("landings");
}

function* leave(tx: Tx, id: string, isOver: boolean): Op<void> {
  const [row] = yield* sql<{ branch: string; ordered: string }>`
    select branch, ordered from landings where team = ${tx.team} and id = ${Number(id)}`;
  if (!row) return;
  if (isOver)
    yield* exec`
      update landings set ordered = '', changed = changed + 1 where team = ${tx.team} and branch = ${row.branch} and ordered <> ''`;
  if (isOver || row.ordered === "")
    yield* exec`delete from landings where team = ${tx.team} and id = ${Number(id)}`;
  else
    yield* exec`update landings set host = '', changed = changed + 1 where team = ${tx.team} and id = ${Number(id)}`;
  tx.notify("landings");
}

/** The places of a host that was declared dead. */
export function* leaveWith(tx: Tx, host: string): Op<void> {
  const gone = yield* sql`
    update landings set changed = changed + 1 where team = ${tx.team} and host = ${host} returning id`;
  if (gone.length > 0) tx.notify("landings");
}

function* list(tx: Tx, repository: string): Op<Reservation[]> {
  const rows = yield* sql<ReservationRow>`
    select r.*, r.alone_until - ${tx.leaseClock} as alone_ms, r.held_until - ${tx.leaseClock} as left_ms from reservations r
    where (r.team = ${tx.team} or r.repository = ${repository}) and ${HELD} order by r.since, r.branch`;
  return rows.map((row) => ({
    ...{ team: row.team, branch: row.branch, target: row.target, task: row.task, createdAt: row.created_at },
    ...{
      paths: parse<string[] | null>(row.paths, null),
      why: row.why,
      refusals: row.refusals,
      since: row.since,
    },
    aloneUntil: tx.now + row.alone_ms,
    until: tx.now + row.left_ms,
  }));
}

function* reserve(tx: Tx, repository: string, wanted: NewReservation): Op<Reservation | null> {
  const { branch, target, task, createdAt, paths, why, refusals, lengthMs, isOrdered } = wanted;
  yield* teamLock(tx, "reservations");
  yield* exec`delete from reservations where team = ${tx.team} and not exists (select 1 from reservations r
    where r.team = reservations.team and r.branch = reservations.branch and ${OPEN})`;
  const all = (yield* list(tx, repository)).filter((one) => one.target === target);
  const [{ now }] = (yield* sql<{ now: number }>`select ${tx.leaseClock} as now`) as [{ now: number }];
  const [before] = yield* sql<{ since: number }>`
    select since from reservations where team = ${tx.team} and branch = ${branch} and target = ${target}`;
  // A transaction that waited for the lock has an older time than the one that had it.
  const since = before?.since ?? Math.max(Number(now), ...all.map((one) => one.since + 1));
  const holder = isOrdered ? undefined : holderOf(wanted, reservedRank({ since, branch }), all, tx.now);
  if (holder) return holder;
  const { aloneUntil, until } = reservedUntil(Number(now), refusals, lengthMs);
  yield* exec`
    insert into reservations (team, branch, repository, target, task, created_at, paths, why, refusals, since, alone_until, held_until)
    values (${tx.team}, ${branch}, ${repository}, ${target}, ${task}, ${createdAt}, ${JSON.stringify(paths)}, ${why}, ${refusals}, ${since},
      ${aloneUntil}, ${until})
    on conflict (team, branch) do update set repository = excluded.repository, target = excluded.target, task = excluded.task,
      created_at = excluded.created_at, paths = excluded.paths, why = excluded.why, refusals = excluded.refusals,
      alone_until = excluded.alone_until, held_until = excluded.held_until`;
  tx.notify("landings");
  return null;
}
