/** The task that a member works on: it is claimed for it, resumed after a restart, and the member is reminded of it. */
import type { Entry } from "../../core/conversation/chat.ts";
import { claimed, ownTask, STILL_YOURS, WENT_ON } from "../../core/conversation/prompt.ts";
import type { TaskId } from "../../core/ids.ts";
import { IDLE, type IdleReason } from "../../core/lifecycle.ts";
import type { Claimed } from "../../core/task.ts";
import type { Agent } from "../agent/agent.ts";

/** A member that ends its turn without finishing its task is reminded of it so many times, then the task goes back. */
const REMINDERS = 3;

export class CurrentTask {
  private readonly agent: Agent;
  private readonly held = new Set<TaskId>();
  private reminded = 0;
  /** The task of this stint. */
  task: TaskId | null = null;

  constructor(agent: Agent) {
    this.agent = agent;
  }

  /** The member made calls, so it reacted to its reminders. */
  acted(): void {
    this.reminded = 0;
  }

  /** Claims the next ready task. Its description enters the transcript in the same step. */
  async claim(reason: IdleReason): Promise<boolean> {
    const { store, seat, kind, conversation, workspaceOf } = this.agent;
    if (kind !== "teammate" || !IDLE[reason].reminded) return false;
    let entry: Entry | undefined;
    const task = await store.board.claimNext(seat, (taken) => {
      entry = claimed(taken, workspaceOf?.(taken));
      return entry;
    });
    if (!task || !entry) return false;
    conversation.add(entry);
    this.hold(task.id);
    return true;
  }

  /** After a restart: true when the member has a task, or something in its conversation that it has not answered. */
  async resumeAfterRestart(): Promise<boolean> {
    const { store, seat, conversation } = this.agent;
    if (conversation.isEmpty) return false;
    const own = await store.board.mine(seat.name);
    if (own) await this.remind(own, WENT_ON);
    return own !== null || conversation.awaitsReply;
  }

  /** True when the member must continue: it has a task, or its stint was too short for what it does. */
  async resume(reason: IdleReason): Promise<boolean> {
    const { store, seat, kind, conversation } = this.agent;
    if (!IDLE[reason].reminded) return false;
    const own = kind === "lead" ? null : await store.board.mine(seat.name);
    // Its stint ended in the middle of work that no task stands for. Only budgets limit that.
    if (!own) return reason === "turn_limit" && conversation.awaitsReply;
    // A running command of its current task keeps it waiting; a server left by an earlier task does not.
    if (reason !== "turn_limit" && (await store.jobs.running(seat.name, own.id)) > 0) return false;
    if (this.reminded >= REMINDERS) {
      const note = `${seat.name} ended its turn ${REMINDERS} times without finishing it`;
      await store.board.release({ seat, task: own.id, attempt: own.attempt }, "given_back", note);
      this.reminded = 0;
      return false;
    }
    if (reason !== "turn_limit") this.reminded += 1;
    await this.remind(own, STILL_YOURS);
    return true;
  }

  /** Why it idles: a member with an open plan waits for the answer, whatever it did after submitting it. */
  async idleReason(reason: IdleReason): Promise<IdleReason> {
    const { store, seat, kind } = this.agent;
    if (kind !== "teammate") return reason;
    const plans = await store.requests.open({ by: seat.name, kind: "plan" });
    const own = plans.length > 0 ? await store.board.mine(seat.name) : null;
    const waits = plans.some(
      ({ ask }) => ask.kind === "plan" && ask.task === own?.id && ask.attempt === own.attempt,
    );
    if (waits) return "awaiting_plan";
    return reason === "awaiting_plan" ? "awaiting_tasks" : reason; // the task was taken away
  }

  /** The tasks that it completed since the last call. */
  async finished(): Promise<TaskId[]> {
    const { store, seat } = this.agent;
    const tasks = await Promise.all([...this.held].map((id) => store.board.task(id)));
    this.held.clear();
    return tasks.flatMap((task) =>
      task?.status === "completed" && task.owner === seat.name ? [task.id] : [],
    );
  }

  private async remind(task: Claimed, why: string): Promise<void> {
    const { store, seat, conversation, workspaceOf } = this.agent;
    this.hold(task.id);
    const entry = ownTask(task, why, workspaceOf?.(task));
    await store.transcript.record(seat, [entry]);
    conversation.add(entry);
  }

  private hold(task: TaskId): void {
    this.task = task;
    this.held.add(task);
  }
}
