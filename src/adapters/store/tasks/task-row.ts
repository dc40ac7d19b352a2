/** A row of `tasks` and its conversion to a task. */

import type { Claimed, Completed, Split, Status, Task, TaskFields } from "../../../core/board/task.ts";
import { type EkidenError, notFound } from "../../../core/errors.ts";
import type { Instant, Name, TaskId } from "../../../core/ids.ts";
import { type Op, parse, Raw, sql, type Tx } from "../sql.ts";

export type TaskRow = {
  readonly id: TaskId;
  readonly status: Status;
  readonly subject: string;
  readonly description: string;
  /** JSON of the same blockers as in `edges`, so that reading a task needs no join. */
  readonly blocked_by: string;
  readonly open_blockers: number;
  readonly priority: number;
  readonly estimate: number;
  /** Estimated work of the task and of the longest chain behind it. Orders the queue; updated when the graph changes. */
  readonly chain: number;
  /** "" for any. */
  readonly role: string;
  /** The role of a task whose `role` is an assignment; see assign.ts. */
  readonly asked_role: string | null;
  readonly touches: string;
  readonly needs_plan: number;
  readonly owner: Name | null;
  /** Only grows, for fencing. `tries` restarts with every retry, for the limit. */
  readonly attempt: number;
  readonly tries: number;
  /** Incremented by every change, so that the sum over a board tells whether anything changed. */
  readonly version: number;
  readonly result: string | null;
  readonly reason: string | null;
  readonly last_failure: string | null;
  readonly created_by: Name;
  /** The last author of the description; null: its creator. */
  readonly described_by: Name | null;
  readonly created_at: Instant;
  readonly updated_at: Instant;
  readonly started_at: Instant | null;
  readonly ended_at: Instant | null;
  /** Refused completions of the present attempt. */
  readonly refusals: number;
  /** The commit that is on the target branch, if the task's branch has landed. */
  readonly landed: string | null;
  readonly runbook: string | null;
  readonly parent: TaskId | null;
  /** JSON of `Split`. */
  readonly split: string | null;
  /** 1 if the description holds no block that can be run. */
  readonly prose: number;
};

export const listOf = <T>(json: string): T[] => (json === "[]" ? [] : parse<T[]>(json, []));

/** The columns that every task has, whatever its status. */
type Plain = Omit<
  TaskRow,
  | "status"
  | "chain"
  | "owner"
  | "tries"
  | "version"
  | "result"
  | "reason"
  | "updated_at"
  | "started_at"
  | "ended_at"
  | "refusals"
  | "landed"
  | "prose"
>;

const plain = (row: Plain) => ({
  id: row.id,
  subject: row.subject,
  description: row.description,
  blockedBy: listOf<TaskId>(row.blocked_by),
  openBlockers: row.open_blockers,
  priority: row.priority,
  estimate: row.estimate,
  role: (row.role.startsWith("@") ? row.asked_role : row.role) || null,
  ...(row.role.startsWith("@") && { assignee: row.role.slice(1) as Name }),
  touches: listOf<string>(row.touches),
  needsPlan: row.needs_plan === 1,
  attempt: row.attempt,
  lastFailure: row.last_failure,
  createdBy: row.created_by,
  describedBy: row.described_by ?? row.created_by,
  createdAt: row.created_at,
  ...descent(row),
});

/** Fields that few tasks have. */
function descent({ runbook, parent, split }: Pick<TaskRow, "runbook" | "parent" | "split">) {
  if (runbook === null && parent === null && split === null) return undefined;
  const parted = splitOf(split);
  return {
    ...(runbook !== null && { runbook }),
    ...(parent !== null && { parent }),
    ...(parted && { split: parted }),
  };
}

/** Null for a task that was never split. */
export const splitOf = (json: string | null): Split | null =>
  json === null ? null : parse<Split | null>(json, null);

export function toTask(row: TaskRow): Task {
  const facts = { ...plain(row), updatedAt: row.updated_at };
  const startedAt = row.started_at ?? row.updated_at;
  const endedAt = row.ended_at ?? row.updated_at;
  switch (row.status) {
    case "pending":
      return { ...facts, status: "pending" };
    case "in_progress":
      return { ...facts, status: "in_progress", owner: row.owner ?? row.created_by, startedAt };
    case "completed":
      return {
        ...facts,
        status: "completed",
        owner: row.owner ?? row.created_by,
        startedAt,
        endedAt,
        result: row.result ?? "",
      } satisfies Completed;
    case "failed":
      return {
        ...facts,
        status: "failed",
        owner: row.owner,
        startedAt: row.started_at,
        endedAt,
        reason: row.reason ?? "",
      };
    case "cancelled":
      return {
        ...facts,
        status: "cancelled",
        owner: null,
        startedAt: row.started_at,
        endedAt,
        reason: row.reason ?? "",
      };
  }
}

/** The journal says everything of a task; fields with their usual values are left out, for its size. */
export function unusual(task: Task): Omit<TaskFields, "subject" | "blockedBy"> {
  const { description, priority, estimate, role, assignee, touches, needsPlan, runbook, parent } = task;
  return {
    description,
    ...(priority !== 0 && { priority }),
    ...(estimate !== 1 && { estimate }),
    ...(role !== null && { role }),
    ...(assignee !== undefined && { assignee }),
    ...(touches.length > 0 && { touches }),
    ...(needsPlan && { needsPlan }),
    ...(runbook !== undefined && { runbook }),
    ...(parent !== undefined && { parent }),
  };
}

export function claimedOf(row: TaskRow): Claimed {
  const task = toTask(row);
  if (task.status !== "in_progress") throw new Error(`task ${row.id} is ${task.status}, not in progress`);
  return task;
}

/** Returned by the update that makes a claim: half of the columns, in half of the time. */
export const TAKEN = new Raw(
  "id, subject, description, blocked_by, open_blockers, priority, estimate, role, asked_role, touches, needs_plan, attempt, last_failure, created_by, described_by, created_at, runbook, parent, split",
);
export type TakenRow = Plain;
/** The same for a task `t` without role and files, whose other columns are known. */
export const SEEN = new Raw(
  "t.id, t.subject, t.description, t.blocked_by, t.priority, t.estimate, t.needs_plan, t.attempt, t.last_failure, t.created_by, t.described_by, t.created_at, t.runbook, t.parent, t.split",
);
export type SeenRow = Omit<Plain, "open_blockers" | "role" | "asked_role" | "touches">;
/** The task after the claim. Written out, because spreading a row takes longer than binding it. */
export const claimOf = (row: SeenRow, attempt: number, owner: Name, now: Instant): Claimed => ({
  id: row.id,
  subject: row.subject,
  description: row.description,
  blockedBy: listOf<TaskId>(row.blocked_by),
  openBlockers: 0,
  priority: row.priority,
  estimate: row.estimate,
  role: null,
  touches: [],
  needsPlan: row.needs_plan === 1,
  attempt,
  lastFailure: row.last_failure,
  createdBy: row.created_by,
  describedBy: row.described_by ?? row.created_by,
  createdAt: row.created_at,
  ...descent(row),
  updatedAt: now,
  status: "in_progress",
  owner,
  startedAt: now,
});
export const takenOf = (row: TakenRow, owner: Name, now: Instant): Claimed => ({
  ...plain(row),
  updatedAt: now,
  status: "in_progress",
  owner,
  startedAt: now,
});

/** @throws `not_found` with a hint, since models often give a subject where an id is wanted. */
export function missing(ids: readonly number[]): EkidenError {
  const names = ids.map((id) => `#${id}`).join(", ");
  return notFound(`There is no task ${names}. Task ids are the numbers that the board shows.`);
}

/** Locks it. @throws `not_found` */
export function* taskForUpdate(tx: Tx, id: TaskId): Op<TaskRow> {
  const [row] =
    yield* sql<TaskRow>`select * from tasks where team = ${tx.team} and id = ${id} ${tx.dialect.forUpdate}`;
  if (!row) throw missing([id]);
  return row;
}
