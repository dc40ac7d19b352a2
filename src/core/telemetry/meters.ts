/** Figures from the facts of the journal, as sums and histograms since the start of this process. Pure. */
import type { FactOf } from "../event.ts";
import type { Name, TaskId } from "../ids.ts";
import { type Attributes, modelNames } from "./spans.ts";
import type { ToldEvent, ToldFact } from "./told.ts";

export type Point = { readonly attributes: Attributes; readonly value: number };
type Series = {
  readonly attributes: Attributes;
  count: number;
  sum: number;
  min: number;
  max: number;
  /** One more than `bounds`; the last counts what is above all of them. */
  buckets: readonly number[];
};
export type HistogramPoint = Readonly<Series>;
export type Metric = { readonly name: string; readonly unit: string; readonly about: string } & (
  | { readonly kind: "sum" | "gauge"; readonly points: readonly Point[] }
  | {
      readonly kind: "histogram";
      readonly bounds: readonly number[];
      readonly points: readonly HistogramPoint[];
    }
);

const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];

/** Name → unit, meaning and, for a histogram, its bounds. */
const INSTRUMENTS = {
  "gen_ai.client.token.usage": ["{token}", "Tokens of model calls", TOKENS],
  "gen_ai.client.operation.duration": ["s", "Duration of model calls", SECONDS],
  "ekiden.task.claim.latency": ["s", "Time from ready to claimed", SECONDS],
  "ekiden.member.idle.duration": ["s", "Time that a member was idle", SECONDS],
  "ekiden.cost": ["{USD}", "Cost of model calls in US dollars", null],
  "ekiden.tasks.ended": ["{task}", "Attempts that ended, by outcome", null],
  "ekiden.landings": ["{landing}", "Landings, by outcome", null],
} as const satisfies Readonly<Record<string, readonly [string, string, readonly number[] | null]>>;
type Instrument = keyof typeof INSTRUMENTS;

/** Facts that count as one of something. */
const ENDS: { readonly [T in ToldFact]?: readonly [Instrument, outcome: string] } = {
  "task.completed": ["ekiden.tasks.ended", "completed"],
  "task.failed": ["ekiden.tasks.ended", "failed"],
  "task.landed": ["ekiden.landings", "landed"],
  "task.proposed": ["ekiden.landings", "proposed"],
};

export class Meters {
  private readonly series = new Map<Instrument, Map<string, Series>>();
  /** When tasks became ready that nobody has claimed yet. */
  private readonly ready = new Map<TaskId, number>();
  private readonly idleSince = new Map<Name, number>();

  /** `isOurs`: a member that this process runs is the actor. Other facts only say when tasks became ready. */
  take(event: ToldEvent, isOurs: boolean): void {
    switch (event.type) {
      case "task.added":
        if (event.blockedBy.length === 0) this.ready.set(event.task, event.at);
        return;
      case "task.unblocked":
      case "task.released":
        this.ready.set(event.task, event.at);
        if (event.type === "task.released" && isOurs) this.add("ekiden.tasks.ended", { outcome: "released" });
        return;
      case "task.cancelled":
        this.ready.delete(event.task);
        return;
      case "task.claimed": {
        const since = this.ready.get(event.task);
        this.ready.delete(event.task);
        if (isOurs && since !== undefined)
          this.add("ekiden.task.claim.latency", {}, (event.at - since) / 1000);
        return;
      }
    }
    if (isOurs) this.takeOurs(event);
  }

  private takeOurs(event: ToldEvent): void {
    const ended = ENDS[event.type];
    if (ended) this.add(ended[0], { outcome: ended[1] });
    else if (event.type === "task.reopened" && event.why !== "hook" && event.why !== "review")
      this.add("ekiden.landings", { outcome: event.why });
    else if (event.type === "teammate.phase") this.phase(event.who, event.phase, event.at);
    else if (event.type === "turn.taken") this.call(event);
  }

  private call({ model: spec, inputTokens, outputTokens, usd, ms }: FactOf<"turn.taken">): void {
    const [provider, model] = modelNames(spec);
    const call = {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": model,
    };
    const tokens = (type: string, count: number): void =>
      this.add("gen_ai.client.token.usage", { ...call, "gen_ai.token.type": type }, count);
    tokens("input", inputTokens);
    tokens("output", outputTokens);
    this.add("gen_ai.client.operation.duration", call, ms / 1000);
    this.add("ekiden.cost", { "gen_ai.request.model": model }, usd);
  }

  private phase(who: Name, phase: "work" | "idle" | "shutdown", at: number): void {
    const since = this.idleSince.get(who);
    if (phase === "idle") {
      if (since === undefined) this.idleSince.set(who, at);
      return;
    }
    this.idleSince.delete(who);
    if (since !== undefined) this.add("ekiden.member.idle.duration", {}, (at - since) / 1000);
  }

  private add(name: Instrument, attributes: Attributes, value = 1): void {
    const all = this.series.get(name) ?? new Map<string, Series>();
    this.series.set(name, all);
    const key = JSON.stringify(attributes);
    const bounds: readonly number[] = INSTRUMENTS[name][2] ?? [];
    const one = all.get(key) ?? {
      ...{ attributes, count: 0, sum: 0, min: value, max: value },
      buckets: [0, ...bounds.map(() => 0)],
    };
    all.set(key, one);
    one.count += 1;
    one.sum += value;
    one.min = Math.min(one.min, value);
    one.max = Math.max(one.max, value);
    const at = bounds.filter((bound) => bound < value).length;
    one.buckets = one.buckets.map((count, i) => (i === at ? count + 1 : count));
  }

  snapshot(): Metric[] {
    return [...this.series].map(([name, all]): Metric => {
      const [unit, about, bounds] = INSTRUMENTS[name];
      const series = [...all.values()];
      return bounds === null
        ? {
            ...{ name, unit, about, kind: "sum" },
            points: series.map(({ attributes, sum }) => ({ attributes, value: sum })),
          }
        : { ...{ name, unit, about, kind: "histogram", bounds }, points: series.map((one) => ({ ...one })) };
    });
  }
}
