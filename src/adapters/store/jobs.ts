/**
 * Background commands, as rows. The transaction that ends a job also mails its owner. A job ends once: a second report changes
 * nothing.
 */

import { type Job, type JobEnd, type JobState, showJob } from "../../core/board/job.ts";
import { notFound } from "../../core/errors.ts";
import {
  HARNESS,
  type HostId,
  type Instant,
  type JobId,
  LEAD,
  type Name,
  type TaskId,
} from "../../core/ids.ts";
import type { Jobs } from "../../ports/jobs.ts";
import { appendFacts } from "./journal.ts";
import type { Session } from "./session.ts";
import { atMost, exec, type Op, sql, type Tx } from "./sql.ts";
import { post } from "./talk/mail.ts";
import { seated } from "./team/seat.ts";

type JobRow = {
  readonly id: JobId;
  readonly owner: Name;
  readonly command: string;
  readonly state: JobState;
  readonly pid: number | null;
  readonly machine: string;
  readonly host: HostId;
  readonly started_at: Instant;
  readonly ended_at: Instant | null;
  readonly exit_code: number | null;
  readonly output_path: string;
  readonly task: TaskId | null;
};

const toJob = (row: JobRow): Job => ({
  id: row.id,
  owner: row.owner,
  command: row.command,
  state: row.state,
  pid: row.pid,
  machine: row.machine,
  host: row.host,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  exitCode: row.exit_code,
  outputPath: row.output_path,
  task: row.task,
});

const LIMIT = 50;

export function jobs(session: Session): Jobs {
  return {
    add: (seat, job) =>
      session.write(function* (tx) {
        yield* seated(tx, seat);
        const [next] = yield* sql<{ id: JobId }>`
          update teams set next_job = next_job + 1 where name = ${tx.team} returning next_job - 1 as id`;
        if (!next) throw notFound(`Team "${tx.team}" no longer exists.`);
        const [row] = yield* sql<JobRow>`
          insert into jobs (team, id, owner, command, state, machine, host, started_at, output_path, task)
          values (${tx.team}, ${next.id}, ${seat.name}, ${job.command}, 'running', ${job.machine}, ${seat.host}, ${tx.now}, ${job.outputPath},
            (select min(id) from tasks where team = ${tx.team} and owner = ${seat.name} and status = 'in_progress'))
          returning *`;
        yield* appendFacts(tx, [{ type: "job.started", who: seat.name, job: next.id, command: job.command }]);
        return toJob(row as JobRow);
      }),
    started: (id, pid) =>
      session.write(function* (tx) {
        yield* exec`update jobs set pid = ${pid} where team = ${tx.team} and id = ${id}`;
      }),
    end: (id, end, text) => session.write((tx) => finish(tx, id, end, text)),
    note: (id, text) =>
      session.write(function* (tx) {
        const [row] = yield* sql<JobRow>`
          select * from jobs where team = ${tx.team} and id = ${id} and state = 'running' ${tx.dialect.forUpdate}`;
        if (!row) return false;
        yield* post(tx, [
          { from: HARNESS, to: yield* recipientOf(tx, row.owner), body: { kind: "note", text } },
        ]);
        return true;
      }),
    lose: async (text) => {
      const seen = await session.look((tx) => lost(tx));
      return seen.length === 0 ? [] : session.write((tx) => lose(tx, text));
    },
    job: (id) =>
      session.look(function* (tx) {
        const [row] = yield* sql<JobRow>`select * from jobs where team = ${tx.team} and id = ${id}`;
        return row ? toJob(row) : null;
      }),
    list: (owner, limit = LIMIT) =>
      session.look(function* (tx) {
        const rows =
          owner === null
            ? yield* sql<JobRow>`select * from jobs where team = ${tx.team} order by id desc limit ${atMost(limit)}`
            : yield* sql<JobRow>`
                select * from jobs where team = ${tx.team} and owner = ${owner} order by owner desc, id desc limit ${atMost(limit)}`;
        return rows.reverse().map(toJob);
      }),
    running: (owner, task = 0 as TaskId) =>
      session.look(function* (tx) {
        const [row] = yield* sql<{ count: number }>`
          select count(*) as count from jobs where team = ${tx.team} and state = 'running' and (owner = ${owner ?? ""} or ${owner ?? ""} = '')
            and (${task} = 0 or task is null or task = ${task})`;
        return Number(row?.count ?? 0);
      }),
  };
}

function* finish(tx: Tx, id: JobId, end: JobEnd, text: string | null): Op<boolean> {
  const exitCode = end.state === "stopped" ? null : end.exitCode;
  const [row] = yield* sql<JobRow>`
    update jobs set state = ${end.state}, exit_code = ${exitCode}, ended_at = ${tx.now}
    where team = ${tx.team} and id = ${id} and state = 'running' returning *`;
  if (!row) return false;
  yield* tell(tx, row, text);
  return true;
}

function* tell(tx: Tx, row: JobRow, text: string | null): Op<void> {
  const { id, owner, state, command, exit_code: exitCode } = row;
  yield* appendFacts(tx, [{ type: "job.ended", who: owner, job: id, state, exitCode }]);
  if (text === null) return;
  const body = {
    kind: "job_done",
    job: showJob(id),
    command,
    text,
    isError: state !== "done",
    ...(state === "unknown" && { lost: true }),
  } as const;
  yield* post(tx, [{ from: HARNESS, to: yield* recipientOf(tx, owner), body }]);
}

/** The owner, or the lead if the owner has left. */
function* recipientOf(tx: Tx, owner: Name): Op<Name> {
  const [member] = yield* sql<{ phase: string }>`
    select phase from members where team = ${tx.team} and name = ${owner}`;
  return member && member.phase !== "shutdown" ? owner : LEAD;
}

function* lost(tx: Tx): Op<JobRow[]> {
  return yield* sql<JobRow>`
    select * from jobs j where team = ${tx.team} and state = 'running'
      and not exists (select 1 from hosts h where h.team = j.team and h.id = j.host) order by id`;
}

function* lose(tx: Tx, text: (job: Job) => string): Op<Job[]> {
  const gone: Job[] = [];
  for (const { id } of yield* lost(tx)) {
    const [row] = yield* sql<JobRow>`
      update jobs set state = 'unknown', ended_at = ${tx.now} where team = ${tx.team} and id = ${id} and state = 'running' returning *`;
    if (!row) continue; // another process reported it first
    gone.push(toJob(row));
    yield* tell(tx, row, text(toJob(row)));
  }
  return gone;
}
