/** A task in the graph: its subject, its number, and who works on it for how long, or what it waits for. */
import { useRef } from "preact/hooks";
import type { Task } from "../../../../core/picture/task.ts";
import { span } from "../../../../core/views/view.ts";
import { app } from "../app.ts";
import { useClock } from "../parts/clock.tsx";
import { Button } from "../parts/fields.tsx";
import { Status } from "../parts/parts.tsx";
import { lastLines } from "../parts/text.tsx";
import { type Look, type Pause, pauseOf, shownOf } from "../pure/board.ts";
import { CARD } from "./layout.ts";

type Props = {
  readonly task: Task;
  readonly look: Look;
  readonly place: readonly [x: number, y: number];
  readonly isCritical: boolean;
  /** Half of the board is done: what is done is a line in the place of its card, so that nothing moves. */
  readonly isLate: boolean;
};

const PILL = 34;

export function Card({ task, look, place: [x, y], isCritical, isLate }: Props) {
  const isSelected = app.route.task === task.id;
  useClock(look === "busy");
  const pause = pauseOf(task, app.model);
  const isPill = isLate && (look === "done" || look === "cancelled");
  // A task that is completed before one's eyes is told from one that was.
  const before = useRef(look);
  const isSwept = useRef(false);
  isSwept.current ||= look === "done" && before.current === "busy" && app.replay === null;
  before.current = look;
  const marks = [
    ...[pause, isPill && "pill", isCritical && "critical"],
    ...[isSelected && "selected", isSwept.current && "swept"],
  ];
  const classes = ["card", look, ...marks].filter(Boolean).join(" ");
  const [top, height] = isPill ? [y + (CARD.height - PILL) / 2, PILL] : [y, CARD.height];
  return (
    <Button
      class={classes}
      style={{ left: `${x}px`, top: `${top}px`, width: `${CARD.width}px`, height: `${height}px` }}
      data-task={task.id}
      aria-current={isSelected ? "true" : undefined}
      title={`#${task.id} ${task.subject}`}
      onClick={({ detail }) => {
        app.panelTakesFocus = detail === 0;
        app.go({ task: task.id });
        app.draw();
      }}
    >
      <Status look={shownOf(task, app.model)} />
      <span class="subject">{task.subject}</span>
      <span class="meta">
        <span class="id">#{task.id}</span>
        {!isPill && <span class="note">{noteOf(task, look)}</span>}
      </span>
      {look === "busy" && pause === "" && <span class="live-line">{lineOf(task.owner)}</span>}
    </Button>
  );
}

/** The last line that its owner prints or says. */
function lineOf(owner: string | null): string {
  const now = app.replay ? undefined : app.output.findLast(({ who }) => who === owner);
  if (now) return lastLines(now.text, 1).trim() || now.command;
  return app.model.members.get(owner ?? "")?.lastCall.split("\n")[0] ?? "";
}

/** The words behind the name of the owner. */
const PAUSES: Readonly<Record<Pause, string>> = {
  away: " is not running",
  asks: " asks you",
  gate: ": gate runs",
  queued: " waits to land",
  "": "",
};

function noteOf(task: Task, look: Look): string {
  if (look === "waiting") {
    const open = task.blockedBy.filter((id) => app.model.tasks.get(id)?.status !== "completed");
    return `after ${open
      .slice(0, 3)
      .map((id) => `#${id}`)
      .join(" ")}${open.length > 3 ? ` +${open.length - 3}` : ""}`;
  }
  if (look === "ready") return task.role ? `for ${task.role}` : "ready";
  const since = task.startedAt === null ? "" : span((task.endedAt ?? app.now) - task.startedAt);
  if (look === "busy") {
    const pause = pauseOf(task, app.model);
    const isFrozen = pause === "away" && app.model.members.get(task.owner ?? "")?.frozen !== undefined;
    if (isFrozen) return `${task.owner} stands still`;
    return `${task.owner ?? ""}${PAUSES[pause]}${pause === "away" || pause === "asks" ? "" : ` · ${since}`}`;
  }
  return [task.owner, since].filter(Boolean).join(" · ");
}
