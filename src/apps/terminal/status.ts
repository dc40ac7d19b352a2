/** Who does what right now, kept up to date from the journal alone, so that a status line never has to query a large board. */
import type { Event } from "../../core/event.ts";
import type { Instant, Name, TaskId } from "../../core/ids.ts";
import type { Member } from "../../core/member.ts";
import type { Task } from "../../core/task.ts";

export type Doing = {
  readonly name: Name;
  readonly isLead: boolean;
  phase: "work" | "idle" | "shutdown";
  reason: string;
  since: Instant;
  task: TaskId | null;
  /** The last thing it did: "bash npm test". */
  step: string;
};

export class TeamStatus {
  readonly members = new Map<Name, Doing>();
  tokens = 0;
  usd = 0;
  private readonly subjects = new Map<TaskId, string>();

  constructor(members: readonly Member[], tasks: readonly Task[]) {
    for (const task of tasks) this.subjects.set(task.id, task.subject);
    for (const member of members) {
      const { phase } = member.activity;
      const reason = "reason" in member.activity ? member.activity.reason : "";
      this.members.set(member.name, {
        name: member.name,
        isLead: member.kind === "lead",
        phase,
        reason,
        since: member.since,
        task: member.task,
        step: "",
      });
      this.tokens += member.inputTokens + member.outputTokens;
      this.usd += member.usd;
    }
  }

  subject(task: TaskId): string {
    return this.subjects.get(task) ?? "";
  }

  apply(event: Event): void {
    switch (event.type) {
      case "teammate.spawned":
        this.members.set(event.who, {
          name: event.who,
          isLead: event.kind === "lead",
          phase: "work",
          reason: "",
          since: event.at,
          task: null,
          step: "",
        });
        return;
      case "teammate.phase":
        this.change(event.who, {
          phase: event.phase,
          reason: event.reason ?? "",
          since: event.at,
          step: "",
          ...(event.phase === "shutdown" && { task: null }),
        });
        return;
      case "task.added":
        this.subjects.set(event.task, event.subject);
        return;
      case "task.claimed":
        this.change(event.by, { phase: "work", task: event.task, since: event.at, step: "" });
        return;
      case "task.completed":
      case "task.failed":
      case "task.released":
      case "task.cancelled":
        this.drop(event.task);
        return;
      case "tool.called":
        this.change(event.who, { step: `${event.tool} ${event.subject}`.trim() });
        return;
      case "task.queued":
        this.change(event.by, { step: "waits to land" });
        return;
      case "gate.started":
        this.change(event.by, { step: `gate: ${event.command}` });
        return;
      case "permission.asked":
        this.change(event.who, { step: `asks to run ${event.tool}` });
        return;
      case "model.retried":
        this.change(event.who, { step: `waits for the model: ${event.why}` });
        return;
      case "turn.taken":
        this.tokens += event.inputTokens + event.outputTokens;
        this.usd += event.usd;
        return;
      default:
        return;
    }
  }

  private change(name: Name, what: Partial<Doing>): void {
    const member = this.members.get(name);
    if (member) Object.assign(member, what);
  }

  private drop(task: TaskId): void {
    for (const member of this.members.values())
      if (member.task === task) Object.assign(member, { task: null, step: "" });
  }
}
