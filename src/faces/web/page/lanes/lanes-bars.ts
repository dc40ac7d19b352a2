/** Where the spans of a lane are, in pixels, and the times above them. Only what is in sight becomes an element. Pure. */
import type { Span } from "../../../../core/picture/spans.ts";

export type Range = { readonly from: number; readonly to: number };
/** The range of time in sight, as wide as the chart; in milliseconds without those that `gaps` leave out. */
export type View = Range & { readonly width: number; readonly gaps?: readonly Gap[] };
/** A time in which nobody did anything is as long as `shown`. */
export type Gap = Range & { readonly shown: number };
export type Bar = {
  /** The first of them. */
  readonly span: Span;
  readonly left: number;
  readonly width: number;
  /** Spans that are too narrow to be told apart are one bar. */
  readonly count: number;
};

export const AXIS = 28;
const FEW = 12;
/** With few lanes there is room for words. */
export const rowHeight = (lanes: number): number => (lanes > FEW ? 28 : 44);

/** In milliseconds and in pixels. */
const [GAP_LEAST, GAP_WIDTH] = [60_000, 24];
/** In pixels. */
const [LEAST, NARROW, TICK] = [2, 4, 90];
/** In seconds. */
const STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 604_800,
];

export const xOf = (at: number, { from, to, width, gaps = [] }: View): number =>
  ((folded(at, gaps) - from) / (to - from)) * width;

/** The time without what gaps leave out. */
export function folded(at: number, gaps: readonly Gap[]): number {
  let gone = 0;
  for (const { from, to, shown } of gaps) {
    if (at <= from) break;
    gone += at >= to ? to - from - shown : (at - from) * (1 - shown / (to - from));
  }
  return at - gone;
}

export function unfolded(time: number, gaps: readonly Gap[]): number {
  let at = time;
  for (const { from, to, shown } of gaps) {
    if (at <= from) break;
    at = at >= from + shown ? at + to - from - shown : from + ((at - from) * (to - from)) / shown;
  }
  return at;
}

/** The times over a minute in which nobody did anything, each to be 24 pixels of the whole. `busy`: in any order. */
export function gapsIn(busy: readonly Range[], { from, to }: Range, width: number): Gap[] {
  const found: Range[] = [];
  let end = from;
  for (const one of [...busy].sort((a, b) => a.from - b.from)) {
    if (one.from - end > GAP_LEAST) found.push({ from: end, to: one.from });
    end = Math.max(end, one.to);
  }
  if (to - end > GAP_LEAST) found.push({ from: end, to });
  const rest = to - from - found.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  const shown = (rest * GAP_WIDTH) / Math.max(width / 2, width - GAP_WIDTH * found.length);
  return found.flatMap((gap) => (gap.to - gap.from > shown ? [{ ...gap, shown }] : []));
}

/** The bars of steps as one path, of pixels that are filled: thousands of turns are one element. */
export function stripOf(
  steps: readonly { from: number; to: number | null }[],
  view: View,
  last: number,
  top: number,
  height: number,
): string {
  let [path, start, end] = ["", 0, Number.NEGATIVE_INFINITY];
  const put = (): void => {
    if (end > start) path += `M${round(start)} ${top}h${round(end - start)}v${height}h${round(start - end)}z`;
  };
  for (const { from, to } of steps) {
    const [left, right] = [xOf(from, view), xOf(to ?? last, view)];
    if (right < 0) continue;
    if (left > view.width) break;
    if (left - end < 1) end = Math.max(end, right);
    else {
      put();
      [start, end] = [Math.max(0, left), Math.max(right, left + 1)];
    }
  }
  end = Math.min(end, view.width);
  put();
  return path;
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** Of the spans of one member, in the order of their beginnings. `last`: the end of what continues. */
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
  const { gaps = [] } = view;
  const [first, end] = [unfolded(view.from, gaps), unfolded(view.to, gaps)];
  const times: number[] = [];
  let x = Number.NEGATIVE_INFINITY;
  for (let at = Math.ceil(first / step) * step; at < end; at += step) {
    const gap = gaps.find(({ from, to }) => from < at && at < to);
    // Nothing is written within a gap, nor where it would stand on the time before it.
    if (gap) at = Math.floor(gap.to / step) * step;
    else if (xOf(at, view) - x >= Math.min(TICK, (step / (view.to - view.from)) * view.width) - 1) {
      times.push(at);
      x = xOf(at, view);
    }
  }
  return { times, isShort: step >= 60_000 };
}
