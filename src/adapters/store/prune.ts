/**
 * Deletes old facts and old parts of conversations, in small transactions, so that a team at work waits a few milliseconds at most.
 * State stays: tasks, members, mail, requests, and notes, which are facts. So does the history of unfinished tasks, and all that a member may still read.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Instant, Name } from "../../core/ids.ts";
import type { Pruned } from "../../ports/store.ts";
import { appendFacts } from "./journal.ts";
import type { Session } from "./session.ts";
import { exec, type Op, Raw, sql, type Tx } from "./sql.ts";
import { TASK } from "./task-of-fact.ts";

/** Rows of one transaction, and the pause after it, in which others write. */
const BATCH = 1_000;
const PAUSE_MS = 5;

type Part = "events" | "transcript";

/** `by`: null only counts. */
export async function prune(session: Session, before: Instant, by: Name | null): Promise<Pruned> {
  const newest = await session.look(newestFact);
  const counted = { events: 0, transcript: 0 };
  for (const part of ["events", "transcript"] as const)
    counted[part] = await session.look((tx) => count(tx, part, before));
  if (by !== null && counted.events + counted.transcript > 0) {
    // First: SQLite gives the highest numbers out again once they are deleted, and followers would miss the facts that get them.
    await session.write((tx) => appendFacts(tx, [{ type: "journal.pruned", before, by }]));
    for (const part of ["events", "transcript"] as const)
      counted[part] = await removeAll(session, part, before);
    // The facts that name a text are older than the change that replaced it.
    await session.write((tx) => removeTexts(tx, before));
  }
  return { facts: counted.events, entries: counted.transcript, newest };
}

function* newestFact(tx: Tx): Op<Instant | null> {
  const [row] = yield* sql<{ at: Instant }>`
    select at from events where team = ${tx.team} order by seq desc limit 1`;
  return row?.at ?? null;
}

async function removeAll(session: Session, part: Part, before: Instant): Promise<number> {
  const until = await session.look((tx) => lastOld(tx, part, before));
  let removed = 0;
  for (let after = 0; ; ) {
    const seqs = await session.write((tx) => removeSome(tx, part, before, after, until));
    removed += seqs.length;
    if (seqs.length < BATCH) return removed;
    after = Math.max(...seqs);
    await pause(PAUSE_MS);
  }
}

/** The place behind which nothing is old, so that the last transaction does not read to the end of the table. */
function* lastOld(tx: Tx, part: Part, before: Instant): Op<number> {
  const [row] = yield* sql<{ seq: number | null }>`
    select max(seq) as seq from ${new Raw(part)} where team = ${tx.team} and at < ${before}`;
  return Number(row?.seq ?? 0);
}

function* count(tx: Tx, part: Part, before: Instant): Op<number> {
  const [row] = yield* sql<{ number: number }>`
    select count(*) as number from ${new Raw(part)} x where x.team = ${tx.team} and x.at < ${before} and ${goes(tx, part)}`;
  return Number(row?.number ?? 0);
}

function* removeSome(tx: Tx, part: Part, before: Instant, after: number, until: number): Op<number[]> {
  const rows = yield* sql<{ seq: number }>`
    delete from ${new Raw(part)} where seq in (
      select x.seq from ${new Raw(part)} x
      where x.team = ${tx.team} and x.seq > ${after} and x.seq <= ${until} and x.at < ${before} and ${goes(tx, part)}
      order by x.seq limit ${BATCH})
    returning seq`;
  return rows.map(({ seq }) => Number(seq));
}

function* removeTexts(tx: Tx, before: Instant): Op<void> {
  yield* exec`
    delete from texts where team = ${tx.team} and at < ${before} and not exists
      (select 1 from tasks t where t.team = texts.team and t.id = texts.task and ${new Raw(UNFINISHED)})`;
}

const goes = (tx: Tx, part: Part): Raw => GOES[part][tx.dialect.name];

/** The member of a conversation `x`: that of the subagent "alice/1" is alice. */
const MEMBER = {
  sqlite: "case instr(x.name, '/') when 0 then x.name else substr(x.name, 1, instr(x.name, '/') - 1) end",
  postgres: "split_part(x.name, '/', 1)",
};
const UNFINISHED = "t.status in ('pending', 'in_progress')";
const oldFact = (task: string): Raw =>
  new Raw(
    `x.type not in ('team.created', 'team.forked', 'note.written', 'note.changed', 'board.held', 'board.released') and not exists (select 1 from tasks t where t.team = x.team and t.id = ${task} and ${UNFINISHED})`,
  );
/**
 * Entries that no member reads again: of an earlier life, before a summary, or of a teammate that has stopped while the whole board is
 * finished (otherwise `resume` may bring it back). A member that holds a task keeps all its entries.
 */
const oldEntry = (member: string): Raw =>
  new Raw(`exists (select 1 from members m where m.team = x.team and m.name = ${member}
    and not exists (select 1 from tasks t where t.team = m.team and t.owner = m.name and t.status = 'in_progress')
    and (x.life < m.life
      or x.seq < (select max(s.seq) from transcript s where s.team = x.team and s.name = x.name and s.life = x.life and s.kind = 'summary')
      or (m.kind = 'teammate' and m.phase = 'shutdown'
        and not exists (select 1 from tasks t where t.team = m.team and ${UNFINISHED}))))`);
const GOES: Readonly<Record<Part, Readonly<Record<"sqlite" | "postgres", Raw>>>> = {
  events: { sqlite: oldFact(TASK.sqlite), postgres: oldFact(TASK.postgres) },
  transcript: { sqlite: oldEntry(MEMBER.sqlite), postgres: oldEntry(MEMBER.postgres) },
};
