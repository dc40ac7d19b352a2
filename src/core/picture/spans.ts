/** The work of each member over time, and its obstacles: spans of time by member, folded from facts. Pure. */
import type { Event } from "../event.ts";

export type SpanKind = "task" | "gate" | "queue" | "permission" | "plan" | "question" | "provider";
export type Span = {
  readonly kind: SpanKind;
  readonly who: string;
  readonly task: number | null;
  readonly from: number;
  /** Null while it goes on. */
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
  const names: string[] = [];
  const spans: Span[] = [];
  const marks: Mark[] = [];
  const work = new Map<number, Open>();
  const step = new Map<number, Open>();
  const wait = new Map<string, Open>();
  const known = new Set<string>();
  const seen = new Map<string, number>();
  const meet = (who: string): void => {
    if (known.has(who)) return;
    known.add(who);
    names.push(who);
  };
  const close = <K>(open: Map<K, Open>, key: K, at: number, end: Span["end"] = ""): void => {
    const span = open.get(key);
    if (!span) return;
    open.delete(key);
    spans.push({ ...span, to: at, end });
  };
  const land = (task: number, who: string, at: number, kind: SpanKind): void => {
    close(step, task, at);
    step.set(task, { kind, who, task, from: at });
  };
  for (const event of events) {
    const { at } = event;
    const who = "who" in event ? event.who : "by" in event ? event.by : null;
    if (typeof who === "string") seen.set(who, at);
    switch (event.type) {
      case "teammate.spawned":
        meet(event.who);
        break;
      case "teammate.phase": {
        meet(event.who);
        close(wait, event.who, at);
        const kind = event.phase === "idle" ? WAITS[event.reason ?? ""] : undefined;
        if (kind) wait.set(event.who, { kind, who: event.who, task: null, from: at });
        break;
      }
      case "task.claimed":
        meet(event.by);
        close(work, event.task, at, "released");
        work.set(event.task, { kind: "task", who: event.by, task: event.task, from: at });
        break;
      case "task.completed":
      case "task.failed":
      case "task.cancelled":
      case "task.released": {
        close(step, event.task, at);
        close(work, event.task, at, event.type.slice("task.".length) as Span["end"]);
        break;
      }
      case "task.queued":
        if (isInGate(step.get(event.task))) break;
        land(event.task, event.by, at, "queue");
        break;
      case "gate.started":
        land(event.task, event.by, at, "gate");
        break;
      case "task.landed":
        close(step, event.task, at);
        marks.push({ who: event.by, at, kind: "landed" });
        break;
      case "task.reopened":
        close(step, event.task, at);
        marks.push({ who: event.by, at, kind: "refused" });
        break;
      case "model.retried":
        marks.push({ who: event.who, at, kind: "retry" });
    }
  }
  for (const open of [...work.values(), ...step.values(), ...wait.values()])
    spans.push({ ...open, to: null, end: "" });
  return { names, spans, marks, start: events[0]?.at ?? 0, seen };
}

/** Nothing goes on where no process runs the member: its spans end when it was heard of last. */
export const withoutLost = (all: Lanes, isHosted: (who: string) => boolean): Lanes => ({
  ...all,
  spans: all.spans.map((one) =>
    one.to === null && !isHosted(one.who) ? { ...one, to: all.seen.get(one.who) ?? one.from } : one,
  ),
});
