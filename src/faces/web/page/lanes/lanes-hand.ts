/** Pointer and keys over the lanes: the hours in sight, and the span that is read. */
import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import type { Span } from "../../../../core/picture/spans.ts";
import type { Range, View } from "./lanes-bars.ts";

export const isSame = (a: Span, b: Span): boolean =>
  a.who === b.who && a.from === b.from && a.kind === b.kind;

/** The hours in sight. `moveBy`: a share of them. */
export function useZoom(first: number, last: number) {
  const [zoom, setZoom] = useState<Range | null>(null);
  const range = zoom ?? { from: first - (last - first) * 0.01, to: last + (last - first) * 0.02 };
  const zoomBy = (by: number, at = (range.from + range.to) / 2): void => {
    const next = { from: at - (at - range.from) / by, to: at + (range.to - at) / by };
    setZoom(next.to - next.from > (last - first) * 1.1 ? null : next);
  };
  const moveBy = (share: number): void => {
    const by = (range.to - range.from) * share;
    setZoom({ from: range.from + by, to: range.to + by });
  };
  const showTime = (from: number, to: number): void => {
    const half = zoom && (zoom.to - zoom.from) / 2;
    if (half && (to < zoom.from || from > zoom.to)) setZoom({ from: from - half, to: from + half });
  };
  return { range, zoomBy, moveBy, showTime, fit: () => setZoom(null) };
}

/** The span that is read below the lanes. `move`: to the next one, or the one before it. */
export function useSelected(works: readonly Span[], shown: (span: Span) => void) {
  const [selected, setSelected] = useState<Span | null>(null);
  const move = (by: 1 | -1): void => {
    const at = selected ? works.findIndex((one) => isSame(one, selected)) : -1;
    const next = works[Math.min(works.length - 1, Math.max(0, at + by))];
    if (!next) return;
    setSelected(next);
    shown(next);
  };
  return { selected, setSelected, move };
}

type Zooming = { zoomBy(by: number, at?: number): void; moveBy(share: number): void };

/** The wheel and the double click over the chart. */
export function pointerOf(chart: RefObject<HTMLElement | null>, view: View, { zoomBy, moveBy }: Zooming) {
  const timeAt = (x: number): number =>
    view.from +
    ((x - (chart.current?.getBoundingClientRect().left ?? 0)) / (view.width || 1)) * (view.to - view.from);
  const onWheel = (event: WheelEvent): void => {
    const { ctrlKey, metaKey, deltaX, deltaY, clientX } = event;
    const isZoom = ctrlKey || metaKey;
    if (!isZoom && Math.abs(deltaX) < Math.abs(deltaY)) return;
    event.preventDefault();
    if (isZoom) zoomBy(Math.exp(-deltaY / 200), timeAt(clientX));
    else moveBy(deltaX / 800);
  };
  return { onWheel, onDblClick: ({ clientX }: MouseEvent): void => zoomBy(3, timeAt(clientX)) };
}

/** The names beside the lanes are links, with keys of their own. */
export function hearing(keys: Readonly<Record<string, () => void>>) {
  return (event: KeyboardEvent): void => {
    const act = (event.target as HTMLElement).closest(".lane-names") ? undefined : keys[event.key];
    if (!act) return;
    act();
    event.preventDefault();
  };
}
