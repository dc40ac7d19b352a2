/**
 * Tells the lead, once per state of the board, that nothing can continue by itself. One statement checks all conditions, so on one
 * snapshot: between two statements a task in progress could become a mail for the lead, and neither would be seen.
 *
 * A command that a teammate started for a task does not count by itself: its task counts while it is in progress, and a server that
 * was left running must not keep the team busy. All other commands count while they run, because their owner waits for the mail.
 *
 * A run beside an open terminal puts its tasks on the board before its teammates join: the lead of the terminal is not told in between.
 *
 * Teammates whose host lost its lease count for another lease: a process that was frozen takes them back.
 */

import { showJob } from "../../../core/board/job.ts";
import { BUSY_REASONS } from "../../../core/board/lifecycle.ts";
import { HARNESS, type JobId, LEAD, type Name, type TaskId } from "../../../core/ids.ts";
import { oneLine } from "../../../core/text/one-line.ts";
import type { Session } from "../session.ts";
import { atMost, exec, type Op, Raw, sql, type Tx } from "../sql.ts";
import { post } from "../talk/mail.ts";
import { JOINING } from "../team/place.ts";
import { counts } from "./counts.ts";
import type { TaskRow } from "./task-row.ts";

type Judgement = { readonly busy: number };
/** One parameter for a list of any length; no reason contains a space. */
const BUSY = ` ${BUSY_REASONS.join(" ")} `;

/** A condition on a task `t`: a member `m` that only runs blocks may claim it. */
const FIT = new Raw("(m.blocks_of is null or t.prose = 0 or t.runbook = m.blocks_of)");

function* isBusy(tx: Tx): Op<boolean> {
  const [judged] = yield* sql<Judgement>`
    select case when
      exists (select 1 from tasks where team = ${tx.team} and status = 'in_progress')
      or exists (select 1 from members where team = ${tx.team} and host is not null and (phase = 'work' or (phase = 'idle' and ${BUSY} like '% ' || reason || ' %')))
      or exists (select 1 from hosts where team = ${tx.team} and capacity = ${JOINING} and lease_until > ${tx.leaseClock})
      or exists (select 1 from jobs where team = ${tx.team} and state = 'running' and (task is null or owner = ${LEAD}))
      or exists (select 1 from mail x join members m on m.team = x.team and m.name = x.recipient
        where x.team = ${tx.team} and x.state = 0 and x.wakes = 1 and x.kind <> 'idle_notice' and m.host is not null and m.phase <> 'shutdown' and coalesce(m.reason, '') not in ('cannot_work', 'at_limit'))
      or exists (select 1 from members m where m.team = ${tx.team} and m.kind = 'teammate' and (m.host is not null or m.kept_until > ${tx.leaseClock}) and m.phase <> 'shutdown'
        and not (m.phase = 'idle' and m.reason = 'repeating')
        and (exists (select 1 from tasks t where t.team = m.team and t.role = '' and t.status = 'pending' and t.open_blockers = 0 and ${FIT})
          or exists (select 1 from tasks t where t.team = m.team and t.role = '@' || m.name and t.status = 'pending' and t.open_blockers = 0 and ${FIT})
          or exists (select 1 from tasks t where t.team = m.team and t.role = m.role and t.status = 'pending' and t.open_blockers = 0 and ${FIT})))
      then 1 else 0 end as busy`;
  return judged?.busy === 1;
}

export async function announceQuiet(session: Session): Promise<"told" | "quiet" | "busy"> {
  const before = await session.read(judge);
  return before === "news" ? session.write(tell) : before;
}

type State = "news" | "quiet" | "busy";

function* judge(tx: Tx): Op<State> {
  if (yield* isBusy(tx)) return "busy";
  const { mark, told } = yield* marks(tx);
  return mark === 0 || mark === told ? "quiet" : "news";
}

/** Every change of a task increments its version and no task is ever removed, so the sum identifies the state of the board. */
function* marks(tx: Tx): Op<{ mark: number; told: number | null }> {
  const [row] = yield* sql<{ mark: number; told: number | null }>`
    select (select coalesce(sum(version), 0) from tasks where team = ${tx.team}) as mark,
      (select quiet_mark from teams where name = ${tx.team}) as told`;
  return { mark: Number(row?.mark ?? 0), told: row?.told ?? null };
}

function* tell(tx: Tx): Op<"told" | "quiet" | "busy"> {
  yield* exec`select name from teams where name = ${tx.team} ${tx.dialect.forUpdate}`;
  const state = yield* judge(tx);
  if (state !== "news") return state;
  const { mark } = yield* marks(tx);
  yield* exec`update teams set quiet_mark = ${mark} where name = ${tx.team}`;
  const left = yield* running(tx);
  const body = {
    kind: "board_quiet",
    counts: yield* counts(tx),
    unfinished: yield* unfinished(tx),
    ...(left.length > 0 && { running: left }),
  } as const;
  yield* post(tx, [{ from: HARNESS, to: LEAD, body }]);
  return "told";
}

const SHOWN = 50;
/** The characters of a command that are shown. */
const COMMAND_SHOWN = 200;

function* running(tx: Tx): Op<{ job: string; owner: Name; command: string }[]> {
  const rows = yield* sql<{ id: JobId; owner: Name; command: string }>`
    select id, owner, command from jobs where team = ${tx.team} and state = 'running' order by id limit ${atMost(SHOWN)}`;
  return rows.map(({ id, owner, command }) => ({
    job: showJob(id),
    owner,
    command: oneLine(command, COMMAND_SHOWN),
  }));
}

function* unfinished(tx: Tx): Op<{ id: TaskId; subject: string; why: string }[]> {
  const rows = yield* sql<TaskRow>`
    select * from tasks where team = ${tx.team} and status in ('pending', 'failed') order by id limit ${atMost(SHOWN)}`;
  const list = [];
  for (const row of rows) list.push({ id: row.id, subject: row.subject, why: yield* reason(tx, row) });
  return list;
}

function* reason(tx: Tx, row: TaskRow): Op<string> {
  if (row.status === "failed") return `failed: ${row.reason}`;
  if (row.open_blockers === 0) {
    const [member] = yield* sql<{ name: Name }>`
      select name from members where team = ${tx.team} and kind = 'teammate' and phase <> 'shutdown' and host is not null limit 1`;
    if (!member) return "ready, but there is no teammate to claim it";
    const able = yield* sql`
      select m.name from members m join tasks t on t.team = m.team and t.id = ${row.id}
      where m.team = ${tx.team} and m.kind = 'teammate' and m.phase <> 'shutdown' and m.host is not null and ${FIT} limit 1`;
    if (able.length === 0) return "ready, but it has no block that can be run, so it needs a model";
    if (row.role.startsWith("@"))
      return `ready, but assigned to ${row.role.slice(1)}, which does not take it`;
    return row.role === "" ? "ready" : `ready, but no teammate has the role "${row.role}"`;
  }
  const blockers = yield* sql<{ id: number; status: string }>`
    select t.id, t.status from edges e join tasks t on t.team = e.team and t.id = e.blocker
    where e.team = ${tx.team} and e.task = ${row.id} and t.status <> 'completed' order by t.id`;
  const names = blockers.map((one) => `#${one.id} (${one.status.replace("_", " ")})`).join(", ");
  return `waits for ${names}`;
}
