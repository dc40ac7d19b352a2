/** Figures from the facts of the journal, as sums since the start of this process. Pure. */
import { type Attributes, modelNames } from "./spans.ts";
import type { ToldEvent, ToldFact } from "./told.ts";

export type Point = { readonly attributes: Attributes; readonly value: number };
export type Metric = {
  readonly name: string;
  readonly unit: string;
  readonly about: string;
  readonly points: readonly Point[];
};

const SUMS = {
  "ekiden.cost": ["{USD}", "Cost of model calls in US dollars"],
  "ekiden.tasks.ended": ["{task}", "Attempts that ended, by outcome"],
  "ekiden.landings": ["{landing}", "Landings, by outcome"],
} as const;
type Sum = keyof typeof SUMS;

const ENDS: ReadonlySet<ToldFact> = new Set(["task.completed", "task.failed", "task.released"]);
const LANDINGS: ReadonlySet<ToldFact> = new Set(["task.landed", "task.proposed"]);

export class Meters {
  private readonly sums = new Map<Sum, Map<string, Point>>();

  /** Of a member that this process runs. */
  take(event: ToldEvent): void {
    const { type } = event;
    const outcome = type.slice("task.".length);
    if (type === "turn.taken")
      this.add("ekiden.cost", { "gen_ai.request.model": modelNames(event.model)[1] }, event.usd);
    else if (ENDS.has(type)) this.add("ekiden.tasks.ended", { outcome });
    else if (LANDINGS.has(type)) this.add("ekiden.landings", { outcome });
    else if (type === "task.reopened" && event.why !== "hook" && event.why !== "review")
      this.add("ekiden.landings", { outcome: event.why });
  }

  private add(name: Sum, attributes: Attributes, value = 1): void {
    const all = this.sums.get(name) ?? new Map<string, Point>();
    this.sums.set(name, all);
    const key = JSON.stringify(attributes);
    all.set(key, { attributes, value: (all.get(key)?.value ?? 0) + value });
  }

  snapshot(): Metric[] {
    return [...this.sums].map(([name, all]) => {
      const [unit, about] = SUMS[name];
      return { name, unit, about, points: [...all.values()] };
    });
  }
}
