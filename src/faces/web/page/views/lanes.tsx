/** The view of work over time: a lane for each member, drawn on a canvas, with what is selected in words below it. */
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Lanes, lanes, SPAN_WORDS, type Span, withoutLost } from "../../../../core/picture/spans.ts";
import { span as spanText } from "../../../../core/views/view.ts";
import { app } from "../app.ts";
import { useClock } from "../clock.tsx";
import { useFacts } from "../facts.ts";
import { Button } from "../fields.tsx";
import { clockTime, Empty, Link, useCanvasSize } from "../parts.tsx";
import { AXIS, drawLanes, type Range, rowHeight } from "./lanes-canvas.ts";

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
  return <Chart lanes={app.replay ? all : withoutLost(all, isHosted)} />;
}

const LEGEND: readonly (readonly [color: string, word: string])[] = [
  ["lane-task", "work"],
  ["lane-good", "completed"],
  ["lane-bad", "failed"],
  ["lane-gate", "gate"],
  ["lane-queue", "landing queue"],
  ["lane-wait", "waits for a person"],
];

function Chart({ lanes: all }: { lanes: Lanes }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useClock(all.spans.some((one) => one.to === null));
  const box = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState<Range | null>(null);
  const [selected, setSelected] = useState<Span | null>(null);
  const end = app.replay ? app.now : Math.max(app.now, all.start + 1_000);
  const isOver = all.spans.every((one) => one.to !== null);
  const last = isOver ? Math.max(all.start + 1_000, ...lastEnds(all)) : end;
  // A team may have been made long before it began to work.
  const first = Math.min(last - 1_000, ...all.spans.map(({ from }) => from));
  const range = zoom ?? { from: first - (last - first) * 0.01, to: last + (last - first) * 0.02 };
  const [room, setRoom] = useState(0);
  const row = rowHeight(all.names.length, room);
  useLayoutEffect(() => setRoom(box.current?.clientHeight ?? 0));
  const rows = useMemo(() => new Map(all.names.map((name, i) => [name, i])), [all.names.length]);

  const paint = (): void => {
    if (canvas.current && box.current)
      drawLanes(canvas.current, box.current.scrollTop, all, rows, row, range, last, selected);
  };
  useLayoutEffect(paint);
  useCanvasSize(canvas, () => app.draw());
  const timeAt = (x: number): number =>
    range.from + (x / (canvas.current?.clientWidth || 1)) * (range.to - range.from);
  const zoomBy = (by: number, at = (range.from + range.to) / 2): void => {
    const next = { from: at - (at - range.from) / by, to: at + (range.to - at) / by };
    setZoom(next.to - next.from > (last - first) * 1.1 ? null : next);
  };
  const ordered = useMemo(
    () =>
      all.spans
        .filter((one) => one.kind === "task")
        .sort((a, b) => (rows.get(a.who) ?? 0) - (rows.get(b.who) ?? 0) || a.from - b.from),
    [all],
  );
  const move = (by: 1 | -1): void => {
    const at = selected
      ? ordered.findIndex((one) => one.task === selected.task && one.from === selected.from)
      : -1;
    const next = ordered[Math.min(ordered.length - 1, Math.max(0, at + by))];
    if (next) setSelected(next);
  };
  return (
    <div class="lanes">
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
          <Button onClick={() => setZoom(null)}>Fit</Button>
        </span>
      </div>
      <div
        class="lanes-box"
        ref={box}
        tabIndex={0}
        role="group"
        aria-label={`${all.names.length} lanes, ${ordered.length} spans of work. Arrows go from one to the next.`}
        onScroll={paint}
        onKeyDown={(event) => {
          if (event.key === "ArrowRight") move(1);
          else if (event.key === "ArrowLeft") move(-1);
          else if (event.key === "+") zoomBy(2);
          else if (event.key === "-") zoomBy(0.5);
          else if (event.key === "Enter" && selected?.task) app.go({ task: selected.task });
          else return;
          event.preventDefault();
        }}
      >
        <div
          class="lane-names"
          style={{ paddingTop: `${AXIS}px`, height: `${all.names.length * row + AXIS}px` }}
        >
          {all.names.map((name) => (
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
        <div class="lane-canvas">
          <canvas
            ref={canvas}
            onWheel={(event) => {
              if (!event.ctrlKey && !event.metaKey && Math.abs(event.deltaX) < Math.abs(event.deltaY)) return;
              event.preventDefault();
              if (event.ctrlKey || event.metaKey)
                return zoomBy(Math.exp(-event.deltaY / 200), timeAt(event.offsetX));
              const by = ((range.to - range.from) * event.deltaX) / 800;
              setZoom({ from: range.from + by, to: range.to + by });
            }}
            onDblClick={({ offsetX }) => zoomBy(3, timeAt(offsetX))}
            onClick={({ offsetX, offsetY }) => {
              const who = all.names[Math.floor((offsetY + (box.current?.scrollTop ?? 0) - AXIS) / row)];
              const at = timeAt(offsetX);
              const hit = all.spans.filter(
                (one) => one.who === who && one.from <= at && (one.to ?? last) >= at,
              );
              setSelected(hit.find((one) => one.kind !== "task") ?? hit[0] ?? null);
            }}
          />
        </div>
      </div>
      <p class="lane-detail" role="status">
        {selected ? (
          <Detail span={selected} last={last} />
        ) : (
          <span class="dim">Select a span to read it. Ctrl and wheel zoom, Shift and wheel move.</span>
        )}
      </p>
    </div>
  );
}

function* lastEnds({ spans, marks }: Lanes): Iterable<number> {
  let last = 0;
  for (const { to } of spans) if (to !== null && to > last) last = to;
  for (const { at } of marks) if (at > last) last = at;
  yield last;
}

function Detail({ span, last }: { span: Span; last: number }) {
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
