/** Spent tokens and money, by member, model, task and hour, folded from facts. Pure; a fact costs the same on any board. */
import type { Event, FactOf, FactType } from "../event.ts";
import { LEAD } from "../ids.ts";
import { Hands } from "./hands.ts";

export type Spending = {
  readonly turns: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly usd: number;
};
export type Costs = {
  readonly total: Spending;
  readonly members: Readonly<Record<string, Spending>>;
  readonly models: Readonly<Record<string, Spending>>;
  /** By task number. Without a task: at "lead" that of the lead, at "idle" that of the others. */
  readonly tasks: Readonly<Record<string, Spending>>;
  /** By the hour's beginning, in milliseconds. */
  readonly hours: Readonly<Record<string, Spending>>;
  /** Tokens that each member's conversation holds. */
  readonly context: Readonly<Record<string, number>>;
};
type Sums = { -readonly [K in keyof Spending]: number };

/** The facts that a reader of nothing but spending needs. */
export const SPENDING_FACTS = [
  "turn.taken",
  "task.claimed",
  "task.completed",
  "task.failed",
  "task.released",
  "task.cancelled",
  "teammate.phase",
] as const satisfies readonly FactType[];

const HOUR_MS = 3_600_000;
const KEYS = ["members", "models", "tasks", "hours"] as const;

const none = (): Sums => ({ turns: 0, input: 0, cached: 0, output: 0, usd: 0 });

/** The tokens of a conversation after a turn: its next request begins with this request and this reply. */
export const contextAfter = ({ inputTokens, outputTokens }: FactOf<"turn.taken">): number =>
  inputTokens + outputTokens;

/** A turn counts for the task that its member had in hand, or had just ended. */
export class Spent {
  readonly total = none();
  private readonly sums: Readonly<Record<(typeof KEYS)[number], Map<string, Sums>>> = {
    members: new Map(),
    models: new Map(),
    tasks: new Map(),
    hours: new Map(),
  };
  private readonly context = new Map<string, number>();
  private readonly hands = new Hands();

  apply(event: Event): void {
    this.hands.apply(event);
    if (event.type !== "turn.taken") return;
    if (event.subagent === undefined) this.context.set(event.who, contextAfter(event));
    const keys = {
      members: event.who,
      models: event.model,
      tasks: String(this.hands.paying(event.who) ?? (event.who === LEAD ? "lead" : "idle")),
      hours: String(Math.floor(event.at / HOUR_MS) * HOUR_MS),
    };
    add(this.total, event);
    for (const by of KEYS) {
      const sums = this.sums[by].get(keys[by]) ?? none();
      this.sums[by].set(keys[by], sums);
      add(sums, event);
    }
  }

  costs(): Costs {
    const { members, models, tasks, hours } = this.sums;
    return {
      total: this.total,
      members: Object.fromEntries(members),
      models: Object.fromEntries(models),
      tasks: Object.fromEntries(tasks),
      hours: Object.fromEntries(hours),
      context: Object.fromEntries(this.context),
    };
  }
}

function add(sums: Sums, turn: FactOf<"turn.taken">): void {
  sums.turns += 1;
  sums.input += turn.inputTokens;
  sums.cached += turn.cachedTokens;
  sums.output += turn.outputTokens;
  sums.usd += turn.usd;
}
