/** Changes the picture of a team by each fact. A new fact does not compile until this table has a line for it. */

import { releaseWords } from "../board/release.ts";
import type { Event, Fact, FactOf, FactType } from "../event.ts";
import { type Instant, later } from "../ids.ts";
import { keyOfWindow } from "../limits/window.ts";
import { joined, memberOf, type PictureMember } from "./member.ts";
import type { Picture } from "./picture.ts";
import { contextAfter } from "./spent.ts";
import { blank, fieldsOf, type Task } from "./task.ts";

type Apply<T extends FactType> = (picture: Picture, fact: FactOf<T> & { readonly at: Instant }) => void;

const unseen = (): void => {};

const APPLY: { readonly [T in FactType]: Apply<T> } = {
  "teammate.spawned": (picture, { who, kind, role, model, at }) => {
    const known = picture.members.get(who);
    // The figures of a former member of the name stay.
    if (!known) picture.members.set(who, memberOf(joined(who, kind, role, model, at)));
    else
      Object.assign(known, {
        ...{ kind, role, model, phase: "work", reason: "", since: at, joinedAt: at, hosted: true },
        ...{ task: picture.hands.taskOf(who), unread: 0, step: "", retry: null },
      });
  },
  "teammate.changed": (picture, { who, role, name }) => {
    if (role !== undefined) member(picture, who, { role });
    if (name !== undefined) rename(picture, who, name);
  },
  "teammate.phase": (picture, { who, phase, reason, at }) => {
    if (phase === "shutdown") unassign(picture, who);
    member(picture, who, {
      ...{ phase, reason: reason ?? "", since: at, hosted: phase !== "shutdown", step: "" },
      ...(phase === "shutdown" && { task: null }),
      ...(reason !== "rate_limited" && { retry: null }),
    });
    // Its gate has ended, and the next one begins when the target is repaired.
    const task = reason === "awaiting_base" ? picture.hands.taskOf(who) : null;
    if (task !== null) change(picture, task, { landing: { is: "queued" } });
  },
  "task.added": (picture, added) => {
    const { task, subject, at } = added;
    picture.tasks.set(task, { ...blank(task, subject, at), ...fieldsOf(added) });
    picture.changed("shape");
  },
  "task.changed": (picture, { task, now = {} }) => {
    change(picture, task, fieldsOf(now));
    if (now.subject !== undefined || now.blockedBy !== undefined) picture.changed("shape");
  },
  "task.claimed": (picture, { task, by: owner, attempt, at: startedAt }) => {
    change(picture, task, {
      ...{ status: "in_progress", owner, attempt, startedAt, endedAt: null, landing: null },
    });
    picture.hands.claim(task, owner);
    member(picture, owner, { task: picture.hands.taskOf(owner), step: "" });
  },
  "task.completed": (picture, { task, by, at }) => {
    const known = picture.tasks.get(task);
    const owner = known?.owner ?? by;
    const startedAt = known?.startedAt ?? at;
    ended(picture, task, { status: "completed", owner, startedAt, endedAt: at });
  },
  "task.failed": (picture, { task, by, reason: why, at: endedAt }) => {
    const owner = picture.tasks.get(task)?.owner ?? by;
    ended(picture, task, { status: "failed", owner, endedAt, why });
  },
  "task.released": (picture, { task, from, why, note, parts }) => {
    if (parts) picture.changed("shape");
    const before = picture.tasks.get(task)?.blockedBy ?? [];
    ended(picture, task, {
      ...{ status: "pending", owner: null, startedAt: null, endedAt: null, landing: null },
      // The member that has split it gets it back. A retry changes neither its assignee nor the reason of its failure.
      ...(parts
        ? { blockedBy: [...new Set([...before, ...parts])], assignee: from ?? "" }
        : why !== "retry" && { assignee: "", why: releaseWords(why, from, note) }),
    });
  },
  "task.cancelled": (picture, { task, reason: why, at: endedAt }) =>
    ended(picture, task, { status: "cancelled", owner: null, assignee: "", endedAt, why }),
  "task.unblocked": unseen,
  "task.queued": (picture, { task, by }) => {
    // Others queue while its gate runs, and it may ask again: the gate continues.
    if (picture.tasks.get(task)?.landing?.is === "gate") return;
    change(picture, task, { landing: { is: "queued" } });
    member(picture, by, { step: "waits to land" });
  },
  "gate.started": (picture, { task, by, command }) => {
    change(picture, task, { landing: { is: "gate", command } });
    member(picture, by, { step: `gate: ${command}` });
  },
  "task.signalled": unseen,
  "task.drifted": unseen,
  "base.judged": (picture, { verdict, at: _, ...base }) => {
    picture.redBase = verdict === "red" ? base : null;
  },
  "gate.flaky": unseen,
  "task.landed": (picture, { task, target }) => {
    change(picture, task, { landing: { is: "landed" } });
    // Nothing lands on a target that is red.
    if (picture.redBase?.target === target) picture.redBase = null;
  },
  "task.proposed": unseen,
  "task.reopened": (picture, { task, evidence }) =>
    change(picture, task, { landing: { is: "refused", evidence } }),
  "mail.sent": (picture, { to }) => unread(picture, to, 1),
  "mail.delivered": (picture, { to }) => unread(picture, to, -1),
  "mail.withdrawn": (picture, { to }) => unread(picture, to, -1),
  "tool.called": (picture, { who, tool, subject }) => {
    const lastCall = `${tool} ${subject}`.trim();
    member(picture, who, { step: lastCall, lastCall });
  },
  "turn.taken": (picture, turn) => {
    const known = picture.members.get(turn.who);
    if (!known) return;
    known.turns += 1;
    known.inputTokens += turn.inputTokens;
    known.cachedTokens += turn.cachedTokens;
    known.outputTokens += turn.outputTokens;
    known.usd += turn.usd;
    if (turn.subagent === undefined) Object.assign(known, { context: contextAfter(turn), retry: null });
  },
  "question.asked": (picture, { who }) => member(picture, who, { step: "asks you" }),
  "permission.asked": (picture, { who, tool }) => member(picture, who, { step: `asks to run ${tool}` }),
  "model.retried": (picture, { who, why, attempt, waitMs, at }) =>
    member(picture, who, {
      step: `waits for the model: ${why}`,
      retry: { until: later(at, waitMs), attempt, why },
    }),
  "team.created": unseen,
  "team.forked": unseen,
  "team.deleted": unseen,
  "team.resumed": unseen,
  "team.finished": unseen,
  "run.began": unseen,
  "journal.pruned": unseen,
  "task.reviewed": unseen,
  "task.checked": unseen,
  "permission.answered": unseen,
  "question.answered": unseen,
  "shutdown.asked": unseen,
  "shutdown.answered": unseen,
  "plan.submitted": unseen,
  "plan.answered": unseen,
  "request.withdrawn": unseen,
  "answer.ignored": unseen,
  "context.compacted": unseen,
  "model.changed": unseen,
  "effort.changed": unseen,
  "mode.changed": unseen,
  "order.given": unseen,
  "order.done": unseen,
  "person.acted": unseen,
  "work.undone": unseen,
  "job.started": unseen,
  "job.ended": unseen,
  "cron.added": unseen,
  "cron.fired": unseen,
  "cron.cancelled": unseen,
  "work.judged": unseen,
  "board.held": unseen,
  "board.shown": unseen,
  "board.released": unseen,
  "note.written": unseen,
  "note.changed": unseen,
  "memory.kept": unseen,
  "login.window": (picture, { type: _, at: __, ...window }) =>
    void picture.logins.set(keyOfWindow(window), window),
  "work.stalled": unseen,
  "work.recovered": unseen,
  "warning.raised": unseen,
};

export function apply(picture: Picture, event: Event): void {
  // A newer program may have written a fact that this one does not know.
  const one = APPLY[event.type] as ((picture: Picture, fact: Fact & { at: Instant }) => void) | undefined;
  one?.(picture, event);
}

function change(picture: Picture, id: number, what: Partial<Task>): void {
  const task = picture.tasks.get(id);
  if (task) Object.assign(task, what);
}

function ended(picture: Picture, id: number, what: Partial<Task>): void {
  change(picture, id, what);
  const owner = picture.hands.drop(id);
  if (owner !== undefined) member(picture, owner, { task: picture.hands.taskOf(owner), step: "" });
}

function member(picture: Picture, who: string, what: Partial<PictureMember>): void {
  const known = picture.members.get(who);
  if (known) Object.assign(known, what);
}

/** It has nothing in hand. Its place among the members stays. */
function rename(picture: Picture, who: string, name: string): void {
  const all = [...picture.members.entries()];
  picture.members.clear();
  for (const [key, one] of all)
    if (key === who) picture.members.set(name, Object.assign(one, { name }));
    else picture.members.set(key, one);
  for (const { id, owner, assignee } of picture.tasks.values()) {
    if (owner === who) change(picture, id, { owner: name });
    if (assignee === who) change(picture, id, { assignee: name });
  }
}

function unread(picture: Picture, who: string, by: 1 | -1): void {
  const known = picture.members.get(who);
  if (known) known.unread = Math.max(0, known.unread + by);
}

/** No fact says it: the tasks of a member that leaves are free again. */
function unassign(picture: Picture, who: string): void {
  for (const task of picture.tasks.values())
    if (task.assignee === who && task.status === "pending") task.assignee = "";
}
