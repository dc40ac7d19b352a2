/**
 * Tasks and members as they were at a point of the journal, for those that were changed since. The picture folds what people see of a task; this
 * file adds the columns that only the store has.
 */

import { INTERRUPTIONS, releaseWords } from "../../../core/board/release.ts";
import { type Event, type FactType, TASK_CHANGES } from "../../../core/event.ts";
import { foldRole, type Name, type TaskId } from "../../../core/ids.ts";
import { apply } from "../../../core/picture/apply.ts";
import type { PictureMember } from "../../../core/picture/member.ts";
import { Picture } from "../../../core/picture/picture.ts";
import { isProse } from "../../../core/project/fences.ts";
import { listOf, splitOf, type TaskRow } from "../tasks/task-row.ts";

/** Facts that change columns of a task. */
export const OF_TASKS = [
  ...TASK_CHANGES,
  ...(["task.reopened", "task.landed"] as const),
] as const satisfies readonly FactType[];

/** The reason of a task whose facts were deleted. */
const FORGOTTEN = "it had ended; its history was deleted";

type Rest = {
  -readonly [K in
    | "tries"
    | "refusals"
    | "landed"
    | "reason"
    | "last_failure"
    | "described_by"
    | "split"]: TaskRow[K];
} & { at: TaskRow["updated_at"]; facts: number; result: string };

export class Then {
  private readonly picture = new Picture();
  private readonly rest = new Map<TaskId, Rest>();

  /** In their order, from the beginning of the journal, with the texts of tasks. Also those of members. */
  apply(event: Event): void {
    apply(this.picture, event);
    if (!isOfTask(event)) return;
    if (event.type === "task.added") this.rest.set(event.task, fresh(event));
    const rest = this.rest.get(event.task);
    if (rest) change(rest, event);
  }

  /** Undefined where no fact names it. */
  member(name: Name): PictureMember | undefined {
    return this.picture.members.get(name);
  }

  /** `now`: the present row, which has what no fact says and what never changes. `hasChanged`: since then, as far as facts say. */
  row(now: TaskRow, hasChanged: boolean): TaskRow {
    const task = this.picture.tasks.get(now.id);
    const rest = this.rest.get(now.id);
    if (!hasChanged && (!task || !rest)) return now;
    if (!task || !rest) return { ...now, status: "failed", owner: null, reason: FORGOTTEN, split: null };
    const { result, at, facts, ...columns } = rest;
    const description = task.description ?? now.description;
    const role = foldRole(task.role ?? "");
    return {
      ...now,
      ...columns,
      ...{ status: task.status, subject: task.subject, description, priority: task.priority },
      ...{
        blocked_by: JSON.stringify(task.blockedBy),
        estimate: task.estimate,
        owner: task.owner as Name | null,
      },
      prose: description === now.description ? now.prose : Number(isProse(description)),
      role: task.assignee === "" ? role : `@${task.assignee}`,
      asked_role: task.assignee === "" ? null : role,
      touches: JSON.stringify(task.touches),
      needs_plan: Number(task.needsPlan),
      attempt: task.attempt,
      started_at: task.startedAt as TaskRow["started_at"],
      ended_at: task.endedAt as TaskRow["ended_at"],
      // A completion is final, and the fact has only the beginning of its result.
      result: task.status !== "completed" ? null : now.status === "completed" ? now.result : result,
      version: facts,
      updated_at: at,
    };
  }
}

type OfTask = Extract<Event, { type: (typeof OF_TASKS)[number] }>;
const isOfTask = (event: Event): event is OfTask => (OF_TASKS as readonly FactType[]).includes(event.type);

const fresh = ({ at }: Event): Rest => ({
  ...{
    tries: 0,
    refusals: 0,
    landed: null,
    reason: null,
    last_failure: null,
    described_by: null,
    split: null,
  },
  ...{ at, facts: 0, result: "" },
});

function change(rest: Rest, event: OfTask): void {
  rest.facts += 1;
  rest.at = event.at;
  if (event.type === "task.changed" && event.now?.description !== undefined) rest.described_by = event.by;
  if (event.type === "task.claimed") rest.tries += 1;
  if (event.type === "task.completed") rest.result = event.result;
  if (event.type === "task.reopened") rest.refusals += 1;
  if (event.type === "task.landed") rest.landed = event.commit;
  if (event.type === "task.failed") rest.reason = rest.last_failure = event.reason;
  if (event.type === "task.cancelled") rest.reason = event.reason;
  if (event.type === "task.released") released(rest, event);
}

function released(rest: Rest, { why, from, note, parts }: Extract<Event, { type: "task.released" }>): void {
  rest.refusals = 0;
  if (why === "retry") {
    Object.assign(rest, { tries: 0, last_failure: rest.reason, reason: null });
    return;
  }
  if (INTERRUPTIONS.has(why) || why === "split") rest.tries = Math.max(0, rest.tries - 1);
  if (!parts) {
    rest.last_failure = releaseWords(why, from, note);
    return;
  }
  const before = splitOf(rest.split)?.parts ?? [];
  const all = [...before, ...parts.filter((one) => !before.includes(one))];
  rest.split = JSON.stringify({ by: from, parts: all, note: note ?? "" });
}

/** The length of the longest chain of work that begins with each task. */
export function chainsOf(
  rows: readonly Pick<TaskRow, "id" | "estimate" | "blocked_by">[],
): Map<TaskId, number> {
  const behind = new Map<TaskId, TaskId[]>(rows.map(({ id }) => [id, []]));
  const left = new Map<TaskId, number>(rows.map(({ id }) => [id, 0]));
  const above = new Map(
    rows.map((row) => [row.id, listOf<TaskId>(row.blocked_by).filter((id) => behind.has(id))]),
  );
  for (const [id, blockers] of above)
    for (const blocker of blockers) {
      behind.get(blocker)?.push(id);
      left.set(blocker, (left.get(blocker) ?? 0) + 1);
    }
  const estimates = new Map(rows.map(({ id, estimate }) => [id, estimate]));
  const chains = new Map<TaskId, number>();
  const ends = rows.flatMap(({ id }) => (left.get(id) === 0 ? [id] : []));
  for (let id = ends.pop(); id !== undefined; id = ends.pop()) {
    const longest = Math.max(0, ...(behind.get(id) ?? []).map((one) => chains.get(one) ?? 0));
    chains.set(id, (estimates.get(id) ?? 1) + longest);
    for (const blocker of above.get(id) ?? []) {
      left.set(blocker, (left.get(blocker) ?? 0) - 1);
      if (left.get(blocker) === 0) ends.push(blocker);
    }
  }
  return chains;
}
