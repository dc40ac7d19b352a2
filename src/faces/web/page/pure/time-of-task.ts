/** The time of a task by its use: waiting to be begun, the model, its tools, gates, and for whom its owner waited. Pure. */
import type { Event } from "../../../../core/event.ts";
import { lanes, SPAN_WORDS, type SpanKind } from "../../../../core/picture/spans.ts";

export type PartKind = SpanKind | "begin" | "model";
export type Part = { readonly kind: PartKind; readonly words: string; readonly ms: number };
export type TimeOfTask = {
  readonly total: number;
  readonly tries: number;
  /** The longest first. */
  readonly parts: readonly Part[];
};

const OF_OWNER: ReadonlySet<SpanKind> = new Set(["permission", "plan", "question", "provider"]);
const WORDS: Readonly<Record<PartKind, string>> = {
  ...SPAN_WORDS,
  ...{ begin: "waits to be begun", model: "model" },
};

/** Null for a task that nobody has added or begun yet. `now`: until when what continues is counted. */
export function timeOfTask(id: number, events: readonly Event[], now: number): TimeOfTask | null {
  const added = events.find((event) => event.type === "task.added" && event.task === id)?.at;
  const { spans } = lanes(events);
  const tries = spans.filter(({ kind, task }) => kind === "task" && task === id);
  const [first] = [...tries].sort((a, b) => a.from - b.from);
  if (added === undefined || first === undefined) return null;
  const sums = new Map<PartKind, number>();
  const add = (kind: PartKind, ms: number): void => {
    if (ms > 0) sums.set(kind, (sums.get(kind) ?? 0) + ms);
  };
  let atWork = 0;
  for (const { who, from, to } of tries) {
    const until = to ?? now;
    let held = 0;
    for (const span of spans) {
      const isOurs = OF_OWNER.has(span.kind) ? span.who === who : span.kind !== "task" && span.task === id;
      if (!isOurs) continue;
      const ms = Math.min(until, span.to ?? now) - Math.max(from, span.from);
      add(span.kind, ms);
      held += Math.max(0, ms);
    }
    // Where its turns are known, the rest of its work is that of tools.
    const model = Math.min(until - from - held, turnsIn(events, who, from, until));
    add("model", model);
    add("task", until - from - held - model);
    atWork += until - from;
  }
  const last = Math.max(...tries.map(({ to }) => to ?? now));
  // Between tries, too.
  add("begin", last - added - atWork);
  const words = sums.has("model") ? { ...WORDS, task: "tools" } : WORDS;
  const parts = [...sums].map(([kind, ms]) => ({ kind, words: words[kind], ms }));
  return { total: last - added, tries: tries.length, parts: parts.sort((a, b) => b.ms - a.ms) };
}

/** The time of the turns of a member, without those of its subagents. */
function turnsIn(events: readonly Event[], who: string, from: number, until: number): number {
  let sum = 0;
  for (const event of events)
    if (event.type === "turn.taken" && event.who === who && event.subagent === undefined)
      sum += Math.max(0, Math.min(until, event.at) - Math.max(from, event.at - event.ms));
  return sum;
}
