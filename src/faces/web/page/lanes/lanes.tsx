/** The view of work over time: a lane for each member, with elements for the members and hours in sight, and the selected span in words below. */
import type { RefObject } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { Event } from "../../../../core/event.ts";
import {
  type Lanes,
  lanes,
  type Mark,
  SPAN_WORDS,
  type Span,
  withoutLost,
} from "../../../../core/picture/spans.ts";
import type { Step } from "../../../../core/picture/turns.ts";
import { span as spanText } from "../../../../core/views/view.ts";
import { app } from "../app.ts";
import { useFacts } from "../live/facts.ts";
import { useClock } from "../parts/clock.tsx";
import { Button } from "../parts/fields.tsx";
import { clockTime, Empty, Link, useSize } from "../parts/parts.tsx";
import { HoverCard, type Hovered, LaneBar, LaneLabel, LaneMark, Strip } from "./lane-bar.tsx";
import { AXIS, type Bar, barsOf, folded, rowHeight, ticksOf, type View, xOf } from "./lanes-bars.ts";
import { hearing, isSame, pointerOf, useSelected, useZoom } from "./lanes-hand.ts";
import { useSteps } from "./lanes-steps.ts";

const isHosted = (who: string): boolean => app.live.members.get(who)?.hosted !== false;

export function LanesView() {
  const { events, isLoading, error } = useFacts();
  const all = useMemo(() => lanes(events), [events]);
  if (error) return <Empty title="The journal cannot be read">{error}</Empty>;
  if (all.names.length === 0) {
    if (isLoading) return <Empty title="Loading" />;
    return (
      <Empty title="Nobody has worked yet">Each member gets a lane here, with its tasks over time.</Empty>
    );
  }
  return <Chart lanes={app.replay ? all : withoutLost(all, isHosted)} events={events} />;
}

const LEGEND: readonly (readonly [color: string, word: string])[] = [
  ["lane-task", "work"],
  ["lane-good", "completed"],
  ["lane-bad", "failed"],
  ["lane-you", "waits for you"],
  ["lane-model", "model"],
  ["lane-tools", "tools"],
  ["lane-gate", "gate"],
  ["lane-queue", "landing queue"],
];

/** Rows above and below those in sight, so that scrolling shows no gaps. */
const BESIDE = 4;

function Chart({ lanes: all, events }: { lanes: Lanes; events: readonly Event[] }) {
  useClock(all.spans.some((one) => one.to === null));
  const [box, chart] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  const [{ height }, { width }] = [useSize(box), useSize(chart)];
  const [top, setTop] = useState(0);
  const { first, last } = endsOf(all);
  const { steps, gaps } = useSteps(all, events, { from: first, to: last, width });
  const { range, zoomBy, moveBy, showTime, fit } = useZoom(first, folded(last, gaps));
  const view: View = { ...range, width, gaps };
  const row = rowHeight(all.names.length);
  const [hovered, setHovered] = useState<Hovered | null>(null);
  const { spans, marks, works } = useMemo(() => byMember(all), [all]);
  const shown = (span: Span): void => {
    showRow(box, AXIS + all.names.indexOf(span.who) * row, row);
    showTime(folded(span.from, gaps), folded(span.to ?? last, gaps));
  };
  const { selected, setSelected, move } = useSelected(works, shown);
  const pointer = pointerOf(chart, view, { zoomBy, moveBy });
  const onKeyDown = hearing({
    ...{ ArrowRight: () => move(1), ArrowLeft: () => move(-1) },
    ...{ "+": () => zoomBy(2), "-": () => zoomBy(0.5) },
    ...(selected?.task && { Enter: () => app.go({ task: selected.task }) }),
  });
  const [from, to] = [Math.floor((top - AXIS) / row) - BESIDE, Math.ceil((top + height) / row) + BESIDE];
  const inSight = width === 0 ? [] : all.names.slice(Math.max(0, from), to + 1);
  const onBar = ({ count, span }: Bar): void =>
    count > 1 ? zoomBy(4, folded(span.from, gaps)) : setSelected(span);
  return (
    <div class="lanes">
      <Toolbar zoomBy={zoomBy} onFit={fit} />
      <div
        class="lanes-box"
        ref={box}
        tabIndex={0}
        role="group"
        aria-label={`${all.names.length} lanes, ${works.length} spans of work. Arrows go from one to the next.`}
        onScroll={() => setTop(box.current?.scrollTop ?? 0)}
        onKeyDown={onKeyDown}
      >
        <Names names={all.names} row={row} />
        <div class={`lane-chart${row < 40 ? " many" : ""}`} ref={chart} {...pointer}>
          <Axis view={view} />
          {inSight.map((name, i) => (
            <Lane
              key={name}
              top={AXIS + (Math.max(0, from) + i) * row}
              bars={barsOf(spans.get(name) ?? [], view, last)}
              marks={marks.get(name) ?? []}
              steps={steps.get(name) ?? []}
              {...{ last, view, row, selected, onBar, onHover: setHovered }}
            />
          ))}
        </div>
      </div>
      <HoverCard hovered={hovered} steps={steps.get(hovered?.span.who ?? "") ?? []} last={last} />
      <Detail span={selected} last={last} />
    </div>
  );
}

/** The hours that are drawn, where one has not zoomed. */
function endsOf(all: Lanes): { readonly first: number; readonly last: number } {
  const end = app.replay ? app.now : Math.max(app.now, all.start + 1_000);
  const isOver = all.spans.every((one) => one.to !== null);
  const last = isOver ? Math.max(all.start + 1_000, ...lastEnds(all)) : end;
  // A team may have been made long before it began to work.
  const first = Math.min(last - 1_000, ...all.spans.map(({ from }) => from));
  return { first, last };
}

type LaneProps = {
  readonly top: number;
  readonly bars: readonly Bar[];
  readonly marks: readonly Mark[];
  readonly steps: readonly Step[];
  readonly row: number;
  readonly last: number;
  readonly view: View;
  readonly selected: Span | null;
  readonly onBar: (bar: Bar) => void;
  readonly onHover: (hovered: Hovered | null) => void;
};

const Lane = ({ top, bars, marks, steps, row, last, view, selected, onBar, onHover }: LaneProps) => (
  <div class="lane" style={{ top: `${top}px`, height: `${row}px` }}>
    <Strip steps={steps} view={view} last={last} row={row} />
    {bars.map((bar) => (
      <LaneBar
        key={`${bar.span.kind} ${bar.span.from} ${bar.span.task}`}
        bar={bar}
        last={last}
        isSelected={selected !== null && isSame(bar.span, selected)}
        onClick={() => onBar(bar)}
        onHover={onHover}
      />
    ))}
    {bars.map((bar) => (
      <LaneLabel key={`${bar.span.from} ${bar.span.task}`} bar={bar} bars={bars} last={last} />
    ))}
    {marks.map((mark) => (
      <LaneMark key={`${mark.kind} ${mark.at}`} mark={mark} view={view} />
    ))}
  </div>
);

function Toolbar({ zoomBy, onFit }: { zoomBy: (by: number) => void; onFit: () => void }) {
  return (
    <div class="toolbar">
      <span class="legend">
        {LEGEND.map(([color, word]) => (
          <span key={color}>
            <i class={color} /> {word}
          </span>
        ))}
      </span>
      <span class="row">
        <Button aria-label="Zoom in" onClick={() => zoomBy(2)}>
          +
        </Button>
        <Button aria-label="Zoom out" onClick={() => zoomBy(0.5)}>
          −
        </Button>
        <Button onClick={onFit}>Fit</Button>
      </span>
    </div>
  );
}

function Names({ names, row }: { names: readonly string[]; row: number }) {
  return (
    <div class="lane-names" style={{ paddingTop: `${AXIS}px`, height: `${names.length * row + AXIS}px` }}>
      {names.map((name) => (
        <Link
          key={name}
          to={{ view: "conversation", item: name }}
          title={name}
          style={{ height: `${row}px` }}
        >
          <span class="clip">{name}</span>
        </Link>
      ))}
    </div>
  );
}

function Axis({ view }: { view: View }) {
  const ticks = ticksOf(view);
  return (
    <>
      {ticks.times.map((at) => (
        <i key={at} class="tick" style={{ left: `${xOf(at, view)}px` }} />
      ))}
      {(view.gaps ?? []).map(({ from, to }) => (
        <i
          key={from}
          class="gap"
          title={`Nobody did anything for ${spanText(to - from)}`}
          style={{ left: `${xOf(from, view)}px`, width: `${xOf(to, view) - xOf(from, view)}px` }}
        />
      ))}
      <div class="axis" style={{ height: `${AXIS}px` }}>
        {ticks.times.map((at) => (
          <span key={at} class="dim" style={{ left: `${xOf(at, view)}px` }}>
            {clockTime(at).slice(0, ticks.isShort ? -3 : undefined)}
          </span>
        ))}
      </div>
    </>
  );
}

type ByMember = {
  readonly spans: ReadonlyMap<string, readonly Span[]>;
  readonly marks: ReadonlyMap<string, readonly Mark[]>;
  /** What the arrows go through. */
  readonly works: readonly Span[];
};

function byMember({ names, spans, marks }: Lanes): ByMember {
  const of = <T extends { readonly who: string }>(list: readonly T[]): Map<string, T[]> => {
    const found = new Map<string, T[]>(names.map((name) => [name, []]));
    for (const one of list) found.get(one.who)?.push(one);
    return found;
  };
  const ordered = of(spans.toSorted((a, b) => a.from - b.from));
  return {
    spans: ordered,
    marks: of(marks),
    works: [...ordered.values()].flat().filter(({ kind }) => kind === "task"),
  };
}

function showRow({ current: box }: RefObject<HTMLElement | null>, top: number, tall: number): void {
  if (!box) return;
  if (top - AXIS < box.scrollTop) box.scrollTop = top - AXIS;
  else box.scrollTop = Math.max(box.scrollTop, top + tall - box.clientHeight);
}

function* lastEnds({ spans, marks }: Lanes): Iterable<number> {
  let last = 0;
  for (const { to } of spans) if (to !== null && to > last) last = to;
  for (const { at } of marks) if (at > last) last = at;
  yield last;
}

const Detail = (props: { span: Span | null; last: number }) => (
  <p class="lane-detail" role="status">
    <DetailWords {...props} />
  </p>
);

function DetailWords({ span, last }: { span: Span | null; last: number }) {
  if (span === null)
    return <span class="dim">Select a span to read it. Ctrl and wheel zoom, Shift and wheel move.</span>;
  const task = span.task === null ? undefined : app.model.tasks.get(span.task);
  return (
    <>
      <b>{span.who}</b> {SPAN_WORDS[span.kind]}
      {task && (
        <>
          {" on "}
          <Link to={{ task: task.id }}>
            #{task.id} {task.subject}
          </Link>
        </>
      )}
      , {spanText((span.to ?? last) - span.from)} from {clockTime(span.from)}
      {span.end && `, ${span.end}`}
    </>
  );
}
