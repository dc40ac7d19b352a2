/** The parts of a board that is too large for single tasks: how many they hold, what these are about, and how far they are. */

import { figure } from "../../../../core/views/view.ts";
import type { Look } from "../board.ts";
import type { Box, Brush, Scene } from "./draw.ts";
import type { Layout } from "./layout.ts";

/** In pixels of the screen. */
const CELL = 112;

type Cluster = {
  readonly box: Box;
  readonly counts: Map<Look, number>;
  readonly groups: Map<string, number>;
  total: number;
  /** The first and the last of its layers, from 1. */
  from: number;
  to: number;
};

/** The states that a person looks for in a cluster, the most urgent first. */
const FIRST: readonly (readonly [Look, string])[] = [
  ["failed", "failed"],
  ["busy", "at work"],
  ["ready", "ready"],
  ["waiting", "waiting"],
];

/** The bar of a cluster, from the left. */
const BAR: readonly Look[] = ["done", "failed", "cancelled", "busy", "ready", "waiting"];

let kept: {
  readonly looks: Scene["looks"];
  readonly layout: Layout;
  readonly size: number;
  readonly clusters: Cluster[];
} | null = null;

/** Tasks that stand near each other at this zoom, counted together. Sizes go in steps, so that clusters last while one zooms. */
export function clustersOf({ layout, looks }: Pick<Scene, "layout" | "looks">, k: number): Cluster[] {
  const size = CELL * 1.5 ** Math.ceil(Math.log(1 / k) / Math.log(1.5));
  if (kept?.looks === looks && kept.layout === layout && kept.size === size) return kept.clusters;
  // As many as fit: all of them end where the board ends.
  const columns = Math.max(1, Math.floor(layout.width / size));
  const rows = Math.max(1, Math.floor(layout.height / size));
  const [width, height] = [layout.width / columns, layout.height / rows];
  const cells = new Map<string, Cluster>();
  for (const [id, [x, y]] of layout.places) {
    const look = looks.get(id);
    if (!look) continue;
    const [column, row] = [Math.floor(x / width), Math.floor(y / height)];
    const key = `${column} ${row}`;
    let cell = cells.get(key);
    if (!cell) {
      const box = {
        left: column * width,
        top: row * height,
        right: (column + 1) * width,
        bottom: (row + 1) * height,
      };
      cell = { box, counts: new Map(), groups: new Map(), total: 0, from: Number.POSITIVE_INFINITY, to: 0 };
      cells.set(key, cell);
    }
    cell.counts.set(look, (cell.counts.get(look) ?? 0) + 1);
    cell.total += 1;
    const layer = (layout.depths.get(id) ?? 0) + 1;
    [cell.from, cell.to] = [Math.min(cell.from, layer), Math.max(cell.to, layer)];
    const group = layout.groups.get(id) ?? "";
    cell.groups.set(group, (cell.groups.get(group) ?? 0) + 1);
  }
  kept = { looks, layout, size, clusters: [...cells.values()] };
  return kept.clusters;
}

/** The groups of most of its tasks: "src/cart", "src/cart, src/pay", else their steps in the work: "Steps 3–12". */
export function aboutOf({
  groups,
  total,
  from,
  to,
}: Pick<Cluster, "groups" | "total" | "from" | "to">): string {
  const all = [...groups].filter(([name]) => name !== "").sort((a, b) => b[1] - a[1]);
  const [[first, most] = ["", 0], [second] = [""]] = all;
  if (all.length <= 1 || most >= 0.8 * total) return first;
  if (all.length === 2) return `${first}, ${second}`;
  return from === to ? `${first} +${all.length - 1}` : `Steps ${from}–${to}`;
}

/** As much of a text as there is room for. */
function fitting(context: CanvasRenderingContext2D, text: string, width: number): string {
  const whole = context.measureText(text).width;
  if (whole <= width) return text;
  return `${text.slice(0, Math.max(0, Math.floor((text.length * width) / whole) - 1))}…`;
}

export function drawClusters({ context, scene, camera: { k }, palette, view }: Brush): void {
  const gap = 4 / k;
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const cluster of clustersOf(scene, k)) {
    const { box, counts, total } = cluster;
    if (box.left > view.right || box.right < view.left || box.top > view.bottom || box.bottom < view.top)
      continue;
    const [x, y, width, height] = [
      box.left + gap,
      box.top + gap,
      box.right - box.left - 2 * gap,
      box.bottom - box.top - 2 * gap,
    ];
    context.fillStyle = palette.panel;
    context.fillRect(x, y, width, height);
    context.strokeStyle = palette.edge;
    context.lineWidth = 1 / k;
    context.strokeRect(x, y, width, height);
    context.fillStyle = palette.text;
    const room = width - 16 / k;
    context.font = `600 ${Math.round(13 / k)}px system-ui, sans-serif`;
    const tasks = total === 1 ? "1 task" : `${figure(total)} tasks`;
    context.fillText(fitting(context, aboutOf(cluster) || tasks, room), x + 10 / k, y + 18 / k);
    const done = counts.get("done") ?? 0;
    context.fillStyle = palette.dim;
    context.font = `${Math.round(12 / k)}px system-ui, sans-serif`;
    const lines = aboutOf(cluster) === "" ? [] : [tasks];
    lines.push(`${Math.floor((100 * done) / total)} % done`);
    for (const [i, line] of lines.entries())
      context.fillText(fitting(context, line, room), x + 10 / k, y + (36 + 17 * i) / k);
    const first = FIRST.find(([look]) => counts.has(look));
    if (first) {
      if (first[0] === "failed") context.fillStyle = palette.failed;
      const urgent = `${figure(counts.get(first[0]) ?? 0)} ${first[1]}`;
      context.fillText(fitting(context, urgent, room), x + 10 / k, y + (36 + 17 * lines.length) / k);
    }
    let at = x + 10 / k;
    const all = width - 20 / k;
    for (const look of BAR) {
      const part = (all * (counts.get(look) ?? 0)) / total;
      context.fillStyle = palette[look];
      context.fillRect(at, y + height - 18 / k, part, 6 / k);
      at += part;
    }
  }
}
