/** What a fork copies of its original, by the database itself. */

import type { Kind } from "../../../core/board/mail.ts";
import { type Event, type FactType, TASK_CHANGES } from "../../../core/event.ts";
import type { MailId, Name } from "../../../core/ids.ts";
import type { PointThen } from "../../../ports/fork.ts";
import { appendFacts } from "../journal.ts";
import { exec, type Op, parse, Raw, sql, type Tx, type Value } from "../sql.ts";

/**
 * The history that a fork has. Left out: use of models, calls, orders, runs, jobs, cron jobs, gates, and mail, whose letters have other
 * numbers in the fork.
 */
const HISTORY = [
  ...(["teammate.spawned", "teammate.changed", "teammate.phase"] as const),
  ...TASK_CHANGES,
  ...(["task.unblocked", "task.landed", "task.proposed", "task.signalled"] as const),
  ...(["task.drifted", "task.reviewed", "task.checked", "task.reopened"] as const),
  ...(["plan.submitted", "plan.answered", "question.asked", "question.answered"] as const),
  ...(["permission.asked", "permission.answered", "shutdown.asked", "shutdown.answered"] as const),
  ...(["request.withdrawn", "note.written", "note.changed", "memory.kept"] as const),
  ...(["board.held", "board.shown", "board.released"] as const),
] as const satisfies readonly FactType[];

type How = {
  /** Columns whose values the database gives. */
  readonly without?: readonly string[];
  /** SQL in place of a column of a row `x`. */
  readonly instead?: Readonly<Record<string, string>>;
  /** Begins with "and". Its parameters begin with $3, each is used once. */
  readonly where?: string;
  readonly params?: readonly Value[];
  readonly order?: string;
};

/** Rows of a table, for the team `to`. */
export function* copied(
  tx: Tx,
  to: Name,
  table: string,
  { without = [], instead = {}, where = "", params = [], order = "" }: How = {},
): Op<void> {
  const [one] = yield* sql`select * from ${new Raw(table)} where team = ${tx.team} limit 1`;
  if (!one) return;
  const columns = Object.keys(one).filter((column) => column !== "team" && !without.includes(column));
  const values = columns.map((column) => instead[column] ?? `x.${column}`);
  const text = `insert into ${table} (team, ${columns.join(", ")}) select $1, ${values.join(", ")} from ${table} x where x.team = $2 ${where} ${order}`;
  yield { text, params: [to, tx.team, ...params], blind: true };
}

/** The letters that were unread then, and those that a new member of the same name does not get: see `membersThen`. */
export const copyMail = (tx: Tx, fork: Tx, point: PointThen): Op<void> =>
  copied(tx, fork.team, "mail", {
    without: ["id"],
    instead: { state: "case x.state when 2 then 2 else 0 end", delivered_at: "null" },
    where: "and x.at <= $3 and (x.state <> 1 or x.delivered_at > $4)",
    params: [point.at, point.at],
    order: "order by x.id",
  });

/** Their facts. @returns their number */
export function* queueMail(fork: Tx): Op<number> {
  const queued = yield* sql<{ id: MailId; sender: Name; recipient: Name; kind: Kind }>`
    select id, sender, recipient, kind from mail where team = ${fork.team} order by id`;
  yield* appendFacts(
    fork,
    queued.map(({ id: mail, sender: from, recipient: to, kind }) => ({
      type: "mail.sent",
      mail,
      from,
      to,
      kind,
    })),
  );
  return queued.length;
}

/** Conversations and the journal. */
export function* copyTalk(tx: Tx, fork: Tx, point: PointThen, later: readonly Event[]): Op<void> {
  yield* conversations(tx, fork, point, later);
  const [last] = yield* sql<{ seq: number }>`select max(seq) as seq from events`;
  yield* copied(tx, fork.team, "events", {
    without: ["seq", "xid"],
    where: `and x.seq <= $3 and x.type in (${HISTORY.map((type) => `'${type}'`).join(", ")})`,
    params: [point.seq],
    order: "order by x.seq",
  });
  yield* notes(tx, fork, point, Number(last?.seq ?? 0));
}

/** A program of another vendor begins from text: its own conversation continues in the original. */
const NO_SESSION = `replace(x.entry, '"acp":{"session":"', '"acp":{"before":"')`;

/** Each since its last summary: what was before that, no model reads again. */
function* conversations(tx: Tx, fork: Tx, point: PointThen, later: readonly Event[]): Op<void> {
  const members = yield* sql<{ name: Name; life: number }>`
    select name, life from members where team = ${fork.team} order by joined_at, name`;
  for (const { name, life } of members) {
    const now = nameNow(name, later);
    const [summary] = yield* sql<{ seq: number }>`
      select seq from transcript where team = ${tx.team} and name = ${now} and life = ${life} and kind = 'summary' and at <= ${point.at}
      order by seq desc limit 1`;
    yield* copied(tx, fork.team, "transcript", {
      without: ["seq"],
      instead: { entry: NO_SESSION },
      where: "and x.name = $3 and x.life = $4 and x.at <= $5 and x.seq >= $6",
      params: [now, life, point.at, Number(summary?.seq ?? 0)],
      order: "order by x.seq",
    });
    if (now !== name)
      yield* exec`update transcript set name = ${name} where team = ${fork.team} and name = ${now}`;
  }
}

/** A row has the present name of its member. */
function nameNow(then: Name, later: readonly Event[]): Name {
  let name = then;
  for (const event of later)
    if (event.type === "teammate.changed" && event.who === name) name = event.name ?? name;
  return name;
}

/** The number of a note is that of its fact. `after`: the last fact before those of the fork. */
function* notes(tx: Tx, fork: Tx, point: PointThen, after: number): Op<void> {
  const changes = yield* sql<{ seq: number; data: string }>`
    select seq, data from events where team = ${fork.team} and seq > ${after} and type = 'note.changed'`;
  if (changes.length === 0) return;
  const old = yield* sql<{ seq: number }>`
    select seq from events where team = ${tx.team} and type = 'note.written' and seq <= ${point.seq} order by seq`;
  const now = yield* sql<{ seq: number }>`
    select seq from events where team = ${fork.team} and seq > ${after} and type = 'note.written' order by seq`;
  const moved = new Map(old.map(({ seq }, nth) => [Number(seq), Number(now[nth]?.seq)]));
  for (const { seq, data } of changes) {
    const fact = parse<{ note?: number }>(data, {});
    const changed = JSON.stringify({ ...fact, note: moved.get(Number(fact.note)) ?? 0 });
    yield* exec`update events set data = ${changed} where team = ${fork.team} and seq = ${seq}`;
  }
}
