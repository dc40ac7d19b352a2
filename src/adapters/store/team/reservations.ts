/** Reservations of the landing queue. One of a task that has ended counts no more, and is removed with the next one that is made. */

import { holderOf, type Reservation, reservedRank, reservedUntil } from "../../../core/board/landing.ts";
import type { Obstacle } from "../../../core/board/worktree.ts";
import type { Name, TaskId } from "../../../core/ids.ts";
import type { NewReservation, Reservations } from "../../../ports/reservations.ts";
import type { Session } from "../session.ts";
import { exec, type Op, parse, Raw, sql, type Tx, teamLock } from "../sql.ts";

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

export function reservations(session: Session): Reservations {
  return {
    list: (repository) => session.look((tx) => list(tx, repository)),
    reserve: (repository, wanted) => session.write((tx) => reserve(tx, repository, wanted)),
    forget: (branch) =>
      session.write(function* (tx) {
        yield* exec`delete from reservations where team = ${tx.team} and branch = ${branch}`;
      }),
  };
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
  return null;
}
