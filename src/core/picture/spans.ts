/** The work of each member over time, and its obstacles: spans of time by member, folded from facts. Pure. */
import type { Event } from "../event.ts";
import type { Rest } from "./turns.ts";

export type SpanKind = "task" | "gate" | "queue" | "permission" | "plan" | "question" | "provider";
export type Span = {
  readonly kind: SpanKind;
  readonly who: string;
  readonly task: number | null;
  readonly from: number;
  /** Null while it continues. */
  readonly to: number | null;
  readonly end: "completed" | "failed" | "released" | "cancelled" | "";
};
/** A moment worth a mark: a retry of the model, a refused landing. */
export type Mark = {
  readonly who: string;
  readonly at: number;
  readonly kind: "retry" | "refused" | "landed";
};
export type Lanes = {
  readonly names: readonly string[];
  readonly spans: readonly Span[];
  readonly marks: readonly Mark[];
  readonly start: number;
  /** When each member did nothing. */
  readonly rests: ReadonlyMap<string, readonly Rest[]>;
  /** When each member was heard of last. */
  readonly seen: ReadonlyMap<string, number>;
};

export const SPAN_WORDS: Readonly<Record<SpanKind, string>> = {
  task: "works",
  gate: "gate runs",
  queue: "waits to land",
  permission: "waits for a permission",
  plan: "waits for a plan's answer",
  question: "waits for your answer",
  provider: "waits for the provider",
};
const WAITS: Readonly<Record<string, SpanKind>> = {
  awaiting_permission: "permission",
  awaiting_plan: "plan",
  awaiting_answer: "question",
  awaiting_base: "queue",
  rate_limited: "provider",
  cannot_work: "provider",
  at_limit: "provider",
};

/** A member may ask again for what lands already: its gate still runs. */
const isInGate = (step: Open | undefined): boolean => step?.kind === "gate";

type Open = { kind: SpanKind; who: string; task: number | null; from: number };

export function lanes(events: readonly Event[]): Lanes {
  const drawn = new Drawn();
  for (const event of events) drawn.take(event);
  const open = [drawn.work, drawn.step, drawn.wait].flatMap((some) => [...some.values()]);
  const spans = [...drawn.spans, ...open.map((span): Span => ({ ...span, to: null, end: "" }))];
  const { marks, seen, rests } = drawn;
  return { names: [...drawn.names], spans, marks, rests, start: events[0]?.at ?? 0, seen };
}

/** The picture as it grows with each fact. */
class Drawn {
  readonly names = new Set<string>();
  readonly spans: Span[] = [];
  readonly marks: Mark[] = [];
  readonly seen = new Map<string, number>();
  readonly rests = new Map<string, Rest[]>();
  /** What continues: by task, and by member. */
  readonly work = new Map<number, Open>();
  readonly step = new Map<number, Open>();
  readonly wait = new Map<string, Open>();

  take(event: Event): void {
    const { at } = event;
    const who = "who" in event ? event.who : "by" in event ? event.by : null;
    if (typeof who === "string") this.seen.set(who, at);
    switch (event.type) {
      case "teammate.spawned":
        this.names.add(event.who);
        break;
      case "teammate.phase": {
        this.names.add(event.who);
        this.close(this.wait, event.who, at);
        this.rest(event.who, at, event.phase === "work");
        const kind = event.phase === "idle" ? WAITS[event.reason ?? ""] : undefined;
        if (kind) this.wait.set(event.who, { kind, who: event.who, task: null, from: at });
        break;
      }
      case "task.claimed":
        this.close(this.work, event.task, at, "released");
        this.names.add(event.by);
        this.work.set(event.task, { kind: "task", who: event.by, task: event.task, from: at });
        break;
      case "task.completed":
      case "task.failed":
      case "task.cancelled":
      case "task.released":
        this.close(this.step, event.task, at);
        this.close(this.work, event.task, at, event.type.slice("task.".length) as Span["end"]);
        break;
      case "task.queued":
        if (!isInGate(this.step.get(event.task))) this.land(event.task, event.by, at, "queue");
        break;
      case "gate.started":
        this.land(event.task, event.by, at, "gate");
        break;
      case "task.landed":
        this.close(this.step, event.task, at);
        this.marks.push({ who: event.by, at, kind: "landed" });
        break;
      case "task.reopened":
        this.close(this.step, event.task, at);
        this.marks.push({ who: event.by, at, kind: "refused" });
        break;
      case "model.retried":
        this.marks.push({ who: event.who, at, kind: "retry" });
    }
  }

  private close<K>(open: Map<K, Open>, key: K, at: number, end: Span["end"] = ""): void {
    const span = open.get(key);
    if (!span) return;
    open.delete(key);
    this.spans.push({ ...span, to: at, end });
  }

  private rest(who: string, at: number, isOver: boolean): void {
    const rests = this.rests.get(who) ?? [];
    const last = rests.at(-1);
    if (isOver && last) last.to ??= at;
    else if (!isOver && last?.to !== null) rests.push({ from: at, to: null });
    this.rests.set(who, rests);
  }

  private land(task: number, who: string, at: number, kind: SpanKind): void {
    this.close(this.step, task, at);
    this.step.set(task, { kind, who, task, from: at });
  }
}

/** Nothing continues where no process runs the member: its spans end when it was heard of last. */
export const withoutLost = (all: Lanes, isHosted: (who: string) => boolean): Lanes => ({
  ...all,
  spans: all.spans.map((one) =>
    one.to === null && !isHosted(one.who) ? { ...one, to: all.seen.get(one.who) ?? one.from } : one,
  ),
});
