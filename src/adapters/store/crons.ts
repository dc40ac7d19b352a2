/**
 * Crons. One transaction moves a due cron to its next time (or removes it) and writes its mail or its task. Where several processes
 * see it due, only the first one that locks its row fires it.
 */

import { checkText } from "../../core/board/mail.ts";
import { checkTask, type NewTask, SUBJECT_MAX } from "../../core/board/task.ts";
import { badInput, messageOf, notFound } from "../../core/errors.ts";
import {
  type CronId,
  HARNESS,
  type HostId,
  type Instant,
  LEAD,
  type Name,
  PERSON,
  type TaskId,
} from "../../core/ids.ts";
import { cutEnd } from "../../core/text/valid.ts";
import { cronText, LATE_MS } from "../../core/text/zone.ts";
import type { Cron, Crons, Firing, NewCron } from "../../ports/crons.ts";
import { appendFacts } from "./journal.ts";
import type { Session } from "./session.ts";
import { exec, type Op, Raw, sql, type Tx } from "./sql.ts";
import { post, reachable } from "./talk/mail.ts";
import { addAll, prepareBatch } from "./tasks/add.ts";

type CronRow = {
  readonly id: CronId;
  readonly expression: string;
  readonly zone: string;
  readonly text: string;
  /** "" for a new task. */
  readonly recipient: Name | "";
  readonly once: number;
  readonly session: HostId | null;
  readonly created_by: Name;
  readonly created_at: Instant;
  readonly next_at: Instant;
  readonly last_at: Instant | null;
  readonly fired: number;
};

const toCron = (row: CronRow): Cron => ({
  id: row.id,
  expression: row.expression,
  zone: row.zone,
  text: row.text,
  target: row.recipient === "" ? { kind: "task" } : { kind: "mail", to: row.recipient },
  once: row.once === 1,
  session: row.session,
  by: row.created_by,
  createdAt: row.created_at,
  nextAt: row.next_at,
  lastAt: row.last_at,
  fired: row.fired,
});

export function crons(session: Session): Crons {
  return {
    add: async (cron, by) => {
      checkText(cron.text);
      if (cron.target.kind === "task") checkTask(taskOf(cron.text, ""));
      const timetable = await import("../../core/board/cron.ts");
      return session.write((tx) => add(tx, timetable, cron, by));
    },
    list: () => session.look((tx) => living(tx)),
    cancel: (id, by) => session.write((tx) => cancel(tx, id, by)),
    fire: async () => {
      const [due] = await session.look(function* (tx) {
        return yield* sql`select id from crons c where team = ${tx.team} and (next_at <= ${tx.now}
          or ${RECKONED_AT} > ${tx.now + LATE_MS} or (session is not null
          and not exists (select 1 from hosts h where h.team = c.team and h.id = c.session))) limit 1`;
      });
      if (!due) return [];
      const timetable = await import("../../core/board/cron.ts");
      return session.write((tx) => fire(tx, timetable));
    },
  };
}

/** Loaded before the transaction, which cannot wait for it. */
type Timetable = typeof import("../../core/board/cron.ts");

function* add(tx: Tx, { nextRun, parseCron }: Timetable, wanted: NewCron, by: Name): Op<Cron> {
  const { zone, text, target, once, session } = wanted;
  const expression = parseCron(wanted.expression);
  const nextAt = nextRun(expression, tx.now, zone);
  if (nextAt === null)
    throw badInput(`The cron expression "${expression}" does not fire in the coming years.`);
  if (target.kind === "mail") yield* reachable(tx, target.to);
  const [next] = yield* sql<{ id: CronId }>`
    update teams set next_cron = next_cron + 1 where name = ${tx.team} returning next_cron - 1 as id`;
  if (!next) throw notFound(`Team "${tx.team}" no longer exists.`);
  const recipient = target.kind === "mail" ? target.to : "";
  const [row] = yield* sql<CronRow>`
    insert into crons (team, id, expression, zone, text, recipient, once, session, created_by, created_at, next_at)
    values (${tx.team}, ${next.id}, ${expression}, ${zone}, ${text}, ${recipient}, ${Number(once)}, ${session}, ${by}, ${tx.now}, ${nextAt})
    returning *`;
  yield* appendFacts(tx, [{ type: "cron.added", cron: next.id, by, expression, text: cutEnd(text, 200) }]);
  return toCron(row as CronRow);
}

function* living(tx: Tx): Op<Cron[]> {
  const rows = yield* sql<CronRow>`
    select * from crons c where team = ${tx.team} and (session is null
      or exists (select 1 from hosts h where h.team = c.team and h.id = c.session)) order by next_at, id`;
  return rows.map(toCron);
}

function* cancel(tx: Tx, id: CronId, by: Name): Op<Cron> {
  const [row] = yield* sql<CronRow>`delete from crons where team = ${tx.team} and id = ${id} returning *`;
  if (!row) {
    const ids = (yield* living(tx)).map((cron) => `c${cron.id}`);
    throw notFound(
      `There is no cron c${id}. ${ids.length > 0 ? `There are: ${ids.join(", ")}.` : "There are none."}`,
    );
  }
  yield* appendFacts(tx, [{ type: "cron.cancelled", cron: id, by }]);
  return toCron(row);
}

function* fire(tx: Tx, timetable: Timetable): Op<Firing[]> {
  const ended = yield* sql<{ id: CronId }>`
    delete from crons where team = ${tx.team} and session is not null and session not in
      (select id from hosts where team = ${tx.team}) returning id`;
  yield* appendFacts(
    tx,
    ended.map(({ id }) => ({ type: "cron.cancelled", cron: id, by: null })),
  );
  yield* afterSetBack(tx, timetable);
  const due = yield* sql<CronRow>`
    select * from crons where team = ${tx.team} and next_at <= ${tx.now} order by next_at, id ${tx.dialect.forUpdate}`;
  const firings: Firing[] = [];
  for (const row of due) {
    if (!(yield* move(tx, timetable, row))) continue;
    const late = tx.now - row.next_at > LATE_MS;
    const said = cronText(row.text, late ? { dueAt: row.next_at, zone: row.zone } : null);
    const { to, task } = yield* row.recipient === "" ? taskFrom(tx, row, said) : mailFrom(tx, row, said);
    yield* appendFacts(tx, [{ type: "cron.fired", cron: row.id, to, task, late }]);
    firings.push({ cron: toCron(row), dueAt: row.next_at, late, task, to });
  }
  return firings;
}

/** The time at which its next run was calculated. */
const RECKONED_AT = new Raw("coalesce(last_at, created_at)");

/** The clock was wrong and has been set back: a cron that waits for a time of the wrong clock would not fire for as long. */
function* afterSetBack(tx: Tx, timetable: Timetable): Op<void> {
  const rows = yield* sql<CronRow>`
    select * from crons where team = ${tx.team} and ${RECKONED_AT} > ${tx.now + LATE_MS} order by id ${tx.dialect.forUpdate}`;
  for (const row of rows) {
    const next = yield* following(tx, timetable, row);
    if (next === null) yield* exec`delete from crons where team = ${tx.team} and id = ${row.id}`;
    else if (next < row.next_at)
      yield* exec`update crons set next_at = ${next}, last_at = ${tx.now} where team = ${tx.team} and id = ${row.id}`;
  }
}

/** Moves it to its next time, or removes it. False when another process has done that. Missed firings are not made up for. */
function* move(tx: Tx, timetable: Timetable, row: CronRow): Op<boolean> {
  const next = row.once === 1 ? null : yield* following(tx, timetable, row);
  const moved =
    next === null
      ? yield* sql`delete from crons where team = ${tx.team} and id = ${row.id} and next_at = ${row.next_at} returning id`
      : yield* sql`
          update crons set next_at = ${next}, last_at = ${tx.now}, fired = fired + 1
          where team = ${tx.team} and id = ${row.id} and next_at = ${row.next_at} returning id`;
  return moved.length > 0;
}

/** Null when it is never due again, or cannot be calculated here (a time zone that this system does not know). */
function* following(tx: Tx, { nextRun, parseCron }: Timetable, row: CronRow): Op<Instant | null> {
  try {
    return nextRun(parseCron(row.expression), tx.now, row.zone);
  } catch (error) {
    const text = `The cron c${row.id} fires for the last time: ${messageOf(error)}`;
    yield* appendFacts(tx, [{ type: "warning.raised", who: null, text }]);
    return null;
  }
}

type Outcome = { readonly to: Name | null; readonly task: TaskId | null };

function* mailFrom(tx: Tx, row: CronRow, text: string): Op<Outcome> {
  const meant = row.recipient as Name;
  const [member] = yield* sql<{ phase: string }>`
    select phase from members where team = ${tx.team} and name = ${meant}`;
  const there = meant === LEAD || meant === PERSON || (member !== undefined && member.phase !== "shutdown");
  const to = there ? meant : LEAD;
  const note = there ? text : `[for ${meant}, who has stopped]\n${text}`;
  yield* post(tx, [{ from: HARNESS, to, body: { kind: "cron", cron: `c${row.id}`, text: note } }]);
  return { to, task: null };
}

/** A task of its author; it comes from the task on which its author worked when it set the cron job. */
function* taskFrom(tx: Tx, row: CronRow, text: string): Op<Outcome> {
  const by = row.created_by === PERSON ? HARNESS : row.created_by;
  const [from] = yield* sql<{ id: TaskId }>`
    select id from tasks where team = ${tx.team} and owner = ${by} and started_at <= ${row.created_at} order by started_at desc, id desc limit 1`;
  const wanted = { ...taskOf(row.text, text), ...(from && { parent: from.id }) };
  const [task] = yield* addAll(tx, prepareBatch([wanted]), by);
  return { to: null, task: task?.id ?? null };
}

/** The subject is the first line. A longer text also becomes the description. */
function taskOf(text: string, said: string): NewTask {
  const subject = cutEnd(text.trim().split("\n")[0]?.trim() ?? "", SUBJECT_MAX);
  return { subject, ...(said.trim() !== subject && { description: said }) };
}
