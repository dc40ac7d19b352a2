/** The board as a graph: drag to move, wheel or two fingers to zoom, arrows to go from task to task. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { criticalPath } from "../../../../core/board/order.ts";
import type { Task } from "../../../../core/picture/task.ts";
import { counted, figure, span } from "../../../../core/views/view.ts";
import { app } from "../app.ts";
import { type Look, looksOf, type Pause, pauseOf, shownOf } from "../board.ts";
import { useClock } from "../clock.tsx";
import { Button } from "../fields.tsx";
import { Status, useCanvasSize } from "../parts.tsx";
import { onTheme } from "../theme.ts";
import { chainWords } from "../time-left.ts";
import { type Camera, draw, type Palette, paletteOf, READABLE, visible } from "./draw.ts";
import { type Fold, foldOf } from "./fold.ts";
import { CARD, type Layout } from "./layout.ts";
import { type CameraControl, useCamera } from "./use-camera.ts";
import { useLayout } from "./use-layout.ts";

const FOLDED_FROM = 24; // tasks: larger boards begin folded
const CARDS_MAX = 160;
/** Below this, a card has room for one line of its subject. */
const SMALL = 0.75;
const STEP_MS = 100;
/** Two frames after another by more than this: the browser could not draw as often as the screen shows. */
const LATE_MS = 22;
/** A picture that is only shifted and scaled is at most this old. */
const STALE_MS = 60;

export function Graph() {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const cardsBox = useRef<HTMLDivElement>(null);
  const [isCritical, setCritical] = useState(true);
  const { model } = app;
  const [wanted, setWanted] = useState<boolean | null>(null);
  // A replay shows where tasks will stand that are not there yet, so that nothing moves.
  const foldable = useMemo(() => (app.replay ? null : foldOf(model.tasks)), [app.replay, model, model.board]);
  const fold = (wanted ?? model.tasks.size >= FOLDED_FROM) ? foldable : null;
  const laid = useLayout(app.replay ? app.live : model, fold);
  const looks = looksOf(model).of;
  const critical = useMemo(
    () => new Set(isCritical && laid ? criticalPath(model.tasks) : []),
    [isCritical, laid, model, model.board],
  );
  const pauses = new Map<number, Pause>();
  for (const { task } of model.members.values()) {
    const held = task === null ? undefined : model.tasks.get(task);
    const pause = held ? pauseOf(held, model) : "";
    if (held && pause !== "") pauses.set(held.id, pause);
  }
  const selected = app.route.task;
  const [shown, setShown] = useState<readonly number[]>([]);
  const palette = useRef<Palette | null>(null);
  const steppedAt = useRef(0);
  const painted = useRef({ frameAt: 0, at: 0, camera: { x: 0, y: 0, k: 1 } as Camera });

  const paint = (camera: Camera, isMoving: boolean): void => {
    const [at, surface, cards] = [canvas.current, box.current, cardsBox.current];
    if (!at || !surface || !cards || !laid) return;
    cards.style.transform = `translate(${camera.x}px, ${camera.y}px) scale(${camera.k})`;
    // Texts stay readable while cards shrink; a step at a time, since each costs the browser all cards.
    const step = String(Math.max(READABLE, Math.round(camera.k * 20) / 20));
    if (cards.dataset.zoom !== step) {
      cards.dataset.zoom = step;
      cards.style.setProperty("--zoom", step);
      cards.classList.toggle("small", Number(step) < SMALL);
    }
    const now = performance.now();
    const { frameAt, at: paintedAt, camera: drawn } = painted.current;
    painted.current.frameAt = now;
    if (isMoving && now - frameAt > LATE_MS && now - paintedAt < STALE_MS) {
      // Painting takes most of a frame. On a slow machine the last picture moves along until there is time for the next one.
      const by = camera.k / drawn.k;
      at.style.transform = `translate(${camera.x - drawn.x * by}px, ${camera.y - drawn.y * by}px) scale(${by})`;
      return;
    }
    at.style.transform = "";
    painted.current = { frameAt: now, at: now, camera };
    palette.current ??= paletteOf(surface);
    draw(at, { layout: laid, looks, pauses, critical, selected, isMoving }, camera, palette.current);
    // Cards come and go in steps while one moves: elements cost more than pixels.
    if (isMoving && now - steppedAt.current < STEP_MS) return;
    steppedAt.current = now;
    const near =
      camera.k < READABLE ? null : visible(laid, looks, camera, at.clientWidth, at.clientHeight, CARDS_MAX);
    setShown((before) => (same(before, near ?? []) ? before : (near ?? [])));
  };
  const camera = useCamera(box, laid, paint);

  useLayoutEffect(() => {
    camera.repaint();
  });
  useEffect(() => {
    const recolor = (): void => {
      palette.current = null;
      camera.repaint();
    };
    return onTheme(recolor);
  }, []);
  useCanvasSize(canvas, () => camera.repaint());

  const select = (id: number): void => {
    app.go({ task: id });
    camera.show(id);
  };
  return (
    <div
      class="graph"
      ref={box}
      aria-busy={laid === null}
      onKeyDown={(event) => onKey(event, laid, select, camera)}
    >
      <canvas
        ref={canvas}
        onClick={({ offsetX, offsetY }) => {
          const id = camera.taskAt(offsetX, offsetY);
          if (id === null || !looks.has(id)) return;
          if (camera.at().k < 0.11) camera.zoomTo(offsetX, offsetY);
          else app.go({ task: id });
        }}
        aria-label={`Graph of ${looks.size} tasks. The columns show the same as lists.`}
        role="img"
      />
      {laid === null && <p class="laying dim">Laying out {figure(looks.size)} tasks…</p>}
      <div class="cards" ref={cardsBox}>
        {laid && fold && <Stack fold={fold} laid={laid} onOpen={() => setWanted(false)} />}
        {laid &&
          shown.map((id) => {
            const task = model.tasks.get(id);
            const place = laid.places.get(id);
            if (!task || !place) return null;
            return (
              <Card
                key={id}
                task={task}
                look={looks.get(id) ?? "waiting"}
                place={place}
                isCritical={critical.has(id)}
              />
            );
          })}
      </div>
      <div class="graph-tools" role="toolbar" aria-label="Zoom">
        {foldable && (
          <Button
            aria-pressed={fold !== null}
            onClick={() => setWanted(fold === null)}
            title="Layers in which everything is done become one card"
          >
            Fold what is done
          </Button>
        )}
        <Button
          aria-pressed={isCritical}
          onClick={() => setCritical(!isCritical)}
          title="The chain of work that decides the end"
        >
          Critical path{chainWords(model)}
        </Button>
        <Button onClick={() => camera.zoom(1.4)} aria-label="Zoom in" title="Zoom in (+)">
          +
        </Button>
        <Button onClick={() => camera.zoom(1 / 1.4)} aria-label="Zoom out" title="Zoom out (-)">
          −
        </Button>
        <Button onClick={camera.fitAll} title="Show all (0)">
          Fit
        </Button>
      </div>
    </div>
  );
}

/** The folded tasks, as one card before all others. */
const Stack = ({ fold, laid, onOpen }: { fold: Fold; laid: Layout; onOpen: () => void }) => (
  <Button
    class="card done stack"
    style={{
      ...{ left: "0", top: `${Math.max(0, (laid.height - CARD.height) / 2)}px` },
      ...{ width: `${CARD.width}px`, height: `${CARD.height}px` },
    }}
    title="Show them"
    onClick={onOpen}
  >
    <Status look="done" />
    <span class="subject">{fold.ids.size} tasks done</span>
    <span class="meta">
      <span>{counted(fold.layers, "layer")}</span>
      <span class="note">show</span>
    </span>
  </Button>
);

function Card({
  task,
  look,
  place: [x, y],
  isCritical,
}: {
  task: Task;
  look: Look;
  place: readonly [number, number];
  isCritical: boolean;
}) {
  const isSelected = app.route.task === task.id;
  useClock(look === "busy");
  const pause = pauseOf(task, app.model);
  const note = noteOf(task, look);
  return (
    <Button
      class={`card ${look}${pause && ` ${pause}`}${isCritical ? " critical" : ""}${isSelected ? " selected" : ""}`}
      style={{ left: `${x}px`, top: `${y}px`, width: `${CARD.width}px`, height: `${CARD.height}px` }}
      data-task={task.id}
      aria-current={isSelected ? "true" : undefined}
      title={`#${task.id} ${task.subject}`}
      onClick={() => app.go({ task: task.id })}
    >
      <Status look={shownOf(task, app.model)} />
      <span class="subject">{task.subject}</span>
      <span class="meta">
        <span class="id">#{task.id}</span>
        <span class="note">{note}</span>
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
    return `${task.owner ?? ""}${PAUSES[pause]}${pause === "away" ? "" : ` · ${since}`}`;
  }
  return [task.owner, since].filter(Boolean).join(" · ");
}

const same = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((id, i) => id === b[i]);

const ARROWS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

const KEYS: Readonly<Record<string, (camera: CameraControl) => void>> = {
  "+": (camera) => camera.zoom(1.4),
  "=": (camera) => camera.zoom(1.4),
  "-": (camera) => camera.zoom(1 / 1.4),
  "0": (camera) => camera.fitAll(),
};

function onKey(
  event: KeyboardEvent,
  laid: Layout | null,
  select: (id: number) => void,
  camera: CameraControl,
): void {
  const act = KEYS[event.key];
  if (act) return void act(camera);
  const arrow = ARROWS[event.key];
  const from = Number((event.target as HTMLElement).dataset.task ?? app.route.task);
  const here = laid?.places.get(from);
  if (!arrow || !laid || !here) return;
  event.preventDefault();
  let [best, distance]: [number | null, number] = [null, Number.POSITIVE_INFINITY];
  for (const [id, [x, y]] of laid.places) {
    const [dx, dy] = [x - here[0], y - here[1]];
    const ahead = dx * arrow[0] + dy * arrow[1];
    if (id === from || ahead <= 0 || !app.model.tasks.has(id)) continue;
    const away = ahead + 3 * (Math.abs(dx * arrow[1]) + Math.abs(dy * arrow[0]));
    if (away < distance) [best, distance] = [id, away];
  }
  if (best === null) return;
  select(best);
  const wanted = best;
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`.card[data-task="${wanted}"]`)?.focus({ preventScroll: true }),
  );
}
