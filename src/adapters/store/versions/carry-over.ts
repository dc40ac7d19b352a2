/** Migration steps that compute columns from older rows. They skip rows that cannot be read. */
import type { FactOf, FactType } from "../../../core/event.ts";
import { foldRole, type TaskId } from "../../../core/ids.ts";
import { isProse } from "../../../core/project/fences.ts";
import { exec, type Op, parse, sql } from "../sql.ts";
import { listOf, type TaskRow, toTask, unusual } from "../tasks/task-row.ts";

type EventRow = { readonly team: string; readonly data: string };

function* factsOf<T extends FactType>(type: T): Op<{ team: string; fact: Partial<FactOf<T>> }[]> {
  const rows = yield* sql<EventRow>`select team, data from events where type = ${type} order by seq`;
  return rows.map(({ team, data }) => ({ team, fact: parse<Partial<FactOf<T>>>(data, {}) }));
}

/** Until version 5, three decisions about tasks read the journal. From then on the columns hold what they need. */
export function* columnsFromJournal(): Op<void> {
  for (const { team, fact } of yield* factsOf("task.reopened"))
    yield* exec`update tasks set refusals = refusals + 1 where team = ${team} and id = ${fact.task ?? 0} and attempt = ${fact.attempt ?? 0}
      and status in ('in_progress', 'failed')`;
  for (const { team, fact } of yield* factsOf("task.landed"))
    yield* exec`update tasks set landed = ${fact.commit ?? null} where team = ${team} and id = ${fact.task ?? 0}`;
  for (const { team, fact } of yield* factsOf("task.changed"))
    if (fact.what?.includes("description"))
      yield* exec`update tasks set described_by = ${fact.by ?? null} where team = ${team} and id = ${fact.task ?? 0}`;
}

/** Until version 8, roles were compared as they had been written. */
export function* foldedRoles(): Op<void> {
  const rows = yield* sql<{
    role: string;
  }>`select role from tasks where role <> '' union select role from members where role <> ''`;
  for (const { role } of rows) {
    const folded = foldRole(role);
    if (folded === role) continue;
    yield* exec`update tasks set role = ${folded} where role = ${role}`;
    yield* exec`update members set role = ${folded} where role = ${role}`;
  }
}

/** Until version 17, any member claimed any task. Finished tasks are claimed by nobody. */
export function* proseTasks(): Op<void> {
  const rows = yield* sql<{ team: string; id: TaskId; description: string }>`
    select team, id, description from tasks where status in ('pending', 'in_progress', 'failed')`;
  for (const { team, id, description } of rows)
    if (isProse(description)) yield* exec`update tasks set prose = 1 where team = ${team} and id = ${id}`;
}

/** Until version 19, facts did not say all of a task. Old ones get the present fields of the task: earlier ones are not known. */
export function* tasksIntoFacts(): Op<void> {
  const rows = yield* sql<EventRow & { seq: number }>`
    select seq, team, data from events where type = 'task.added' order by seq`;
  for (const { seq, team, data } of rows) {
    const fact = parse<Partial<FactOf<"task.added">>>(data, {});
    const [task] = yield* sql<TaskRow>`select * from tasks where team = ${team} and id = ${fact.task ?? 0}`;
    if (!task || fact.description !== undefined) continue;
    const { subject, blocked_by } = task;
    const now = { subject, blockedBy: listOf<TaskId>(blocked_by), ...unusual(toTask(task)) };
    yield* exec`update events set data = ${JSON.stringify({ ...fact, ...now })} where seq = ${seq}`;
  }
}

/** Until version 20, facts held the text that the row of their task has, too. The first text of a task has the number 1. */
export function* textsOnce(): Op<void> {
  const rows = yield* sql<EventRow & { seq: number }>`
    select seq, team, data from events where type = 'task.added' order by seq`;
  for (const { seq, team, data } of rows) {
    const fact = parse<Partial<FactOf<"task.added">>>(data, {});
    const [task] = yield* sql<{ description: string }>`
      select description from tasks where team = ${team} and id = ${fact.task ?? 0}`;
    if (task && fact.description === task.description)
      yield* exec`update events set data = ${JSON.stringify({ ...fact, description: 1 })} where seq = ${seq}`;
  }
}
