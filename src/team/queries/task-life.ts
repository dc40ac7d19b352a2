/** The life of one task, read on with each look: its history, its owners with their times, what they did then, and their spending. */
import { type Event, type FactType, TASK_CHANGES } from "../../core/event.ts";
import type { Name, TaskId } from "../../core/ids.ts";
import { Hands } from "../../core/picture/hands.ts";
import type { Cursor, Journal } from "../../ports/index.ts";

/** Facts of the history of a task. */
export const ABOUT_TASKS: readonly FactType[] = [
  ...TASK_CHANGES,
  "task.unblocked",
  "task.queued",
  "gate.started",
  "task.checked",
  "task.landed",
  "task.signalled",
  "task.drifted",
  "task.proposed",
  "task.reopened",
  "plan.submitted",
  "plan.answered",
];

const READ: readonly FactType[] = [...ABOUT_TASKS, "turn.taken", "teammate.phase"];

/** The time of a longer task is not told by turns. */
const AROUND_MAX = 5_000;

/** `until` null: it continues. */
export type Try = {
  readonly by: Name;
  readonly attempt: number;
  readonly from: number;
  until: number | null;
};

export class TaskLife {
  readonly history: Event[] = [];
  readonly tries: Try[] = [];
  /** The turns and phases of its owners, without words. */
  readonly around: Event[] = [];
  /** The spending of its owners on it, with their subagents. */
  readonly spent = { turns: 0, tokens: 0, usd: 0 };
  private readonly hands = new Hands();
  private readonly id: TaskId;
  private readonly journal: Journal;
  private at: Cursor;

  constructor(journal: Journal, id: TaskId) {
    this.journal = journal;
    this.id = id;
    this.at = journal.from(0);
  }

  /** Whether there was something new. */
  async readOn(): Promise<boolean> {
    const before = this.history.length + this.spent.turns;
    for await (const { events, cursor } of this.journal.pages(this.at, READ)) {
      for (const event of events) this.take(event);
      this.at = cursor;
    }
    return this.history.length + this.spent.turns > before;
  }

  private take(event: Event): void {
    const last = this.tries.at(-1);
    this.hands.apply(event);
    if (event.type === "turn.taken" || event.type === "teammate.phase") this.takeAround(event);
    if (event.type === "turn.taken") {
      if (this.hands.paying(event.who) !== this.id) return;
      this.spent.turns += 1;
      this.spent.tokens += event.inputTokens + event.outputTokens;
      this.spent.usd += event.usd;
      return;
    }
    if (!("task" in event) || event.task !== this.id) return;
    this.history.push(event);
    if (ENDS.has(event.type) && last) last.until ??= event.at;
    if (event.type === "task.claimed")
      this.tries.push({ by: event.by, attempt: event.attempt, from: event.at, until: null });
  }

  private takeAround(event: Extract<Event, { who: Name }>): void {
    if (this.around.length >= AROUND_MAX || !this.tries.some(({ by }) => by === event.who)) return;
    this.around.push(event.type === "turn.taken" ? { ...event, text: "" } : event);
  }
}

const ENDS: ReadonlySet<FactType> = new Set([
  "task.claimed",
  "task.completed",
  "task.failed",
  "task.released",
  "task.cancelled",
]);
