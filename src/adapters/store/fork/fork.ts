/**
 * A team as it was at a point of its journal, as a new team of the store, in one transaction. First the database copies the present rows;
 * then those are set back of which the journal says that they have changed since. So the work grows with what came after the point, and what
 * changes in between is set back, too: its fact is read after the copy. The rows of the original are only read.
 */

import { EkidenError } from "../../../core/errors.ts";
import type { Event, FactType } from "../../../core/event.ts";
import { HARNESS, type Name, type RequestId, type TaskId } from "../../../core/ids.ts";
import type { Forked, ForkPoint, Forks, PointThen } from "../../../ports/fork.ts";
import { appendFacts, eventsOf } from "../journal.ts";
import { TASK } from "../prune.ts";
import type { Session } from "../session.ts";
import { anyOf, exec, insert, type Op, Raw, sql, type Tx } from "../sql.ts";
import { post } from "../talk/mail.ts";
import { counts } from "../tasks/counts.ts";
import { listOf, type TaskRow } from "../tasks/task-row.ts";
import { withTexts } from "../tasks/texts.ts";
import { copied, copyMail, copyTalk, queueMail } from "./copies.ts";
import { membersThen } from "./members.ts";
import { pointOf } from "./point.ts";
import { chainsOf, OF_TASKS, Then } from "./then.ts";

/** Facts after the point that say what has to be set back. */
const LATER = [
  ...OF_TASKS,
  ...(["teammate.spawned", "teammate.changed", "teammate.phase", "warning.raised"] as const),
  ...(["plan.submitted", "question.asked", "permission.asked", "shutdown.asked"] as const),
  ...(["plan.answered", "question.answered", "permission.answered", "shutdown.answered"] as const),
  "request.withdrawn",
] as const satisfies readonly FactType[];

export const forks = (session: Session): Forks => ({
  point: (wanted) => session.read((tx) => pointOf(tx, wanted)),
  make: (to, wanted, by, letter) => session.write((tx) => make(tx, to, wanted, by, letter)),
});

/** `tx`: of the original. */
function* make(tx: Tx, to: Name, wanted: ForkPoint, by: Name, letter: string): Op<Forked> {
  const fork: Tx = { ...tx, team: to, notify: () => {} };
  const point = yield* pointOf(tx, wanted);
  const begun = yield* sql`
    insert into teams (name, next_task, next_job, next_cron, created_at)
      select ${to}, next_task, next_job, next_cron, ${tx.now} from teams where name = ${tx.team}
    on conflict (name) do nothing returning name`;
  if (begun.length === 0)
    throw new EkidenError("name_taken", `There is a team "${to}" already. Choose another name for the fork.`);
  yield* copied(tx, to, "tasks");
  yield* copied(tx, to, "edges");
  // Also later ones: a number names the same text for ever.
  yield* copied(tx, to, "texts");
  yield* copied(tx, to, "members");
  yield* copied(tx, to, "requests");
  yield* copyMail(tx, fork, point);
  const later = yield* eventsOf(tx, { after: point.seq }, LATER);
  const then = yield* tasksThen(tx, fork, point, later);
  yield* membersThen(fork, then, later);
  yield* requestsThen(fork, point, later);
  yield* copyTalk(tx, fork, point, later);
  yield* appendFacts(fork, [{ type: "team.forked", from: tx.team, line: point.seq, time: point.at, by }]);
  const unread = yield* queueMail(fork);
  const living = yield* sql<{ name: Name; phase: string }>`
    select name, phase from members where team = ${to} and phase <> 'shutdown' order by name`;
  const atWork = living.filter(({ phase }) => phase === "work");
  yield* post(
    fork,
    atWork.map(({ name }) => ({ from: HARNESS, to: name, body: { kind: "note", text: letter } })),
  );
  const all = yield* counts(fork);
  return { ...point, team: to, from: tx.team, counts: all, members: living.length, unread };
}

type Changed = {
  readonly tasks: ReadonlySet<TaskId>;
  readonly added: ReadonlySet<TaskId>;
  readonly left: boolean;
};

/** `left`: a member has left, or was lost. */
function changedIn(later: readonly Event[]): Changed {
  const tasks = new Set<TaskId>();
  const added = new Set<TaskId>();
  let left = false;
  for (const event of later) {
    if (event.type === "task.added") added.add(event.task);
    else if ("task" in event && event.type.startsWith("task.")) tasks.add(event.task as TaskId);
    left ||= event.type === "teammate.phase" && event.phase === "shutdown";
    left ||= event.type === "warning.raised" && event.who !== null;
  }
  return { tasks, added, left };
}

/** Sets tasks back that have changed since, and takes away those that were added. */
function* tasksThen(tx: Tx, fork: Tx, { seq }: PointThen, later: readonly Event[]): Op<Then> {
  if (later.length === 0) return new Then();
  const { tasks, added, left } = changedIn(later);
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
  const theirs = `and (type like 'teammate.%' or ${task.text} ${all.before}$4${all.after})`;
  const before = yield* eventsOf(tx, { upTo: seq }, types, theirs, [all.value]);
  yield* withTexts(tx, before);
  const then = new Then();
  for (const event of before) then.apply(event);
  const rows = yield* sql<TaskRow>`select * from tasks where team = ${fork.team} and id ${anyOf(tx, set)}`;
  const gone = anyOf(tx, [...set, ...added]);
  yield* exec`delete from tasks where team = ${fork.team} and id ${gone}`;
  yield* exec`delete from edges where team = ${fork.team} and task ${gone}`;
  yield* exec`delete from texts where team = ${fork.team} and task ${anyOf(tx, [...added])}`;
  yield* putTasks(
    fork,
    rows.map((row) => then.row(row, tasks.has(row.id))),
  );
  return then;
}

/** Puts them in, with what follows from the edges of all tasks and from which are completed. */
function* putTasks(fork: Tx, folded: readonly TaskRow[]): Op<void> {
  const others = yield* sql<Linked>`
    select id, status, estimate, chain, blocked_by, open_blockers from tasks where team = ${fork.team} order by id`;
  const rows: readonly Linked[] = [...others, ...folded];
  const done = new Set(rows.flatMap(({ id, status }) => (status === "completed" ? [id] : [])));
  const chains = chainsOf(rows);
  const linked = <R extends Linked>(row: R): R => ({
    ...row,
    open_blockers: listOf<TaskId>(row.blocked_by).filter((one) => !done.has(one)).length,
    chain: chains.get(row.id) ?? row.chain,
  });
  for (const row of others) {
    const { id, open_blockers, chain } = linked(row);
    if (open_blockers !== row.open_blockers || chain !== row.chain)
      yield* exec`update tasks set open_blockers = ${open_blockers}, chain = ${chain} where team = ${fork.team} and id = ${id}`;
  }
  const columns = Object.keys(folded[0] ?? {}) as (keyof TaskRow)[];
  yield* insert(
    "tasks",
    columns,
    folded.map(linked).map((row) => columns.map((column) => row[column])),
  );
  yield* insert(
    "edges",
    ["team", "task", "blocker"],
    folded.flatMap(({ id, blocked_by }) =>
      listOf<TaskId>(blocked_by).map((blocker) => [fork.team, id, blocker]),
    ),
  );
  const last = rows.reduce((most, { id }) => Math.max(most, id), 0);
  yield* exec`update teams set next_task = ${last + 1} where name = ${fork.team}`;
}

type Linked = Pick<TaskRow, "id" | "status" | "estimate" | "chain" | "blocked_by" | "open_blockers">;

/** An open question has at least this time in the fork. */
const PATIENCE_MS = 60_000;

function* requestsThen(fork: Tx, point: PointThen, later: readonly Event[]): Op<void> {
  const asked: RequestId[] = [];
  const answered: RequestId[] = [];
  for (const event of later) {
    if (!("request" in event) || event.request === undefined) continue;
    const isAsked = /\.(?:asked|submitted)$/.test(event.type);
    (isAsked ? asked : answered).push(event.request as RequestId);
  }
  if (asked.length > 0)
    yield* exec`delete from requests where team = ${fork.team} and id ${anyOf(fork, asked)}`;
  if (answered.length > 0)
    yield* exec`update requests set state = 'open', answer = null where team = ${fork.team} and id ${anyOf(fork, answered)}`;
  const clock = fork.leaseClock;
  yield* exec`
    update requests set deadline = cast(${clock} as bigint) + case when deadline - ${point.at} > ${PATIENCE_MS} then deadline - ${point.at} else ${PATIENCE_MS} end
    where team = ${fork.team} and state = 'open'`;
}
