/** The board as a graph of elements in a box that scrolls. Arrows go from task to task, + and - zoom. */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { criticalPath } from "../../../../core/board/order.ts";
import { figure } from "../../../../core/views/view.ts";
import { app } from "../app.ts";
import { Button } from "../parts/fields.tsx";
import { Link, useSize } from "../parts/parts.tsx";
import { looksOf } from "../pure/board.ts";
import { chainWords } from "../pure/time-left.ts";
import { Card } from "./card.tsx";
import { Edges } from "./edges.tsx";
import { type Layout, layout } from "./layout.ts";
import { type Part, partOf, REST_WORDS, WHOLE_MAX } from "./part.ts";

const FOLDED_FROM = 24; // tasks: larger boards begin without what is done
const MARGIN = 24;
/** Cards can be read at each of these. */
const [LEAST, MOST] = [0.85, 1.5];
const BY = 1.25;

type Keys = Readonly<Record<string, () => void>>;

export function Graph() {
  const box = useRef<HTMLDivElement>(null);
  const [isCritical, setCritical] = useState(true);
  const [isFolded, setFolded] = useState<boolean | null>(null);
  const [zoom, setZoom] = useState<number | null>(null);
  const { model } = app;
  const selected = app.route.task;
  const path = useMemo(() => criticalPath(model.tasks), [model, model.board]);
  const { part, laid } = useLaid(path, isFolded ?? model.tasks.size >= FOLDED_FROM);
  const size = useSize(box);
  const k = zoom ?? fitting(laid, size);
  const critical = useMemo(() => new Set(isCritical ? path : []), [isCritical, path]);
  const keepMiddle = useMiddle(box, k);
  const isFirst = useRef(true);
  // The panel of a task takes room from the box.
  useEffect(() => {
    if (size.width === 0) return;
    const wanted = selected ?? (isFirst.current ? path[0] : undefined);
    isFirst.current = false;
    cardOf(box, wanted)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [selected, size.width]);
  const zoomTo = (k: number | null): void => {
    keepMiddle(); // its last scroll may not have been told yet
    setZoom(k);
  };
  const zoomBy = (by: number): void => zoomTo(Math.min(MOST, Math.max(LEAST, k * by)));
  const keys: Keys = {
    "+": () => zoomBy(BY),
    "=": () => zoomBy(BY),
    "-": () => zoomBy(1 / BY),
    "0": () => zoomTo(null),
  };
  return (
    <div class="graph">
      <Rest part={part} onAll={() => setFolded(false)} />
      <div
        class="graph-box"
        ref={box}
        role="group"
        aria-label={`Graph of ${part.ids.size} tasks. The columns show the same as lists.`}
        onScroll={keepMiddle}
        onKeyDown={(event) => {
          const act = keys[event.key];
          if (act) act();
          else if (ARROWS[event.key]) toNext(event, box, laid);
        }}
      >
        <Sheet laid={laid} k={k} critical={critical} />
      </div>
      <Tools
        isFolded={isFolded}
        setFolded={setFolded}
        isCritical={isCritical}
        setCritical={setCritical}
        keys={keys}
      />
    </div>
  );
}

/** The cards and the edges between them. */
function Sheet({ laid, k, critical }: { laid: Layout; k: number; critical: ReadonlySet<number> }) {
  const { model, route } = app;
  const { of: looks, counts } = looksOf(model);
  const isLate = 2 * (counts.done + counts.cancelled) >= model.tasks.size;
  return (
    <div
      class="graph-sheet"
      style={{ width: `${laid.width * k + 2 * MARGIN}px`, height: `${laid.height * k + 2 * MARGIN}px` }}
    >
      <div
        class="cards"
        style={{
          transform: `scale(${k})`,
          width: `${laid.width}px`,
          height: `${laid.height}px`,
          "--zoom": k,
        }}
      >
        <Edges layout={laid} looks={looks} critical={critical} selected={route.task} />
        {[...laid.places].map(([id, place]) => {
          const [task, look] = [model.tasks.get(id), looks.get(id)];
          return (
            task &&
            look && (
              <Card
                key={id}
                task={task}
                look={look}
                place={place}
                isCritical={critical.has(id)}
                isLate={isLate}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

type ToolsProps = {
  readonly isFolded: boolean | null;
  readonly setFolded: (isFolded: boolean) => void;
  readonly isCritical: boolean;
  readonly setCritical: (isCritical: boolean) => void;
  readonly keys: Keys;
};

function Tools({ isFolded, setFolded, isCritical, setCritical, keys }: ToolsProps) {
  return (
    <div class="graph-tools" role="toolbar" aria-label="Zoom">
      {isFolded === false && app.model.tasks.size <= WHOLE_MAX && (
        <Button onClick={() => setFolded(true)} title="Hide the layers in which everything is done">
          Fold what is done
        </Button>
      )}
      <Button
        aria-pressed={isCritical}
        onClick={() => setCritical(!isCritical)}
        title="The chain of work that decides the end"
      >
        Critical path{chainWords(app.model)}
      </Button>
      <Button onClick={keys["+"]} aria-label="Zoom in" title="Zoom in (+)">
        +
      </Button>
      <Button onClick={keys["-"]} aria-label="Zoom out" title="Zoom out (-)">
        −
      </Button>
      <Button onClick={keys["0"]} title="Fit to a readable size (0)">
        Fit
      </Button>
    </div>
  );
}

/** How much of the board is not in the graph, and where it is. */
function Rest({ part: { ids, rest }, onAll }: { part: Part; onAll: () => void }) {
  if (rest.length === 0) return null;
  const counts = rest.map(([look, count]) => `+${figure(count)} ${REST_WORDS[look]}`).join(", ");
  if (app.model.tasks.size <= WHOLE_MAX)
    return (
      <p class="rest row">
        <span>{counts}</span>
        <Button class="link" onClick={onAll}>
          Show them
        </Button>
      </p>
    );
  return (
    <p class="rest">
      {ids.size} of {figure(app.model.tasks.size)} tasks: the open ones around the critical path
      {app.route.task !== null && ` and #${app.route.task}`}. Not shown: {counts}.{" "}
      <Link to={{ item: "columns" }}>The columns show everything.</Link>
    </p>
  );
}

/** The shown part and where its cards are: both stay until the board changes. */
function useLaid(path: readonly number[], isFolded: boolean): { readonly part: Part; readonly laid: Layout } {
  const { model, replay, live } = app;
  const { task: selected } = app.route;
  // A replay shows where tasks will stand that are not there yet, so that nothing moves.
  const isAll = replay !== null && live.tasks.size <= WHOLE_MAX;
  const shown = useRef<{ readonly part: Part | null; readonly around: number | null }>({
    part: null,
    around: null,
  });
  // A task that is in sight already moves nothing when it is selected.
  const isIn = selected === null || shown.current.part?.ids.has(selected) === true;
  const around = isIn ? shown.current.around : selected;
  const part = useMemo(() => {
    const looks = looksOf(model).of;
    if (isAll) return { ids: new Set(live.tasks.keys()), rest: [] };
    return partOf(model.tasks, { looks, path, selected: around, isFolded });
  }, [model, model.board, isAll, live.shape, path, around, isFolded]);
  shown.current = { part, around };
  const { tasks, shape } = isAll ? live : model;
  const laid = useMemo(
    () => layout(new Map([...tasks].filter(([id]) => part.ids.has(id)))),
    [tasks, shape, [...part.ids].join(" ")],
  );
  return { part, laid };
}

/** As much of the board as can still be read; the rest is a scroll away. */
export function fitting(laid: Layout, { width, height }: { width: number; height: number }): number {
  if (laid.places.size === 0 || width === 0) return 1;
  const whole = Math.min((width - 2 * MARGIN) / laid.width, (height - 2 * MARGIN) / laid.height);
  return Math.min(1, Math.max(LEAST, whole));
}

/** Zooming keeps what is in the middle of the box. Returns what hears of its scrolling: a smaller sheet moves the box before it is asked. */
function useMiddle(box: RefObject<HTMLElement | null>, k: number): () => void {
  const middle = useRef({ x: 0, y: 0 });
  const last = useRef(k);
  useLayoutEffect(() => {
    const at = box.current;
    if (at && last.current !== k)
      at.scrollTo(middle.current.x * k - middleIn(at), middle.current.y * k - at.clientHeight / 2);
    last.current = k;
  }, [k]);
  return () => {
    const at = box.current;
    if (!at) return;
    const { scrollLeft, scrollTop, clientHeight } = at;
    middle.current = { x: (scrollLeft + middleIn(at)) / k, y: (scrollTop + clientHeight / 2) / k };
  };
}

/** The middle of the part that no panel lies over. */
const middleIn = (at: HTMLElement): number =>
  (at.clientWidth - Number.parseFloat(getComputedStyle(at).paddingRight)) / 2;

const cardOf = (box: RefObject<HTMLElement | null>, id: number | undefined): HTMLElement | null =>
  box.current?.querySelector<HTMLElement>(`.card[data-task="${id}"]`) ?? null;

const ARROWS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

/** Opens the nearest task in the direction of an arrow. Without one to begin with, the arrow scrolls. */
function toNext(event: KeyboardEvent, box: RefObject<HTMLElement | null>, { places }: Layout): void {
  const [x, y] = ARROWS[event.key] as readonly [number, number];
  const from = Number((event.target as HTMLElement).dataset.task ?? app.route.task);
  const here = places.get(from);
  if (!here) return;
  event.preventDefault();
  let [best, distance]: [number | null, number] = [null, Number.POSITIVE_INFINITY];
  for (const [id, [left, top]] of places) {
    const [dx, dy] = [left - here[0], top - here[1]];
    const ahead = dx * x + dy * y;
    if (id === from || ahead <= 0 || !app.model.tasks.has(id)) continue;
    const away = ahead + 3 * (Math.abs(dx * y) + Math.abs(dy * x));
    if (away < distance) [best, distance] = [id, away];
  }
  if (best === null) return;
  app.go({ task: best });
  cardOf(box, best)?.focus();
}
