/** The task a member has in hand: claimed for it, gone on with after a restart, never quietly forgotten. */
import type { Entry } from "../../core/conversation/chat.ts";
import { claimed, ownTask, STILL_YOURS, WENT_ON } from "../../core/conversation/prompt.ts";
import type { TaskId } from "../../core/ids.ts";
import type { IdleReason } from "../../core/lifecycle.ts";
import type { Claimed } from "../../core/task.ts";
import type { Agent } from "../agent/agent.ts";

/** How often a member that ends its turn with its task in hand is told that it still has it, before the task goes back. */
const REMINDERS = 3;
/** A member that waits for an answer is neither reminded of its task nor given another. */
export const WAITING: ReadonlySet<IdleReason> = new Set([
  "awaiting_messages",
  "awaiting_plan",
  "awaiting_permission",
]);

export class CurrentTask {
  private readonly agent: Agent;
  private readonly held = new Set<TaskId>();
  private reminded = 0;
  /** The task of this stint. */
  task: TaskId | null = null;

  constructor(agent: Agent) {
    this.agent = agent;
  }

  /** The member does something: whatever it was reminded of, it has begun to act on. */
  acted(): void {
    this.reminded = 0;
  }

  /** Pulls the next ready task, with its description into the conversation, in one step. */
  async claim(reason: IdleReason): Promise<boolean> {
    const { store, seat, kind, conversation, workspaceOf } = this.agent;
    if (kind !== "teammate" || WAITING.has(reason)) return false;
    const shown = (taken: Claimed): Entry => claimed(taken, workspaceOf?.(taken));
    const task = await store.board.claimNext(seat, shown);
    if (!task) return false;
    conversation.add(shown(task));
    this.hold(task.id);
    return true;
  }

  /** After a restart: the task in hand first, then whatever the member had not answered yet. */
  async resumeAfterRestart(): Promise<boolean> {
    const { store, seat, conversation } = this.agent;
    if (conversation.isEmpty) return false;
    const own = await store.board.mine(seat.name);
    if (own) await this.remind(own, WENT_ON);
    return own !== null || conversation.awaitsReply;
  }

  /** True when there is a task in hand that the member is to go on with, or something else that its stint was too short for. */
  async resume(reason: IdleReason): Promise<boolean> {
    const { store, seat, kind, conversation } = this.agent;
    if (WAITING.has(reason)) return false;
    const own = kind === "lead" ? null : await store.board.mine(seat.name);
    // In the middle of its work, with nobody else to ask for more of it: what limits that are budgets.
    if (!own) return reason === "turn_limit" && conversation.awaitsReply;
    // Who rests while its background command runs waits for it; but for a server of an earlier task nobody waits.
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

  /** Why it rests: whoever has a plan out waits for the answer, whatever it did meanwhile. */
  async idleReason(reason: IdleReason): Promise<IdleReason> {
    const { store, seat, kind } = this.agent;
    if (kind !== "teammate") return reason;
    const plans = await store.requests.open({ by: seat.name, kind: "plan" });
    const own = plans.length > 0 ? await store.board.mine(seat.name) : null;
    const waits = plans.some(
      ({ ask }) => ask.kind === "plan" && ask.task === own?.id && ask.attempt === own.attempt,
    );
    if (waits) return "awaiting_plan";
    return reason === "awaiting_plan" ? "awaiting_tasks" : reason; // the task was taken from it
  }

  /** What it completed since it was last asked. */
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
