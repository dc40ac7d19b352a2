/** Draws the board on a canvas: edges behind the cards, and cards themselves where they are too small to be read. */
import type { Look, Pause } from "../board.ts";
import { drawClusters } from "./clusters.ts";
import { CARD, type Layout } from "./layout.ts";

export type Camera = { readonly x: number; readonly y: number; readonly k: number };
export type Scene = {
  readonly layout: Layout;
  readonly looks: ReadonlyMap<number, Look>;
  /** Of tasks in progress that nobody works on at this moment. */
  readonly pauses: ReadonlyMap<number, Pause>;
  readonly critical: ReadonlySet<number>;
  readonly selected: number | null;
  /** While it is dragged or zoomed, only what is needed to find one's way is drawn. */
  readonly isMoving: boolean;
};
export type Palette = Readonly<Record<Look | "edge" | "text" | "panel" | "critical" | "dim", string>>;

/** From here on cards are elements with text; below they are drawn. */
export const READABLE = 0.5;
/** The scale below which tasks stand together in clusters. */
const CLUSTERED = 0.11;
const EDGES_MAX = 2_000;
/** While a larger board moves, so many of its edges are drawn, straight and one pixel wide: curves take half of a frame. */
const EDGES_MOVING_MAX = 150;
const NUMBERS_MAX = 800;

export function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    waiting: color("waiting"),
    ready: color("ready"),
    busy: color("busy"),
    done: color("good"),
    failed: color("bad"),
    cancelled: color("cancelled"),
    edge: color("edge"),
    text: color("text"),
    panel: color("panel"),
    critical: color("warn"),
    dim: color("dim"),
  };
}

export function draw(canvas: HTMLCanvasElement, scene: Scene, camera: Camera, palette: Palette): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const ratio = canvas.width / Math.max(1, canvas.clientWidth);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.setTransform(ratio * camera.k, 0, 0, ratio * camera.k, ratio * camera.x, ratio * camera.y);
  const view = inSight(camera, canvas.clientWidth, canvas.clientHeight, 0);
  const brush = { context, scene, camera, palette, view };
  const isClustered = camera.k < CLUSTERED && scene.layout.places.size > 150;
  if (isClustered) drawClusters(brush);
  else drawEdges(brush);
  if (!isClustered && camera.k < READABLE) drawCards(brush);
}

export type Box = {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
};
export type Brush = {
  readonly context: CanvasRenderingContext2D;
  readonly scene: Scene;
  readonly camera: Camera;
  readonly palette: Palette;
  readonly view: Box;
};

/** The part of the board that the canvas shows, with a margin in pixels. */
const inSight = ({ x, y, k }: Camera, width: number, height: number, margin: number): Box => ({
  left: (-x - margin) / k,
  top: (-y - margin) / k,
  right: (width - x + margin) / k,
  bottom: (height - y + margin) / k,
});

const isIn = ([x, y]: readonly [number, number], view: Box): boolean =>
  x < view.right && x + CARD.width > view.left && y < view.bottom && y + CARD.height > view.top;

/** The tasks in sight, at most `max`; null when there are more. */
export function visible(
  layout: Layout,
  looks: ReadonlyMap<number, Look>,
  camera: Camera,
  width: number,
  height: number,
  max: number,
): number[] | null {
  const view = inSight(camera, width, height, 120);
  const found: number[] = [];
  for (const [id, place] of layout.places) {
    if (!looks.has(id) || !isIn(place, view)) continue;
    if (found.length === max) return null;
    found.push(id);
  }
  return found;
}

function drawEdges({ context, scene, camera, palette, view }: Brush): void {
  const { layout, looks, critical, selected } = scene;
  const plain = new Path2D();
  const done = new Path2D();
  const marked = new Path2D();
  const near = new Path2D();
  let drawn = 0;
  const isRough = scene.isMoving && layout.edges.length > EDGES_MOVING_MAX;
  const most = isRough ? EDGES_MOVING_MAX : EDGES_MAX;
  for (const edge of layout.edges) {
    const [a, b] = [layout.places.get(edge.from), layout.places.get(edge.to)];
    if (!a || !b || !looks.has(edge.from) || !looks.has(edge.to)) continue;
    if (Math.max(a[0], b[0]) + CARD.width < view.left || Math.min(a[0], b[0]) > view.right) continue;
    if (Math.max(a[1], b[1]) + CARD.height < view.top || Math.min(a[1], b[1]) > view.bottom) continue;
    const isNear = selected !== null && (edge.from === selected || edge.to === selected);
    const isCritical = critical.has(edge.from) && critical.has(edge.to);
    if (!isNear && !isCritical && ++drawn > most) continue;
    const path = isNear ? near : isCritical ? marked : looks.get(edge.from) === "done" ? done : plain;
    trace(path, a, b, edge.via, isRough || camera.k < 0.25);
  }
  const stroke = (path: Path2D, color: string, width: number): void => {
    context.strokeStyle = color;
    context.lineWidth = isRough ? 1 / camera.k : width / Math.max(camera.k, 0.35);
    context.stroke(path);
  };
  context.globalAlpha = 0.55;
  stroke(done, palette.edge, 1);
  context.globalAlpha = 1;
  stroke(plain, palette.edge, 1.25);
  stroke(marked, palette.critical, 2);
  stroke(near, palette.busy, 2);
}

function trace(
  path: Path2D,
  a: readonly [number, number],
  b: readonly [number, number],
  via: Layout["edges"][number]["via"],
  isCoarse: boolean,
): void {
  let [x, y] = [a[0] + CARD.width, a[1] + CARD.height / 2];
  path.moveTo(x, y);
  const to = (nextX: number, nextY: number): void => {
    const bend = Math.max(24, (nextX - x) / 2);
    if (isCoarse) path.lineTo(nextX, nextY);
    else path.bezierCurveTo(x + bend, y, nextX - bend, nextY, nextX, nextY);
    [x, y] = [nextX, nextY];
  };
  for (const [laneX, laneY] of via) {
    to(laneX, laneY + 7);
    path.lineTo(laneX + CARD.width, laneY + 7);
    x = laneX + CARD.width;
  }
  to(b[0], b[1] + CARD.height / 2);
}

/** A card of a person who is asked, and one of a lost process, are seen from far away. */
const COLORS: Readonly<Partial<Record<Pause, keyof Palette>>> = { asks: "critical", away: "dim" };

function drawCards({ context, scene, camera, palette, view }: Brush): void {
  const paths = new Map<keyof Palette, Path2D>();
  const marked = new Path2D();
  const numbers: { id: number; x: number; y: number; look: Look }[] = [];
  for (const [id, place] of scene.layout.places) {
    const look = scene.looks.get(id);
    if (!look || !isIn(place, view)) continue;
    const color = COLORS[scene.pauses.get(id) ?? ""] ?? look;
    const path = paths.get(color) ?? new Path2D();
    paths.set(color, path);
    path.rect(place[0], place[1], CARD.width, CARD.height);
    if (scene.critical.has(id) || id === scene.selected)
      marked.rect(place[0], place[1], CARD.width, CARD.height);
    numbers.push({ id, x: place[0] + CARD.width / 2, y: place[1] + CARD.height / 2, look });
  }
  for (const [look, path] of paths) {
    const isOpen = look === "waiting" || look === "ready";
    context.fillStyle = isOpen ? palette.panel : palette[look];
    context.fill(path);
    if (!isOpen) continue;
    context.strokeStyle = palette[look];
    context.lineWidth = 1.2 / camera.k;
    context.stroke(path);
  }
  context.strokeStyle = palette.critical;
  context.lineWidth = 2.5 / camera.k;
  context.stroke(marked);
  if (scene.isMoving || camera.k < 0.2 || numbers.length > NUMBERS_MAX) return;
  context.textBaseline = "middle";
  context.textAlign = "center";
  context.font = `600 ${Math.round(13 / camera.k)}px system-ui, sans-serif`;
  for (const { id, x, y, look } of numbers) {
    context.fillStyle = look === "waiting" || look === "ready" ? palette.text : palette.panel;
    context.fillText(String(id), x, y);
  }
}
