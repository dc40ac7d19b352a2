/** A task in the graph: its subject, its number, and who works on it for how long, or what it waits for. */
import type { Task } from "../../../../core/picture/task.ts";
import { span } from "../../../../core/views/view.ts";
import { app } from "../app.ts";
import { useClock } from "../parts/clock.tsx";
import { Button } from "../parts/fields.tsx";
import { Status } from "../parts/parts.tsx";
import { type Look, type Pause, pauseOf, shownOf } from "../pure/board.ts";
import { CARD } from "./layout.ts";

type Props = {
  readonly task: Task;
  readonly look: Look;
  readonly place: readonly [x: number, y: number];
  readonly isCritical: boolean;
};

export function Card({ task, look, place: [x, y], isCritical }: Props) {
  const isSelected = app.route.task === task.id;
  useClock(look === "busy");
  const pause = pauseOf(task, app.model);
  return (
    <Button
      class={`card ${look}${pause && ` ${pause}`}${isCritical ? " critical" : ""}${isSelected ? " selected" : ""}`}
      style={{ left: `${x}px`, top: `${y}px`, width: `${CARD.width}px`, height: `${CARD.height}px` }}
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
        <span class="note">{noteOf(task, look)}</span>
      </span>
    </Button>
  );
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
    return `${task.owner ?? ""}${PAUSES[pause]}${pause === "away" || pause === "asks" ? "" : ` · ${since}`}`;
  }
  return [task.owner, since].filter(Boolean).join(" · ");
}
