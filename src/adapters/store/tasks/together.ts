/**
 * Claims and completions on PostgreSQL. Those of several members of one process share a transaction: two round trips and one commit
 * for all of them, whatever their number.
 *
 * One refusal undoes the transaction, and each of them is then done alone. So every member gets the same answer as without the others.
 */

import type { Seat } from "../../../core/board/member.ts";
import type { Claimed } from "../../../core/board/task.ts";
import type { Entry } from "../../../core/conversation/chat.ts";
import type { Fact } from "../../../core/event.ts";
import type { Name, TaskId } from "../../../core/ids.ts";
import type { Held } from "../../../ports/held.ts";
import { Group } from "../databases/group.ts";
import { appendFacts } from "../journal.ts";
import type { Session } from "../session.ts";
import { type Asking, listed, type Op, query, type Tx } from "../sql.ts";
import { type Appended, appendAll } from "../talk/entries.ts";
import { checked, type SeatRow } from "../team/seat.ts";
import { claimFact, type MakeEntry } from "./claim.ts";
import { BY_INDEX, READY, type Take, takeBest } from "./claim-next.ts";
import { factsOf, stale } from "./finish.ts";
import { type Freed, readyAmong, unblocking } from "./graph.ts";
import { withParts } from "./parts.ts";
import { claimOf, SEEN, type SeenRow, type TaskRow } from "./task-row.ts";

/** A member that wants the first ready task. */
type Claimer = { readonly seat: Seat; readonly entry: MakeEntry | undefined };
type MakeAnswer = (ready: readonly TaskId[]) => Entry;
type Completion = Held & { readonly result: string; readonly entry: MakeAnswer | undefined };
type Item = Claimer | Completion;
/** A claim; the tasks that a completion made ready. */
type Answer = Claimed | null | TaskId[];

const isCompletion = (item: Item): item is Completion => "result" in item;

export class Together {
  private readonly session: Session;
  private readonly group: Group<Item, Answer>;

  constructor(session: Session) {
    this.session = session;
    this.group = new Group({
      run: (items) =>
        session.write(
          (tx): Op<Answer[]> =>
            items.every(isCompletion) ? completeAll(tx, items) : claimAll(tx, items as readonly Claimer[]),
        ),
      keyOf: ({ seat }) => seat.name,
      kindOf: (item) => (isCompletion(item) ? "complete" : "claim"),
    });
  }

  async complete(held: Held, result: string, entry?: MakeAnswer): Promise<TaskId[]> {
    return (await this.group.ask({ ...held, result, entry })) as TaskId[];
  }

  readonly take: Take = async (way, seat, entry) =>
    way === "first"
      ? ((await this.group.ask({ seat, entry })) as Claimed | null)
      : this.session.write((tx) => takeBest(tx, seat, entry));
}

/** @throws `stale_seat` | `stale_claim` (of any of them) */
function* completeAll(tx: Tx, completions: readonly Completion[]): Op<TaskId[][]> {
  const [members, finished, freed] = (yield [
    lockMembers(tx, completions),
    finish(tx, completions),
    unblocking(
      tx,
      completions.map(({ task }) => task),
    ),
  ]) as unknown as [Locked[], Finished[], Freed[]];
  const lives = livesOf(completions, members);
  const ready = readyAmong(freed);
  const said: Appended[] = [];
  const facts: Fact[] = [];
  const answers = new Map<Completion, TaskId[]>();
  // In the order of the tasks, a task becomes ready by the last of the completed ones that blocked it.
  for (const one of completions.toSorted((a, b) => a.task - b.task)) {
    const { seat, task, result, entry } = one;
    const row = finished.find(({ id, owner }) => id === task && owner === seat.name);
    if (!row) throw yield* stale(tx, one);
    const mine = ready.filter(({ by }) => by === task).map(({ id }) => id);
    if (entry) said.push({ name: seat.name, life: lives.get(seat.name) ?? 0, entry: entry(mine) });
    facts.push(...factsOf(tx, row, seat.name, result, mine));
    answers.set(one, mine);
  }
  yield* appendAll(tx, said);
  yield* appendFacts(tx, facts);
  return completions.map((one) => answers.get(one) ?? []);
}

/** @throws `stale_seat` (of any of them) */
function* claimAll(tx: Tx, asks: readonly Claimer[]): Op<(Claimed | null)[]> {
  const [members, rows] = (yield [lockMembers(tx, asks), takeFirsts(tx, asks)]) as unknown as [
    Locked[],
    Taken[],
  ];
  const lives = livesOf(asks, members);
  const said: Appended[] = [];
  const facts: Fact[] = [];
  const answers: (Claimed | null)[] = [];
  for (const {
    seat: { name },
    entry,
  } of asks) {
    const row = rows.find(({ owner }) => owner === name);
    const claim = row ? claimOf(row, row.attempt, name, tx.now) : null;
    const task = claim?.split ? yield* withParts(tx, claim) : claim;
    answers.push(task);
    if (!task) continue;
    if (entry) said.push({ name, life: lives.get(name) ?? 0, entry: entry(task) });
    facts.push(claimFact(task));
  }
  yield* appendAll(tx, said);
  yield* appendFacts(tx, facts);
  return answers;
}

type Locked = SeatRow & { readonly name: Name };
const namesOf = (items: readonly Item[]): string => listed(items.map(({ seat }) => seat.name));

const lockMembers = (tx: Tx, items: readonly Item[]): Asking<Locked> => query`
    select name, kind, role, host, life, blocks_of from members where team = ${tx.team} and name = any(${namesOf(items)}::text[]) order by name for update`;

function livesOf(items: readonly Item[], members: readonly Locked[]): Map<Name, number> {
  const rows = new Map(members.map((row) => [row.name, row]));
  return new Map(
    items.map(({ seat }) => {
      const row = rows.get(seat.name);
      return [seat.name, checked(seat, row ? [row] : []).life];
    }),
  );
}

type Finished = Pick<TaskRow, "id" | "subject" | "touches" | "attempt"> & { readonly owner: Name };

/** Locked in the order of ids, as by all operations that lock several tasks. */
function finish(tx: Tx, completions: readonly Completion[]): Asking<Finished> {
  const ids = `{${completions.map(({ task }) => task).join(",")}}`;
  const attempts = `{${completions.map(({ attempt }) => attempt).join(",")}}`;
  const results = listed(completions.map(({ result }) => result));
  // `status || ''` keeps the planner from the index of the tasks in progress: it would read those of the whole team.
  return query`
    with held as materialized (
      select id from tasks where team = ${tx.team} and id = any(${ids}::bigint[]) and status || '' = 'in_progress'
        and owner = (${namesOf(completions)}::text[])[array_position(${ids}::bigint[], id)]
        and attempt = (${attempts}::bigint[])[array_position(${ids}::bigint[], id)]
      order by id for update)
    update tasks set status = 'completed', result = (${results}::text[])[array_position(${ids}::bigint[], id)], ended_at = ${tx.now},
      updated_at = ${tx.now}, version = version + 1
    where team = ${tx.team} and id = any(array(select id from held))
    returning id, subject, touches, owner, attempt`;
}

type Taken = SeenRow & { readonly owner: Name };

/**
 * The first ready tasks without a role, the best one for the member that asked first. Members that have a task, or for whom one is
 * kept, get none. It skips tasks that another transaction has locked, and stops before a task with files.
 *
 * Values that the update needs are computed before it, as arrays: PostgreSQL may check a row again after it has changed, and would
 * then run the parts of the statement again that depend on the row.
 */
const takeFirsts = (tx: Tx, asks: readonly Claimer[]): Asking<Taken> => query`
    with free as materialized (
      select array_agg(s.name order by s.nth) as names from unnest(${namesOf(asks)}::text[]) with ordinality s (name, nth)
      where (select b.id from tasks b where b.team = ${tx.team} and b.owner = s.name and b.status = 'in_progress' limit 1) is null
        and (select r.id from tasks r where r.team = ${tx.team} and r.role = '@' || s.name and ${READY} ${BY_INDEX}) is null),
    first as materialized (
      select id, priority, chain, touches from tasks where team = ${tx.team} and role = '' and status = 'pending' and open_blockers = 0
      order by priority desc, chain desc, id limit (select coalesce(cardinality(names), 0) from free) ${tx.dialect.skipLocked}),
    chosen as materialized (
      select array_agg(id order by priority desc, chain desc, id) as ids from (
        select id, priority, chain, bool_or(touches <> '[]') over (order by priority desc, chain desc, id) as waits from first) f
      where not waits)
    update tasks t set status = 'in_progress', owner = (select names from free)[array_position((select ids from chosen), id)],
      attempt = attempt + 1, tries = tries + 1, version = version + 1, started_at = ${tx.now}, updated_at = ${tx.now}
    where team = ${tx.team} and id = any((select ids from chosen)::bigint[])
    returning t.owner, ${SEEN}`;
