/** Who worked on what over time: a lane for each member, drawn on a canvas, with what is selected in words below it. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { span as spanText } from "../../../../core/views/view.ts";
import { app } from "../app.ts";
import { useFacts } from "../facts.ts";
import { type Lanes, lanes, SPAN_WORDS, type Span, type SpanKind } from "../lanes.ts";
import { clockTime, Empty, Link } from "../parts.tsx";

const ROW = 32;
const AXIS = 28;
const STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 604_800,
];

type Range = { readonly from: number; readonly to: number };

export function LanesView() {
  const { events, isLoading, error } = useFacts();
  const all = useMemo(() => lanes(events), [events]);
  if (error) return <Empty title="The journal cannot be read">{error}</Empty>;
  if (all.names.length === 0) return <Empty title={isLoading ? "Loading" : "Nobody has worked yet"} />;
  return <Chart lanes={all} />;
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
  const box = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState<Range | null>(null);
  const [selected, setSelected] = useState<Span | null>(null);
  const end = app.replay ? app.now : Math.max(app.now, all.start + 1_000);
  const isOver = all.spans.every((one) => one.to !== null);
  const last = isOver ? Math.max(all.start + 1_000, ...lastEnds(all)) : end;
  const range = zoom ?? { from: all.start, to: all.start + (last - all.start) * 1.02 };
  const rows = useMemo(() => new Map(all.names.map((name, i) => [name, i])), [all.names.length]);

  const paint = (): void => {
    if (canvas.current && box.current)
      drawLanes(canvas.current, box.current.scrollTop, all, rows, range, last, selected);
  };
  useLayoutEffect(paint);
  useEffect(() => {
    const at = canvas.current;
    if (!at) return;
    const observer = new ResizeObserver(() => {
      at.width = Math.round(at.clientWidth * devicePixelRatio);
      at.height = Math.round(at.clientHeight * devicePixelRatio);
      app.draw();
    });
    observer.observe(at);
    return () => observer.disconnect();
  }, []);
  const timeAt = (x: number): number =>
    range.from + (x / (canvas.current?.clientWidth || 1)) * (range.to - range.from);
  const zoomBy = (by: number, at = (range.from + range.to) / 2): void => {
    const next = { from: at - (at - range.from) / by, to: at + (range.to - at) / by };
    setZoom(next.to - next.from > (last - all.start) * 1.1 ? null : next);
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
          <button type="button" aria-label="Zoom in" onClick={() => zoomBy(2)}>
            +
          </button>
          <button type="button" aria-label="Zoom out" onClick={() => zoomBy(0.5)}>
            −
          </button>
          <button type="button" onClick={() => setZoom(null)}>
            Fit
          </button>
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
          style={{ paddingTop: `${AXIS}px`, height: `${all.names.length * ROW + AXIS}px` }}
        >
          {all.names.map((name) => (
            <Link key={name} to={{ view: "conversation", item: name }} style={{ height: `${ROW}px` }}>
              {name}
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
              const who = all.names[Math.floor((offsetY + (box.current?.scrollTop ?? 0) - AXIS) / ROW)];
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

const COLORS: Readonly<Record<SpanKind, string>> = {
  task: "lane-task",
  gate: "lane-gate",
  queue: "lane-queue",
  permission: "lane-wait",
  plan: "lane-wait",
  provider: "lane-wait",
};
const ENDS: Readonly<Record<Span["end"], string>> = {
  completed: "lane-good",
  failed: "lane-bad",
  released: "lane-off",
  cancelled: "lane-off",
  "": "lane-task",
};

function drawLanes(
  canvas: HTMLCanvasElement,
  scroll: number,
  all: Lanes,
  rows: ReadonlyMap<string, number>,
  range: Range,
  last: number,
  selected: Span | null,
): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const style = getComputedStyle(canvas);
  const cache = new Map<string, string>();
  const color = (name: string): string => {
    const known = cache.get(name) ?? style.getPropertyValue(`--${name}`).trim();
    cache.set(name, known);
    return known;
  };
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const ratio = canvas.width / Math.max(1, width);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const xOf = (at: number): number => ((at - range.from) / (range.to - range.from)) * width;
  drawAxis(context, range, width, height, color);
  context.save();
  context.beginPath();
  context.rect(0, AXIS, width, height - AXIS);
  context.clip();
  for (const one of all.spans) {
    const y = (rows.get(one.who) ?? 0) * ROW + AXIS - scroll;
    const [x, right] = [xOf(one.from), xOf(one.to ?? last)];
    if (y > height || y + ROW < AXIS || right < 0 || x > width) continue;
    const isTask = one.kind === "task";
    const [top, tall] = isTask ? [y + 6, ROW - 12] : [y + ROW - 12, 6];
    const wide = Math.max(2, right - x);
    context.fillStyle = color(isTask ? ENDS[one.end] : COLORS[one.kind]);
    context.fillRect(x, top, Math.max(1.5, wide - 1), tall);
    if (selected && selected.from === one.from && selected.who === one.who && selected.kind === one.kind) {
      context.strokeStyle = color("text");
      context.lineWidth = 2;
      context.strokeRect(x, top, wide, tall);
    }
    if (!isTask || wide < 34) continue;
    const subject = app.model.tasks.get(one.task ?? 0)?.subject ?? "";
    context.save();
    context.beginPath();
    context.rect(Math.max(0, x) + 6, y, right - Math.max(0, x) - 10, ROW);
    context.clip();
    context.fillStyle = color("lane-text");
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.fillText(`#${one.task} ${subject}`, Math.max(0, x) + 6, y + ROW / 2 + 0.5);
    context.restore();
  }
  for (const mark of all.marks) {
    const y = (rows.get(mark.who) ?? 0) * ROW + AXIS - scroll;
    const x = xOf(mark.at);
    if (y > height || y + ROW < AXIS || x < 0 || x > width) continue;
    context.fillStyle = color(
      mark.kind === "landed" ? "lane-good" : mark.kind === "refused" ? "lane-bad" : "lane-wait",
    );
    context.fillRect(x - 1, y + 2, 2.5, ROW - 4);
  }
  context.restore();
}

function drawAxis(
  context: CanvasRenderingContext2D,
  range: Range,
  width: number,
  height: number,
  color: (name: string) => string,
): void {
  const wanted = ((range.to - range.from) / 1000) * (90 / Math.max(90, width));
  const step = (STEPS.find((one) => one >= wanted) ?? STEPS.at(-1) ?? 1) * 1000;
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (let at = Math.ceil(range.from / step) * step; at < range.to; at += step) {
    const x = Math.round(((at - range.from) / (range.to - range.from)) * width) + 0.5;
    context.strokeStyle = color("border");
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, AXIS - 6);
    context.lineTo(x, height);
    context.stroke();
    context.fillStyle = color("dim");
    context.fillText(clockTime(at).slice(0, step < 60_000 ? undefined : -3), x + 4, AXIS / 2);
  }
}
