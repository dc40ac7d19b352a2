/**
 * The tables of both databases. State tables are the truth; `events` is the record. Every table has the team as a column. JSON is
 * text and times are whole milliseconds, so that both databases agree. A change of the schema is a new entry of `MIGRATIONS`; old
 * entries are never edited.
 */

import type { Dialect, Op } from "../sql.ts";
import { indexByTask } from "../task-of-fact.ts";
import { columnsFromJournal, foldedRoles, proseTasks, tasksIntoFacts, textsOnce } from "./carry-over.ts";
import { NAMES, type Names } from "./columns.ts";
import { twentyFifth, twentySixth } from "./forge-tables.ts";
import { twentySecond, twentyThird } from "./landing-tables.ts";

/** "Ekdn": in the header of a SQLite file and in `meta` on both databases. */
export const APPLICATION_ID = 0x456b646e;

const first = ({ int, real, serial, strict, xid }: Names): string[] => [
  `create table teams (
    name text primary key,
    next_task ${int} not null default 1,
    quiet_mark ${int},
    created_at ${int} not null
  )${strict}`,
  `create table hosts (
    team text not null, id text not null, machine text not null, pid ${int} not null, lease_until ${int} not null,
    heard_at ${int} not null,
    primary key (team, id)
  )${strict}`,
  `create table members (
    team text not null, name text not null, kind text not null, role text not null, model text not null, prompt text not null,
    needs_plan ${int} not null, phase text not null, reason text, since ${int} not null,
    host text, heartbeat ${int}, kept_until ${int} not null default 0, joined_at ${int} not null, life ${int} not null default 0,
    turns ${int} not null default 0, input_tokens ${int} not null default 0, cached_tokens ${int} not null default 0,
    output_tokens ${int} not null default 0, usd ${real} not null default 0,
    primary key (team, name)
  )${strict}`,
  `create table tasks (
    team text not null, id ${int} not null, status text not null, subject text not null, description text not null,
    blocked_by text not null, open_blockers ${int} not null, priority ${int} not null, estimate ${real} not null,
    chain ${real} not null, role text not null, touches text not null, needs_plan ${int} not null,
    owner text, attempt ${int} not null default 0, tries ${int} not null default 0, version ${int} not null default 1,
    result text, reason text, last_failure text, created_by text not null, created_at ${int} not null,
    updated_at ${int} not null, started_at ${int}, ended_at ${int},
    primary key (team, id)
  )${strict}`,
  // "Ready" is a condition on the row: finding a task costs the same on any board, and PostgreSQL re-checks it after a lock wait.
  "create index tasks_ready on tasks (team, role, priority desc, chain desc, id) where status = 'pending' and open_blockers = 0",
  "create index tasks_claimed on tasks (team, owner) where status = 'in_progress'",
  `create table edges (
    team text not null, task ${int} not null, blocker ${int} not null,
    primary key (team, blocker, task)
  )${strict}`,
  "create index edges_up on edges (team, task, blocker)",
  `create table mail (
    id ${serial}, team text not null, sender text not null, recipient text not null, at ${int} not null, urgent ${int} not null,
    kind text not null, wakes ${int} not null, turn ${int} not null, body text not null, state ${int} not null default 0,
    delivered_at ${int}
  )${strict}`,
  // `turn` puts stop requests first, then urgent mail, then the rest, each in order of arrival. State 0: unread.
  "create index mail_unread on mail (team, recipient, turn, id) where state = 0",
  "create index mail_box on mail (team, recipient, id)",
  `create table transcript (
    seq ${serial}, team text not null, name text not null, life ${int} not null, at ${int} not null, kind text not null,
    entry text not null
  )${strict}`,
  "create index transcript_order on transcript (team, name, seq)",
  "create index transcript_summaries on transcript (team, name, life, seq) where kind = 'summary'",
  `create table requests (
    team text not null, id text not null, kind text not null, subject text not null, ask text not null, asker text not null,
    asked text not null, at ${int} not null, deadline ${int} not null, state text not null, answer text,
    primary key (team, id)
  )${strict}`,
  // The same question is open once, even if two processes ask it at once.
  "create unique index requests_open on requests (team, kind, asker, asked, subject) where state = 'open'",
  `create table events (
    seq ${serial}, ${xid} team text not null, at ${int} not null, type text not null, data text not null
  )${strict}`,
  // SQLite reads events by their number, which is the row id. An index would cost each writer a page.
  ...(xid ? ["create index events_order on events (team, xid, seq)"] : []),
];

const second = ({ int, strict }: Names): string[] => [
  `alter table teams add column next_job ${int} not null default 1`,
  `alter table teams add column next_cron ${int} not null default 1`,
  `create table jobs (
    team text not null, id ${int} not null, owner text not null, command text not null, state text not null, pid ${int},
    machine text not null, host text not null, started_at ${int} not null, ended_at ${int}, exit_code ${int},
    output_path text not null,
    primary key (team, id)
  )${strict}`,
  "create index jobs_running on jobs (team, host) where state = 'running'",
  `create table crons (
    team text not null, id ${int} not null, expression text not null, zone text not null, text text not null,
    recipient text not null, once ${int} not null, session text, created_by text not null, created_at ${int} not null,
    next_at ${int} not null, last_at ${int}, fired ${int} not null default 0,
    primary key (team, id)
  )${strict}`,
  "create index crons_due on crons (team, next_at)",
];

const OF_TEAMS = "hosts members tasks edges mail transcript requests events jobs crons".split(" ");

/**
 * PostgreSQL: no statistics on teams. A team newer than the last ANALYZE would be planned as empty: every index that begins with
 * the team would look equally good, and each step would read all rows of the team. (Setting the type again drops old statistics.)
 */
const third = ({ xid }: Names): string[] =>
  xid
    ? OF_TEAMS.map(
        (table) => `alter table ${table} alter column team type text, alter column team set statistics 0`,
      )
    : [];

const fourth = ({ int }: Names): string[] => [`alter table jobs add column task ${int}`];

const fifth = ({ int }: Names): Step[] => [
  `alter table tasks add column refusals ${int} not null default 0`,
  "alter table tasks add column landed text",
  "alter table tasks add column described_by text",
  columnsFromJournal,
];

/** Mail from a cron was of kind "alarm". Quotes inside a JSON string are escaped, so the pattern matches keys only. */
const sixth = (): Step[] => [
  `update mail set kind = 'cron', body = replace(body, '"kind":"alarm"', '"kind":"cron"') where kind = 'alarm'`,
  `update events set data = replace(data, '"kind":"alarm"', '"kind":"cron"')
    where type in ('mail.sent', 'mail.delivered') and data like '%"kind":"alarm"%'`,
];

/** PostgreSQL: the journal is read by snapshots (see journal.ts), from its beginning in the order of its numbers. */
const seventh = ({ xid }: Names): Step[] =>
  xid
    ? [
        "alter table events alter column xid drop default, alter column xid type xid8 using xid::text::xid8",
        "alter table events alter column xid set default pg_current_xact_id()",
        "create index events_numbered on events (team, seq)",
      ]
    : [];

/** `last_host` stays when `host` is cleared: only the last host of the lead records the end of a run. */
const eighth = (): Step[] => [
  "alter table members add column last_host text",
  "update members set last_host = host",
];

const ninth = (): Step[] => [foldedRoles];

/** The role of a task that is kept for one teammate (see assign.ts). */
const tenth = (): Step[] => ["alter table tasks add column asked_role text"];

/** `version`: that of the program. `capacity`: the number of members that a worker takes; `adopts`: whether also those of the lead. */
const eleventh = ({ int }: Names): Step[] => [
  "alter table hosts add column version text not null default ''",
  `alter table hosts add column capacity ${int} not null default 0`,
  `alter table hosts add column adopts ${int} not null default 0`,
];

/** A lead that is not woken by reports has thousands of unread mails: it must find those that wake it without reading the others. */
const twelfth = (): Step[] => [
  "create index mail_waking on mail (team, recipient, turn, id) where state = 0 and wakes = 1",
];

/** By which a process sees whether another one lives: see adapters/process-identity. */
const thirteenth = (): Step[] => ["alter table hosts add column identity text not null default ''"];

/** `lands`: the settings of landings that all hosts of a team must have alike, as JSON; "" for a process without them. */
const fourteenth = ({ int, strict, xid }: Names): Step[] => [
  "alter table hosts add column lands text not null default ''",
  `create table reservations (
    team text not null, branch text not null, repository text not null, target text not null, task ${int} not null,
    created_at ${int} not null, paths text not null, why text not null, refusals ${int} not null, since ${int} not null,
    alone_until ${int} not null, held_until ${int} not null,
    primary key (team, branch)
  )${strict}`,
  ...(xid ? ["alter table reservations alter column team set statistics 0"] : []),
];

/**
 * Frequent look-ups cost the same however much a team has done. In `edges` both indexes began with the team, so that a completion on
 * PostgreSQL read all edges of its team (see `third`). SQLite has no further indexes of tasks, because boards are smaller there and
 * each claim pays for them: 12 % for these three, median of 20 pairs of measurements.
 */
const fifteenth = ({ xid }: Names): Step[] => [
  "create index jobs_owned on jobs (team, owner, id)",
  "create index requests_plans on requests (team, subject) where kind = 'plan'",
  ...(xid
    ? [
        "create index tasks_kept on tasks (team, role) where role like '@%'",
        "create index tasks_blocked on tasks (team, id) where status = 'pending' and open_blockers > 0",
        "create index tasks_dead on tasks (team, id) where status in ('failed', 'cancelled')",
        "alter table edges drop constraint edges_pkey, add primary key (blocker, team, task)",
        "drop index edges_up",
        "create index edges_up on edges (task, team, blocker)",
      ]
    : []),
];

/** The runbook of a task (`NewTask.runbook`); null for tasks of older versions, and for all others. */
const sixteenth = (): Step[] => ["alter table tasks add column runbook text"];

/** `prose`: it holds no block that can be run. `blocks_of`: the member claims such tasks of this runbook only; null in `members`: anything. */
const seventeenth = ({ int }: Names): Step[] => [
  `alter table tasks add column prose ${int} not null default 0`,
  "alter table members add column blocks_of text",
  proseTasks,
];

/** `parent`: the task from which it comes. `split`: the parts of a task that its owner has split, as JSON. */
const eighteenth = ({ int }: Names): Step[] => [
  `alter table tasks add column parent ${int}`,
  "alter table tasks add column split text",
];

/** From here on the journal alone says what is on the board. */
const nineteenth = (): Step[] => [tasksIntoFacts];

/** Earlier descriptions of tasks, so that each text is stored once (see texts.ts). */
const twentieth = ({ int, strict, xid }: Names): Step[] => [
  `create table texts (
    team text not null, task ${int} not null, nth ${int} not null, at ${int} not null, text text not null,
    primary key (team, task, nth)
  )${strict}`,
  ...(xid ? ["alter table texts alter column team set statistics 0"] : []),
  textsOnce,
];

/** `note`: the last words of a member that cannot work. `logins`: the windows of logins of agent programs (see logins.ts). */
const twentyFirst = ({ int, real, strict, xid }: Names): Step[] => [
  "alter table members add column note text",
  `create table logins (
    team text not null, program text not null, login text not null, machine text not null, kind text not null, used ${real},
    resets_at ${int}, source text not null, at ${int} not null,
    primary key (team, program, login, machine, kind)
  )${strict}`,
  ...(xid ? ["alter table logins alter column team set statistics 0"] : []),
];

/** Blocks of ports that worktrees on a machine have (see port-blocks.ts). */
const twentyFourth = ({ int, strict, xid }: Names): Step[] => [
  `create table port_blocks (
    machine text not null, block ${int} not null, team text not null, task ${int} not null, host text not null,
    primary key (machine, block)
  )${strict}`,
  ...(xid ? ["alter table port_blocks alter column team set statistics 0"] : []),
];

/** What checks, reviews and landings said of a task is found without its whole journal. */
const twentySeventh = ({ xid }: Names): Step[] => [indexByTask(xid ? "postgres" : "sqlite")];

/** A statement, or an operation on the rows. */
export type Step = string | (() => Op<void>);

const MIGRATIONS: readonly ((names: Names) => Step[])[] = [
  first,
  second,
  third,
  fourth,
  fifth,
  sixth,
  seventh,
  eighth,
  ninth,
  tenth,
  eleventh,
  twelfth,
  thirteenth,
  fourteenth,
  fifteenth,
  sixteenth,
  seventeenth,
  eighteenth,
  nineteenth,
  twentieth,
  twentyFirst,
  twentySecond,
  twentyThird,
  twentyFourth,
  twentyFifth,
  twentySixth,
  twentySeventh,
];

/** The version that this program writes. */
export const SCHEMA = MIGRATIONS.length;

const stepsOf = (migrations: typeof MIGRATIONS, dialect: Dialect): Step[] =>
  migrations.flatMap((steps) => steps(NAMES[dialect.name]));

/** The steps from an older version to this one, in order. */
export const stepsFrom = (version: number, dialect: Dialect): Step[] =>
  stepsOf(MIGRATIONS.slice(version), dialect);

/** The steps that make the tables of a version, in order. */
export const stepsTo = (version: number, dialect: Dialect): Step[] =>
  stepsOf(MIGRATIONS.slice(0, version), dialect);
