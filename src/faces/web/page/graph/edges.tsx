/** The edges of the graph, behind its cards: one path for each way in which they look. */
import type { Look } from "../pure/board.ts";
import { CARD, type Edge, GAP, type Layout } from "./layout.ts";

type Props = {
  readonly layout: Layout;
  /** Of the tasks that are there at the shown moment. */
  readonly looks: ReadonlyMap<number, Look>;
  readonly critical: ReadonlySet<number>;
  readonly selected: number | null;
};

/** In the order of painting. */
const KINDS = ["over", "plain", "critical", "near"] as const;

export function Edges({ layout, looks, critical, selected }: Props) {
  const paths: Record<(typeof KINDS)[number], string> = { over: "", plain: "", critical: "", near: "" };
  for (const edge of layout.edges) {
    const { from, to } = edge;
    if (!looks.has(from) || !looks.has(to)) continue;
    const isNear = from === selected || to === selected;
    const isCritical = critical.has(from) && critical.has(to);
    const kind = isNear ? "near" : isCritical ? "critical" : looks.get(from) === "done" ? "over" : "plain";
    paths[kind] += pathOf(edge, layout);
  }
  return (
    <svg class="edges" width={layout.width} height={layout.height} aria-hidden="true">
      {KINDS.map((kind) => paths[kind] !== "" && <path key={kind} class={kind} d={paths[kind]} />)}
    </svg>
  );
}

/** From the right side of one card to the left side of another, through the lanes between them. */
function pathOf({ from, to, via }: Edge, { places }: Layout): string {
  const [start, end] = [places.get(from), places.get(to)];
  if (!start || !end) return "";
  let [x, y] = [start[0] + CARD.width, start[1] + CARD.height / 2];
  let path = `M${round(x)} ${round(y)}`;
  const bendTo = (nextX: number, nextY: number): void => {
    const bend = Math.max(24, (nextX - x) / 2);
    path += `C${round(x + bend)} ${round(y)} ${round(nextX - bend)} ${round(nextY)} ${round(nextX)} ${round(nextY)}`;
    [x, y] = [nextX, nextY];
  };
  for (const [laneX, laneY] of via) {
    bendTo(laneX, laneY + GAP.lane / 2);
    x = laneX + CARD.width;
    path += `H${round(x)}`;
  }
  bendTo(end[0], end[1] + CARD.height / 2);
  return path;
}

const round = (value: number): number => Math.round(value * 10) / 10;
