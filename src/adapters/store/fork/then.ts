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
import { splitOf, type TaskRow } from "../tasks/task-row.ts";

/** Facts that change columns of a task. */
export const OF_TASKS = [
  ...TASK_CHANGES,
  ...(["task.reopened", "task.landed"] as const),
] as const satisfies readonly FactType[];

/** The reason of a task whose facts were deleted. */
const FORGOTTEN = "it had ended; its history was deleted";

/** What is read of a present row: what no fact says whole, and what may have to be undone. */
export type Present = Pick<TaskRow, "id" | "status" | "result" | "blocked_by">;

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

  /**
   * What has to be written into a row: null where nothing has to. `hasChanged`: since then, as far as facts say. Not the description: see
   * `texts`.
   */
  row(now: Present, hasChanged: boolean): Partial<TaskRow> | null {
    const task = this.picture.tasks.get(now.id);
    const rest = this.rest.get(now.id);
    if (!task || !rest)
      return hasChanged ? { status: "failed", owner: null, reason: FORGOTTEN, split: null } : null;
    const role = task.role === "" ? "" : foldRole(task.role ?? "");
    // Without spreads, which take most of the time of a fork.
    return {
      tries: rest.tries,
      refusals: rest.refusals,
      landed: rest.landed,
      reason: rest.reason,
      last_failure: rest.last_failure,
      described_by: rest.described_by,
      split: rest.split,
      status: task.status,
      subject: task.subject,
      priority: task.priority,
      blocked_by: JSON.stringify(task.blockedBy),
      estimate: task.estimate,
      owner: task.owner as Name | null,
      role: task.assignee === "" ? role : `@${task.assignee}`,
      asked_role: task.assignee === "" ? null : role,
      touches: JSON.stringify(task.touches),
      needs_plan: Number(task.needsPlan),
      attempt: task.attempt,
      started_at: task.startedAt as TaskRow["started_at"],
      ended_at: task.endedAt as TaskRow["ended_at"],
      // A completion is final, and the fact has only the beginning of its result.
      result: task.status !== "completed" ? null : now.status === "completed" ? now.result : rest.result,
      version: rest.facts,
      updated_at: rest.at,
    };
  }

  /** The description of a task that was replaced since then; null where no fact has it. */
  texts(id: TaskId): Pick<TaskRow, "id" | "description" | "prose"> | null {
    const description = this.picture.tasks.get(id)?.description ?? null;
    return description === null ? null : { id, description, prose: Number(isProse(description)) };
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

export type Linked = {
  readonly id: TaskId;
  readonly estimate: number;
  readonly blockers: readonly TaskId[];
};

/** The length of the longest chain of work that begins with each task. */
export function chainsOf(rows: readonly Linked[]): Map<TaskId, number> {
  const places = new Map(rows.map(({ id }, nth) => [id, nth]));
  const above = rows.map(({ blockers }) => blockers.flatMap((id) => places.get(id) ?? []));
  const left = new Int32Array(rows.length);
  const behind = new Float64Array(rows.length);
  for (const all of above) for (const one of all) left[one] = (left[one] ?? 0) + 1;
  const chains = new Map<TaskId, number>();
  const ends = rows.flatMap((_, nth) => (left[nth] === 0 ? [nth] : []));
  for (let nth = ends.pop(); nth !== undefined; nth = ends.pop()) {
    const { id, estimate } = rows[nth] as Linked;
    const chain = estimate + (behind[nth] ?? 0);
    chains.set(id, chain);
    for (const one of above[nth] ?? []) {
      behind[one] = Math.max(behind[one] ?? 0, chain);
      left[one] = (left[one] ?? 0) - 1;
      if (left[one] === 0) ends.push(one);
    }
  }
  return chains;
}
