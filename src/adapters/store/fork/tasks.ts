/**
 * Sets the tasks of a fork back that have changed since its point. Their rows are there already: only the columns that a fact may change
 * are written, by one statement for all of them.
 */

import type { Event } from "../../../core/event.ts";
import type { Name, TaskId } from "../../../core/ids.ts";
import type { PointThen } from "../../../ports/fork.ts";
import { eventsOf } from "../journal.ts";
import { anyOf, exec, insert, type Op, Raw, sql, type Tx, type Value } from "../sql.ts";
import { TASK } from "../task-of-fact.ts";
import { listOf, type TaskRow } from "../tasks/task-row.ts";
import { withTexts } from "../tasks/texts.ts";
import { chainsOf, OF_TASKS, type Present, Then } from "./then.ts";

/** The facts of more tasks than that are chosen here: a database looks into each of them longer than it takes to read it. */
const FEW = 100;

type Changed = {
  readonly tasks: ReadonlySet<TaskId>;
  readonly added: ReadonlySet<TaskId>;
  /** Those whose description was replaced. */
  readonly rewritten: ReadonlySet<TaskId>;
  /** A member has left, or was lost. */
  readonly left: boolean;
};

function changedIn(later: readonly Event[]): Changed {
  const tasks = new Set<TaskId>();
  const added = new Set<TaskId>();
  const rewritten = new Set<TaskId>();
  let left = false;
  for (const event of later) {
    if (event.type === "task.added") added.add(event.task);
    else if ("task" in event && event.type.startsWith("task.")) tasks.add(event.task as TaskId);
    if (event.type === "task.changed" && event.now?.description !== undefined) rewritten.add(event.task);
    left ||= event.type === "teammate.phase" && event.phase === "shutdown";
    left ||= event.type === "warning.raised" && event.who !== null;
  }
  return { tasks, added, rewritten, left };
}

/** Sets tasks back that have changed since, and removes those that were added. */
export function* tasksThen(tx: Tx, fork: Tx, { seq }: PointThen, later: readonly Event[]): Op<Then> {
  const then = new Then();
  if (later.length === 0) return then;
  const { tasks, added, rewritten, left } = changedIn(later);
  const touched = new Set(tasks);
  const task = new Raw(TASK[tx.dialect.name]);
  if (left) {
    // The tasks that were kept for that member are free since then: no fact says which.
    const kept = yield* sql<{ task: number }>`
      select distinct ${task} as task from events x where team = ${tx.team} and seq <= ${seq}
        and (type in ('task.added', 'task.changed') and data like '%"assignee":"%' or type = 'task.released' and data like '%"why":"split"%')`;
    for (const { task } of kept) touched.add(Number(task) as TaskId);
  }
  const set = [...touched].filter((id) => !added.has(id));
  const all = anyOf(tx, set);
  const types = [...OF_TASKS, "teammate.spawned", "teammate.changed", "teammate.phase"] as const;
  const isFew = touched.size < FEW;
  const theirs = isFew ? `and (type like 'teammate.%' or ${task.text} ${all.before}$4${all.after})` : "";
  const read = yield* eventsOf(tx, { upTo: seq }, types, theirs, isFew ? [all.value] : []);
  const before = read.filter((event) => !("task" in event) || touched.has(event.task as TaskId));
  yield* withTexts(
    tx,
    before.filter((event) => "task" in event && rewritten.has(event.task as TaskId)),
  );
  for (const event of before) then.apply(event);
  const gone = anyOf(tx, [...added]);
  yield* exec`delete from tasks where team = ${fork.team} and id ${gone}`;
  yield* exec`delete from edges where team = ${fork.team} and task ${gone}`;
  yield* exec`delete from texts where team = ${fork.team} and task ${gone}`;
  const rows = yield* sql<Present>`
    select id, status, result, blocked_by from tasks where team = ${fork.team} and id ${anyOf(tx, set)}`;
  yield* setBack(fork, rows, then, tasks, rewritten);
  return then;
}

function* setBack(
  fork: Tx,
  rows: readonly Present[],
  then: Then,
  changed: ReadonlySet<TaskId>,
  rewritten: ReadonlySet<TaskId>,
): Op<void> {
  const back = new Map<TaskId, Columns>();
  const moved: Present[] = [];
  for (const row of rows) {
    const columns = then.row(row, changed.has(row.id));
    if (!columns) continue;
    back.set(row.id, Object.assign({ id: row.id }, columns));
    const { blocked_by = row.blocked_by } = columns;
    if (blocked_by !== row.blocked_by) moved.push({ ...row, blocked_by });
  }
  yield* exec`delete from edges where team = ${fork.team} and task ${anyOf(
    fork,
    moved.map(({ id }) => id),
  )}`;
  yield* insert("edges", EDGE, moved.flatMap(edgesOf(fork.team)));
  const others = yield* linkAll(fork, back);
  // Those whose facts were deleted have fewer columns.
  const columns = [...back.values()];
  yield* update(
    fork,
    columns.filter((row) => "version" in row),
  );
  yield* update(
    fork,
    columns.filter((row) => !("version" in row)),
  );
  yield* update(fork, others);
  yield* update(
    fork,
    [...rewritten].flatMap((id) => then.texts(id) ?? []),
  );
}

type Columns = Partial<TaskRow> & Pick<TaskRow, "id">;

const EDGE = ["team", "task", "blocker"] as const;
const edgesOf =
  (team: Name) =>
  ({ id, blocked_by }: Pick<TaskRow, "id" | "blocked_by">): Value[][] =>
    listOf<TaskId>(blocked_by).map((blocker) => [team, id, blocker]);

/** What follows from the edges of all tasks, and from which are completed: written into `back`. @returns it for rows that are not there */
function* linkAll(fork: Tx, back: ReadonlyMap<TaskId, Columns>): Op<Columns[]> {
  const found = yield* sql<TaskRow>`
    select id, status, estimate, chain, blocked_by, open_blockers from tasks where team = ${fork.team} order by id`;
  const rows = found.map((row) => {
    const now = Object.assign(row, back.get(row.id));
    return Object.assign(now, { blockers: listOf<TaskId>(now.blocked_by) });
  });
  const done = new Set(rows.flatMap(({ id, status }) => (status === "completed" ? [id] : [])));
  const chains = chainsOf(rows);
  const others: Columns[] = [];
  for (const row of rows) {
    const { id, blockers } = row;
    const open_blockers = blockers.filter((one) => !done.has(one)).length;
    const chain = chains.get(id) ?? row.chain;
    const own = back.get(id);
    if (own) Object.assign(own, { open_blockers, chain });
    else if (open_blockers !== row.open_blockers || chain !== row.chain)
      others.push({ id, open_blockers, chain });
  }
  yield* exec`update teams set next_task = ${(rows.at(-1)?.id ?? 0) + 1} where name = ${fork.team}`;
  return others;
}

/**
 * Writes the columns of rows that all have the same ones, the first of which is the id. On PostgreSQL by one statement, which saves the round
 * trips; SQLite has none.
 */
function* update({ team, dialect }: Tx, rows: readonly Partial<TaskRow>[]): Op<void> {
  const [, ...columns] = Object.keys(rows[0] ?? {});
  if (columns.length === 0) return;
  const set = (to: (nth: number) => string): string =>
    columns.map((column, nth) => `${column} = ${to(nth)}`).join(", ");
  if (dialect.name === "postgres") {
    const text = `update tasks t set ${set((nth) => `j.${columns[nth]}`)} from json_populate_recordset(null::tasks, $1::json) j where t.team = $2 and t.id = j.id`;
    yield { text, params: [JSON.stringify(rows), team], blind: true };
    return;
  }
  const text = `update tasks set ${set((nth) => `$${nth + 1}`)} where team = $${columns.length + 1} and id = $${columns.length + 2}`;
  for (const row of rows) {
    const [id, ...values] = Object.values(row);
    yield { text, params: [...values, team, id] as Value[], blind: true };
  }
}
