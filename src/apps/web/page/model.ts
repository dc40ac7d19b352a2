/**
 * A team at one moment, folded from facts. Live it begins with the server's snapshot, in a replay with an empty board; from there
 * on both take the same facts in the same way. Pure, and changed in place: `version` counts all changes, `board` those of tasks,
 * `shape` those of the set of tasks and edges.
 */
import type { Event } from "../../../core/event.ts";
import type { MemberRow } from "../wire.ts";
import { blank, plainOf, type Task } from "./task.ts";

export type Member = { -readonly [K in keyof MemberRow]: MemberRow[K] } & {
  /** The last call that ended, in a replay of what it did. */
  lastCall: string;
  /** Input tokens of its last turn. */
  context: number | null;
};

const memberOf = (row: MemberRow): Member => ({ ...row, lastCall: "", context: null });

export class Model {
  readonly tasks = new Map<number, Task>();
  readonly members = new Map<string, Member>();
  version = 0;
  board = 0;
  shape = 0;
  /** Tasks of which a fact says only that they changed. */
  readonly stale = new Set<number>();
  private readonly known: ReadonlyMap<number, Task>;

  /** `known`: what is known of tasks besides their facts, for a replay. */
  constructor(known: ReadonlyMap<number, Task> = new Map()) {
    this.known = known;
  }

  static of(tasks: readonly Task[], members: readonly MemberRow[]): Model {
    const model = new Model();
    for (const task of [...tasks].sort((a, b) => a.id - b.id)) model.tasks.set(task.id, task);
    for (const row of members) model.members.set(row.name, memberOf(row));
    return model;
  }

  /** What facts do not say of tasks. Their status is the facts' business: an answer may be older than the last fact. */
  setRows(rows: readonly Task[]): void {
    for (const row of rows) {
      const known = this.tasks.get(row.id);
      if (known) Object.assign(known, plainOf(row));
      else this.tasks.set(row.id, row);
    }
    this.changed("shape");
  }

  /** Which members are run, and their figures where no fact came since `version`, when they were asked for. */
  setMembers(rows: readonly MemberRow[], version: number): void {
    const isCurrent = version === this.version;
    for (const row of rows) {
      const known = this.members.get(row.name);
      if (!known) this.members.set(row.name, memberOf(row));
      else if (isCurrent) Object.assign(known, row);
      else Object.assign(known, { hosted: row.hosted, machine: row.machine });
    }
    this.changed("member");
  }

  apply(event: Event): void {
    const isOfTask = event.type.startsWith("task.") || event.type === "gate.started";
    this.changed(isOfTask ? "board" : "member");
    if (isOfTask) this.applyToTask(event);
    this.applyToMember(event);
  }

  private changed(what: "member" | "board" | "shape"): void {
    this.version += 1;
    if (what !== "member") this.board += 1;
    if (what === "shape") this.shape += 1;
  }

  private applyToTask(event: Event): void {
    if (event.type === "task.added") {
      const known = this.known.get(event.task);
      this.tasks.set(event.task, {
        ...blank(event.task, event.subject, event.at),
        blockedBy: event.blockedBy,
        ...(known && { ...plainOf(known), subject: event.subject }),
      });
      if (!known) this.stale.add(event.task);
      this.changed("shape");
      return;
    }
    if (!("task" in event) || typeof event.task !== "number") return;
    const task = this.tasks.get(event.task);
    if (!task) return void this.stale.add(event.task);
    if (event.type === "task.changed") this.stale.add(task.id);
    Object.assign(task, changeOf(event));
  }

  private applyToMember(event: Event): void {
    switch (event.type) {
      case "teammate.spawned":
        if (!this.members.has(event.who)) this.members.set(event.who, memberOf(newMember(event)));
        else
          Object.assign(this.members.get(event.who) as Member, {
            phase: "work",
            reason: "",
            since: event.at,
            hosted: true,
          });
        return;
      case "teammate.phase":
        if (event.phase === "shutdown") this.unassign(event.who);
        this.change(event.who, {
          phase: event.phase,
          reason: event.reason ?? "",
          since: event.at,
          hosted: event.phase !== "shutdown",
          ...(event.phase === "shutdown" && { task: null }),
        });
        return;
      case "task.claimed":
      case "task.reopened":
        this.change(event.by, { task: event.task });
        return;
      case "task.completed":
      case "task.failed":
      case "task.cancelled":
      case "task.released":
        for (const member of this.members.values()) if (member.task === event.task) member.task = null;
        return;
      case "mail.sent":
        this.count(event.to, 1);
        return;
      case "mail.delivered":
        this.count(event.to, -1);
        return;
      case "tool.called":
        this.change(event.who, { lastCall: `${event.tool} ${event.subject}`.trim() });
        return;
      case "turn.taken": {
        const member = this.members.get(event.who);
        if (!member) return;
        member.turns += 1;
        member.inputTokens += event.inputTokens;
        member.cachedTokens += event.cachedTokens;
        member.outputTokens += event.outputTokens;
        member.usd += event.usd;
        if (event.subagent === undefined) member.context = event.inputTokens;
      }
    }
  }

  /** No fact says it: the tasks of a member that leaves are free again. */
  private unassign(who: string): void {
    for (const task of this.tasks.values()) if (task.assignee === who) task.assignee = "";
  }

  private change(who: string, change: Partial<Member>): void {
    const member = this.members.get(who);
    if (member) Object.assign(member, change);
  }

  private count(who: string, by: 1 | -1): void {
    const member = this.members.get(who);
    if (member) member.unread = Math.max(0, member.unread + by);
  }
}

/** What a fact changes of its task. */
function changeOf(event: Event): Partial<Task> {
  const { at: endedAt } = event;
  switch (event.type) {
    case "task.claimed": {
      const { by: owner, attempt, at: startedAt } = event;
      return { status: "in_progress", owner, attempt, startedAt, endedAt: null, landing: null };
    }
    case "task.completed":
      return { status: "completed", owner: event.by, endedAt, why: "" };
    case "task.failed":
      return { status: "failed", owner: event.by, endedAt, why: event.reason };
    case "task.cancelled":
      return { status: "cancelled", owner: null, endedAt, why: event.reason };
    case "task.released": {
      const why = event.note ? { why: event.note } : {};
      return { status: "pending", owner: null, startedAt: null, endedAt: null, landing: null, ...why };
    }
    case "task.reopened": {
      const { by: owner, evidence: why } = event;
      return { status: "in_progress", owner, endedAt: null, landing: "refused", why };
    }
    case "task.queued":
      return { landing: "queued" };
    case "gate.started":
      return { landing: "gate" };
    case "task.landed":
      return { landing: "landed" };
    default:
      return {};
  }
}

type Spawned = Omit<Extract<Event, { type: "teammate.spawned" }>, "seq">;

export const newMember = ({ who, kind, role, model, at }: Spawned): MemberRow => ({
  name: who,
  kind,
  role,
  model,
  phase: "work",
  reason: "",
  since: at,
  hosted: true,
  machine: "",
  task: null,
  unread: 0,
  turns: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  usd: 0,
  joinedAt: at,
});
