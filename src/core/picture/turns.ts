/** The turns of members as spans of time, and between them the time of their tools. Pure. */
import type { Event } from "../event.ts";

export type Turn = { readonly who: string; readonly from: number; readonly to: number };
/** `to` null: it continues. */
export type Rest = { readonly from: number; to: number | null };
export type Step = { readonly kind: "model" | "tool"; readonly from: number; readonly to: number | null };

/** Null for any other fact, and for a turn of a subagent: its member waits for it as for a tool. */
export const turnOf = (event: Event): Turn | null =>
  event.type === "turn.taken" && event.subagent === undefined
    ? { who: event.who, from: event.at - event.ms, to: event.at }
    : null;

/** Of one member, in order of time. Between two turns its tools run, but for the time in which it rests. */
export function stepsOf(turns: readonly Turn[], rests: readonly Rest[]): Step[] {
  const steps: Step[] = [];
  let nth = 0;
  for (const [i, { from, to }] of turns.entries()) {
    steps.push({ kind: "model", from, to });
    const until = turns[i + 1]?.from ?? null;
    let at: number | null = to;
    while (nth < rests.length && ((rests[nth] as Rest).to ?? to) < to) nth += 1;
    for (let k = nth; at !== null && k < rests.length; k += 1) {
      const rest = rests[k] as Rest;
      if (until !== null && rest.from >= until) break;
      if (rest.from > at) steps.push({ kind: "tool", from: at, to: rest.from });
      at = rest.to === null ? null : Math.max(at, rest.to);
    }
    if (at !== null && (until === null || until > at)) steps.push({ kind: "tool", from: at, to: until });
  }
  return steps;
}
