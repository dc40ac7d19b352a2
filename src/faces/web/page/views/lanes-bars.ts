/** Where the spans of a lane are, in pixels, and the times above them. Only what is in sight becomes an element. Pure. */
import type { Span } from "../../../../core/picture/spans.ts";

export type Range = { readonly from: number; readonly to: number };
/** The range of time in sight, as wide as the chart. */
export type View = Range & { readonly width: number };
export type Bar = {
  /** The first of them. */
  readonly span: Span;
  readonly left: number;
  readonly width: number;
  /** Spans that are too narrow to be told apart are one bar. */
  readonly count: number;
};

/** A lane grows with the room that there is. */
const [ROW_LEAST, ROW_MOST] = [36, 64];
export const AXIS = 28;
export const rowHeight = (lanes: number, room: number): number =>
  Math.floor(Math.max(ROW_LEAST, Math.min(ROW_MOST, (room - AXIS) / Math.max(1, lanes))));

/** From here on a lane says how long its tasks took. */
export const TWO_LINES = 56;
/** In pixels. */
const [LEAST, NARROW, TICK] = [2, 4, 90];
/** In seconds. */
const STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 604_800,
];

export const xOf = (at: number, { from, to, width }: View): number => ((at - from) / (to - from)) * width;

/** Of the spans of one member, in the order of their beginnings. `last`: the end of what goes on. */
export function barsOf(spans: readonly Span[], view: View, last: number): Bar[] {
  const bars: Bar[] = [];
  const latest = new Map<boolean, number>();
  for (const span of spans) {
    const [x, right] = [xOf(span.from, view), xOf(span.to ?? last, view)];
    if (right < 0 || x > view.width) continue;
    const left = Math.max(-1, x);
    const width = Math.max(LEAST, Math.min(view.width + 1, right) - left - 1);
    // Work and what held it up are beside each other, in rows of their own.
    const nth = latest.get(span.kind === "task");
    const before = nth === undefined ? undefined : bars[nth];
    const isOne = before && width < NARROW && before.span.end === span.end && before.span.kind === span.kind;
    if (
      isOne &&
      nth !== undefined &&
      left - (before.left + before.width) < LEAST &&
      isNarrow(before, view, last)
    ) {
      bars[nth] = { ...before, width: left + width - before.left, count: before.count + 1 };
      continue;
    }
    latest.set(span.kind === "task", bars.length);
    bars.push({ span, left, width, count: 1 });
  }
  return bars;
}

const isNarrow = ({ span, count }: Bar, view: View, last: number): boolean =>
  count > 1 || xOf(span.to ?? last, view) - xOf(span.from, view) < NARROW + 1;

/** The times that are written above the lanes. `isShort`: without seconds. */
export function ticksOf(view: View): { readonly times: readonly number[]; readonly isShort: boolean } {
  const wanted = ((view.to - view.from) / 1_000) * (TICK / Math.max(TICK, view.width));
  const step = (STEPS.find((one) => one >= wanted) ?? STEPS.at(-1) ?? 1) * 1_000;
  const times: number[] = [];
  for (let at = Math.ceil(view.from / step) * step; at < view.to; at += step) times.push(at);
  return { times, isShort: step >= 60_000 };
}
