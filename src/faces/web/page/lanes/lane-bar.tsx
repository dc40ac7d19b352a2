/** A span of work in a lane as a bar with its name, below it turns and what held the work up, and a moment as a mark. */

import { type Mark, SPAN_WORDS, type Span, type SpanKind } from "../../../../core/picture/spans.ts";
import type { Step } from "../../../../core/picture/turns.ts";
import { counted, span as spanText } from "../../../../core/views/view.ts";
import { app } from "../app.ts";
import { Elapsed } from "../parts/clock.tsx";
import { clockTime } from "../parts/parts.tsx";
import { type Bar, stripOf, type View, xOf } from "./lanes-bars.ts";

const COLORS: Readonly<Record<SpanKind, string>> = {
  ...{ task: "lane-task", gate: "lane-gate", queue: "lane-queue" },
  ...{ permission: "lane-wait", plan: "lane-wait", question: "lane-wait", provider: "lane-off" },
};
const ENDS: Readonly<Record<Span["end"], string>> = {
  ...{ completed: "lane-good", failed: "lane-bad", released: "lane-off", cancelled: "lane-off" },
  "": "lane-task",
};
const MARKS: Readonly<Record<Mark["kind"], string>> = {
  ...{ landed: "lane-good", refused: "lane-bad", retry: "lane-off" },
};

type BarProps = {
  readonly bar: Bar;
  readonly last: number;
  readonly isSelected: boolean;
  readonly onClick: () => void;
  readonly onHover: (hovered: Hovered | null) => void;
};
/** A span under the pointer, and where its bar is in the window. */
export type Hovered = { readonly span: Span; readonly left: number; readonly top: number };

/** A bar holds the words of its task; a wait for the person is over it, and the words over both. */
const LABEL_LEAST = 34;
const isMineKind = ({ kind }: Span): boolean => /^(?:permission|plan|question)$/.test(kind);

export function LaneBar({ bar: { span, left, width, count }, last, isSelected, onClick, onHover }: BarProps) {
  const isTask = span.kind === "task";
  const time = [spanText((span.to ?? last) - span.from), span.end].filter((part) => part !== "").join(" · ");
  const subject = app.model.tasks.get(span.task ?? 0)?.subject ?? "";
  const about = span.task === null ? "" : ` on #${span.task} ${subject}`;
  const words =
    count > 1 ? `${count} spans: zoom in` : `${span.who} ${SPAN_WORDS[span.kind]}${about}, ${time}`;
  const color = isTask ? ENDS[span.end] : COLORS[span.kind];
  return (
    <button
      type="button"
      tabIndex={-1}
      class={`lane-bar ${isTask ? "work" : isMineKind(span) ? "hold mine" : "hold"} ${color}${isSelected ? " selected" : ""}`}
      style={{ left: `${left}px`, width: `${width}px` }}
      aria-label={words}
      onClick={onClick}
      onPointerEnter={({ currentTarget, clientX }) =>
        onHover({ span, left: clientX, top: currentTarget.getBoundingClientRect().bottom })
      }
      onPointerLeave={() => onHover(null)}
    />
  );
}

export function LaneLabel({
  bar: { span, left, width, count },
  bars,
  last,
}: {
  bar: Bar;
  bars: readonly Bar[];
  last: number;
}) {
  if (span.kind !== "task" || count > 1 || width < LABEL_LEAST) return null;
  const isCovered = bars.some(
    (one) => isMineKind(one.span) && one.left < left + width && one.left + one.width > left,
  );
  return (
    <span
      class={`lane-label${isCovered ? " covered" : ""}`}
      style={{ left: `${left + 4}px`, maxWidth: `${width - 8}px` }}
    >
      #{span.task} {app.model.tasks.get(span.task ?? 0)?.subject}{" "}
      <span>{spanText((span.to ?? last) - span.from)}</span>
    </span>
  );
}

type StripProps = {
  readonly steps: readonly Step[];
  readonly view: View;
  readonly last: number;
  readonly row: number;
};

/** The turns of a member, in one tint, and between them the time of its tools, in another. */
export function Strip({ steps, view, last, row }: StripProps) {
  const [top, height] = row < 40 ? [row - 8, 4] : [row - 11, 6];
  return (
    <svg class="strip" width={view.width} height={row} aria-hidden="true">
      {(["model", "tool"] as const).map((kind) => (
        <path
          key={kind}
          class={`of-${kind}`}
          d={stripOf(
            steps.filter((one) => one.kind === kind),
            view,
            last,
            top,
            height,
          )}
        />
      ))}
    </svg>
  );
}

/** What the span under the pointer is. */
export function HoverCard({
  hovered,
  steps,
  last,
}: {
  hovered: Hovered | null;
  steps: readonly Step[];
  last: number;
}) {
  if (hovered === null) return null;
  const { span, left, top } = hovered;
  const task = app.model.tasks.get(span.task ?? 0);
  const own = steps.filter(({ from, to }) => from < (span.to ?? last) && (to ?? last) >= span.from);
  const sum = (wanted: Step["kind"]): number =>
    own.reduce((ms, { kind, from, to }) => ms + (kind === wanted ? (to ?? last) - from : 0), 0);
  const turns = own.filter(({ kind }) => kind === "model").length;
  return (
    <div class="hover-card" style={{ left: `min(${left}px, calc(100vw - 312px))`, top: `${top + 6}px` }}>
      {task && (
        <b>
          #{task.id} {task.subject}
        </b>
      )}
      <p>
        {span.who} {span.end || SPAN_WORDS[span.kind]} ·{" "}
        <Elapsed since={span.from} to={span.to ?? (app.replay ? last : null)} />
      </p>
      {span.kind === "task" && turns > 0 && (
        <p>
          <i class="lane-model" /> model {spanText(sum("model"))} · <i class="lane-tools" /> tools{" "}
          {spanText(sum("tool"))} · {counted(turns, "turn")}
        </p>
      )}
      <p class="dim">
        {clockTime(span.from)} to {span.to === null ? "now" : clockTime(span.to)}
      </p>
    </div>
  );
}

export function LaneMark({ mark: { at, kind }, view }: { mark: Mark; view: View }) {
  const x = xOf(at, view);
  return x < 0 || x > view.width ? null : <i class={`lane-mark ${MARKS[kind]}`} style={{ left: `${x}px` }} />;
}
