/** Adding tasks to the board and changing them. */

import {
  checkTask,
  type NewTask,
  type Task,
  type TaskChange,
  type TaskFields,
} from "../../../core/board/task.ts";
import { ROOTS } from "../../../core/board/task-depth.ts";
import { badInput, EkidenError } from "../../../core/errors.ts";
import { foldRole, LEAD, type Name, type TaskId } from "../../../core/ids.ts";
import { isProse } from "../../../core/project/fences.ts";
import { appendFacts } from "../journal.ts";
import { exec, insert, type Op, sql, type Tx, teamLock, type Value } from "../sql.ts";
import { post } from "../talk/mail.ts";
import { withdrawAbout } from "../talk/requests.ts";
import { checkAssignee } from "./assign.ts";
import { cycle, findCycle, lengthen, measure, openBlockers, refuseCycle } from "./graph.ts";
import { listOf, type TaskRow, taskForUpdate, toTask, unusual } from "./task-row.ts";
import { FIRST, keepText, type StoredFact } from "./texts.ts";

/** A batch of tasks, checked as far as that needs no database. */
export type Batch = {
  readonly tasks: readonly NewTask[];
  /** Per task, the positions of its blockers in the same batch. */
  readonly within: readonly (readonly number[])[];
  /** Per task, its estimate plus that of the longest chain behind it in the batch. */
  readonly chains: readonly number[];
};

/** @throws `bad_input` | `cycle` */
export function prepareBatch(tasks: readonly NewTask[]): Batch {
  const within = tasks.map((task, i) => {
    checkTask(task);
    const nths = (task.blockedBy ?? []).flatMap((blocker) =>
      typeof blocker === "object" ? [blocker.nth] : [],
    );
    for (const nth of nths)
      if (!(Number.isInteger(nth) && nth >= 0 && nth < tasks.length))
        throw badInput(
          `Task ${i} of the batch waits for { nth: ${nth} }, but the batch has only positions 0 to ${tasks.length - 1}.`,
        );
    return [...new Set(nths)];
  });
  const behind: number[][] = tasks.map(() => []);
  within.forEach((nths, i) => {
    for (const nth of nths) behind[nth]?.push(i);
  });
  const left = behind.map((list) => list.length);
  const chains = tasks.map((task) => task.estimate ?? 1);
  const ends = left.flatMap((n, i) => (n === 0 ? [i] : []));
  let seen = 0;
  for (let i = ends.pop(); i !== undefined; i = ends.pop()) {
    seen += 1;
    for (const above of within[i] ?? []) {
      chains[above] = Math.max(chains[above] ?? 0, (tasks[above]?.estimate ?? 1) + (chains[i] ?? 0));
      left[above] = (left[above] ?? 0) - 1;
      if (left[above] === 0) ends.push(above);
    }
  }
  if (seen < tasks.length) throw cycle(showBatchCycle(tasks, within));
  return { tasks, within, chains };
}

function showBatchCycle(tasks: readonly NewTask[], within: readonly (readonly number[])[]): string {
  for (let i = 0; i < tasks.length; i += 1) {
    const way = findCycle(i, (one) => within[one] ?? []);
    if (way.length > 2 || within[i]?.includes(i))
      return way.map((nth) => `"${tasks[nth]?.subject}"`).join(" → ");
  }
  return "a cycle";
}

const EDGE = ["team", "task", "blocker"];
const COLUMNS = [
  "team",
  "id",
  "status",
  "subject",
  "description",
  "blocked_by",
  "open_blockers",
  "priority",
  "estimate",
  "chain",
  "role",
  "asked_role",
  "touches",
  "needs_plan",
  "created_by",
  "created_at",
  "updated_at",
  "runbook",
  "parent",
  "prose",
] as const;

/** @throws `not_found` (a blocker) */
export function* addAll(tx: Tx, { tasks, within, chains }: Batch, by: Name): Op<Task[]> {
  if (tasks.length === 0) return [];
  const outside = tasks.map((task) => [
    ...new Set((task.blockedBy ?? []).flatMap((blocker) => (typeof blocker === "number" ? [blocker] : []))),
  ]);
  const open = yield* openBlockers(tx, [...new Set(outside.flat())]);
  for (const { assignee } of tasks) if (assignee !== undefined) yield* checkAssignee(tx, assignee);
  const [team] = yield* sql<{
    next_task: number;
  }>`update teams set next_task = next_task + ${tasks.length} where name = ${tx.team} returning next_task`;
  const parent = yield* workOf(tx, by);
  const base = (team?.next_task ?? 1) - tasks.length;
  const idOf = (nth: number): TaskId => (base + nth) as TaskId;

  const rows = tasks.map((task, i): TaskRow => {
    const blockers = [...(outside[i] ?? []), ...(within[i] ?? []).map(idOf)];
    return {
      id: idOf(i),
      status: "pending",
      subject: task.subject,
      description: task.description ?? "",
      blocked_by: JSON.stringify(blockers),
      open_blockers: (within[i]?.length ?? 0) + (outside[i] ?? []).filter((id) => open.has(id)).length,
      priority: task.priority ?? 0,
      estimate: task.estimate ?? 1,
      chain: chains[i] ?? 1,
      role: task.assignee === undefined ? foldRole(task.role ?? "") : `@${task.assignee}`,
      asked_role: task.assignee === undefined ? null : foldRole(task.role ?? ""),
      touches: JSON.stringify(task.touches ?? []),
      needs_plan: Number(task.needsPlan ?? false),
      owner: null,
      attempt: 0,
      tries: 0,
      version: 1,
      result: null,
      reason: null,
      last_failure: null,
      created_by: by,
      described_by: null,
      created_at: tx.now,
      updated_at: tx.now,
      started_at: null,
      ended_at: null,
      refusals: 0,
      landed: null,
      runbook: task.runbook ?? null,
      parent: task.parent ?? parent,
      split: null,
      prose: Number(isProse(task.description ?? "")),
    };
  });
  yield* insert(
    "tasks",
    COLUMNS,
    rows.map((row): Value[] => COLUMNS.map((column) => (column === "team" ? tx.team : row[column]))),
  );
  yield* insert(
    "edges",
    EDGE,
    rows.flatMap((row) => listOf<TaskId>(row.blocked_by).map((blocker) => [tx.team, row.id, blocker])),
  );
  const behind = new Map<TaskId, number>();
  rows.forEach((row, i) => {
    for (const id of outside[i] ?? []) behind.set(id, Math.max(behind.get(id) ?? 0, row.chain));
  });
  yield* lengthen(tx, behind);
  yield* appendFacts(
    tx,
    rows.map(
      (row): StoredFact => ({
        type: "task.added",
        task: row.id,
        subject: row.subject,
        by,
        blockedBy: listOf<TaskId>(row.blocked_by),
        ...unusual(toTask(row)),
        description: FIRST,
      }),
    ),
  );
  if (rows.some((row) => row.open_blockers === 0)) tx.notify("board");
  return rows.map(toTask);
}

/** The task from which those of a member come: the one that it has in progress. */
function* workOf(tx: Tx, by: Name): Op<TaskId | null> {
  if (ROOTS.has(by)) return null;
  const [own] = yield* sql<{ id: TaskId }>`
    select id from tasks where team = ${tx.team} and owner = ${by} and status = 'in_progress' order by started_at desc, id desc limit 1`;
  return own?.id ?? null;
}

/** An owner has read the task when it claimed it. New words interrupt it, since it may be working on what is not wanted any more. */
function* tellOwner(tx: Tx, row: TaskRow, by: Name, what: readonly string[]): Op<void> {
  const { id, owner, subject, description } = row;
  if (row.status !== "in_progress" || owner === null || owner === by) return;
  const text = `Your task #${id} was changed (${what.join(", ")}). It now reads: ${subject}\n${description}`;
  const urgent = what.some((one) => one === "subject" || one === "description");
  if (urgent) yield* withdrawAbout(tx, id, "plan");
  yield* post(tx, [{ from: by, to: owner, urgent, body: { kind: "note", text: text.trimEnd() } }]);
}

/** @throws `not_found` | `cycle` | `already_started` */
export function* change(tx: Tx, id: TaskId, changes: TaskChange, by: Name): Op<Task> {
  const adds = [...new Set(changes.addBlockedBy ?? [])];
  const removes = [...new Set(changes.removeBlockedBy ?? [])];
  if (adds.length > 0) yield* teamLock(tx, "edges");
  if (adds.includes(id)) throw cycle(`#${id} → #${id}`);
  const open = yield* openBlockers(tx, [...new Set([...adds, ...removes])]);
  const row = yield* taskForUpdate(tx, id);
  // A task that is kept for one member has its own role in the other column.
  const column = row.role.startsWith("@") ? "asked_role" : "role";
  const ownRole = row[column] ?? "";
  const role = changes.role === undefined ? ownRole : foldRole(changes.role ?? "");
  if (adds.length + removes.length > 0 || role !== ownRole) {
    if (row.status === "in_progress" || row.status === "completed")
      throw new EkidenError(
        "already_started",
        `Task #${id} is ${row.status === "completed" ? "completed" : `in progress with ${row.owner}`}: what it waits for and its role can be changed only before it starts.${row.status === "completed" || by === LEAD ? "" : ` Take it back first: ekiden release ${id}`}`,
      );
  }
  const before = listOf<TaskId>(row.blocked_by);
  const added = adds.filter((one) => !before.includes(one));
  const removed = removes.filter((one) => before.includes(one) && !adds.includes(one));
  if (added.length > 0) yield* refuseCycle(tx, id, added);

  const isRewritten = changes.description !== undefined && changes.description !== row.description;
  const after: TaskRow = {
    ...row,
    subject: changes.subject ?? row.subject,
    description: changes.description ?? row.description,
    described_by: isRewritten ? by : row.described_by,
    prose: isRewritten ? Number(isProse(changes.description ?? "")) : row.prose,
    blocked_by: JSON.stringify([...before.filter((one) => !removed.includes(one)), ...added]),
    open_blockers:
      row.open_blockers +
      added.filter((one) => open.has(one)).length -
      removed.filter((one) => open.has(one)).length,
    priority: changes.priority ?? row.priority,
    estimate: changes.estimate ?? row.estimate,
    [column]: changes.role === undefined ? row[column] : role,
    touches: changes.touches ? JSON.stringify(changes.touches) : row.touches,
    needs_plan: Number(changes.needsPlan ?? row.needs_plan === 1),
  };
  const what = (Object.keys(NAMED) as (keyof typeof NAMED)[])
    .filter((column) => after[column] !== row[column])
    .map((column) => NAMED[column]);
  if (what.length === 0) return toTask(row);

  yield* exec`
    update tasks set subject = ${after.subject}, description = ${after.description}, described_by = ${after.described_by}, prose = ${after.prose}, blocked_by = ${after.blocked_by},
      open_blockers = ${after.open_blockers}, priority = ${after.priority}, estimate = ${after.estimate}, role = ${after.role},
      asked_role = ${after.asked_role}, touches = ${after.touches}, needs_plan = ${after.needs_plan}, updated_at = ${tx.now}, version = version + 1
    where team = ${tx.team} and id = ${id}`;
  yield* insert(
    "edges",
    EDGE,
    added.map((blocker) => [tx.team, id, blocker]),
  );
  for (const blocker of removed)
    yield* exec`delete from edges where team = ${tx.team} and task = ${id} and blocker = ${blocker}`;
  if (after.estimate !== row.estimate || added.length + removed.length > 0)
    yield* measure(tx, [id, ...added, ...removed]);
  const changed = toTask(after);
  const fields: TaskFields = Object.fromEntries(what.map((field) => [field, changed[field]]));
  const now = { ...fields, ...(isRewritten && { description: yield* keepText(tx, id, row.description) }) };
  yield* appendFacts(tx, [{ type: "task.changed", task: id, by, what, now }]);
  yield* tellOwner(tx, after, by, what);
  if (after.status === "pending" && after.open_blockers === 0) tx.notify("board");
  return toTask({ ...after, updated_at: tx.now });
}

const NAMED = {
  subject: "subject",
  description: "description",
  blocked_by: "blockedBy",
  priority: "priority",
  estimate: "estimate",
  role: "role",
  asked_role: "role",
  touches: "touches",
  needs_plan: "needsPlan",
} as const;
