/** Lists the facts that become spans or figures. A new fact does not compile until it has a line; those without one are not read. */
import type { Event, FactType } from "../event.ts";

const TOLD = {
  "team.created": false,
  "journal.pruned": false,
  "team.deleted": false,
  "team.resumed": false,
  "run.began": false,
  "team.finished": false,
  "teammate.spawned": false,
  "teammate.changed": false,
  "teammate.phase": true,
  "task.added": true,
  "task.changed": false,
  "task.claimed": true,
  "task.completed": true,
  "task.failed": true,
  "task.released": true,
  "task.cancelled": true,
  "task.unblocked": true,
  "task.queued": false,
  "gate.started": false,
  "task.landed": true,
  "task.proposed": true,
  "task.reviewed": false,
  "task.reopened": true,
  "mail.sent": false,
  "mail.delivered": false,
  "mail.withdrawn": false,
  "turn.taken": true,
  "tool.called": true,
  "permission.asked": false,
  "permission.answered": false,
  "question.asked": false,
  "question.answered": false,
  "shutdown.asked": false,
  "shutdown.answered": false,
  "plan.submitted": false,
  "plan.answered": false,
  "request.withdrawn": false,
  "answer.ignored": false,
  "context.compacted": false,
  "model.changed": false,
  "effort.changed": false,
  "mode.changed": false,
  "person.acted": false,
  "model.retried": false,
  "job.started": false,
  "job.ended": false,
  "cron.added": false,
  "cron.fired": false,
  "cron.cancelled": false,
  "work.judged": false,
  "memory.kept": false,
  "login.window": false,
  "work.stalled": false,
  "work.recovered": false,
  "warning.raised": false,
} as const satisfies Readonly<Record<FactType, boolean>>;

export type ToldFact = { [T in FactType]: (typeof TOLD)[T] extends true ? T : never }[FactType];
/** The events that spans and meters take: a fact that is not told cannot be a case of theirs. */
export type ToldEvent = Extract<Event, { readonly type: ToldFact }>;

const isTold = (type: FactType): type is ToldFact => TOLD[type];

export const TOLD_FACTS: readonly ToldFact[] = (Object.keys(TOLD) as FactType[]).filter(isTold);
