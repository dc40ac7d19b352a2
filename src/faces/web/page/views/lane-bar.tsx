/** A span of work in a lane as a bar, or below it what held the work up, and a moment as a mark. */
import { type Mark, SPAN_WORDS, type Span, type SpanKind } from "../../../../core/picture/spans.ts";
import { span as spanText } from "../../../../core/views/view.ts";
import { app } from "../app.ts";
import { type Bar, type View, xOf } from "./lanes-bars.ts";

const COLORS: Readonly<Record<SpanKind, string>> = {
  ...{ task: "lane-task", gate: "lane-gate", queue: "lane-queue" },
  ...{ permission: "lane-wait", plan: "lane-wait", question: "lane-wait", provider: "lane-wait" },
};
const ENDS: Readonly<Record<Span["end"], string>> = {
  ...{ completed: "lane-good", failed: "lane-bad", released: "lane-off", cancelled: "lane-off" },
  "": "lane-task",
};
const MARKS: Readonly<Record<Mark["kind"], string>> = {
  ...{ landed: "lane-good", refused: "lane-bad", retry: "lane-wait" },
};

type BarProps = {
  readonly bar: Bar;
  readonly last: number;
  readonly isSelected: boolean;
  readonly onClick: () => void;
};

export function LaneBar({ bar: { span, left, width, count }, last, isSelected, onClick }: BarProps) {
  const isTask = span.kind === "task";
  const time = [spanText((span.to ?? last) - span.from), span.end].filter((part) => part !== "").join(" · ");
  const subject = app.model.tasks.get(span.task ?? 0)?.subject ?? "";
  const about = span.task === null ? "" : ` on #${span.task} ${subject}`;
  const words =
    count > 1 ? `${count} spans: zoom in` : `${span.who} ${SPAN_WORDS[span.kind]}${about}, ${time}`;
  const isMine = /^(?:permission|plan|question)$/.test(span.kind);
  const color = isTask ? ENDS[span.end] : COLORS[span.kind];
  return (
    <button
      type="button"
      tabIndex={-1}
      class={`lane-bar ${isTask ? "work" : isMine ? "hold mine" : "hold"} ${color}${isSelected ? " selected" : ""}`}
      style={{ left: `${left}px`, width: `${width}px` }}
      aria-label={words}
      title={words}
      onClick={onClick}
    >
      {isTask && count === 1 && width >= 34 && (
        <>
          <span>#{span.task}</span> <span class="clip">{subject}</span> <span class="clip more">{time}</span>
        </>
      )}
    </button>
  );
}

export function LaneMark({ mark: { at, kind }, view }: { mark: Mark; view: View }) {
  if (at < view.from || at > view.to) return null;
  return <i class={`lane-mark ${MARKS[kind]}`} style={{ left: `${xOf(at, view)}px` }} />;
}
