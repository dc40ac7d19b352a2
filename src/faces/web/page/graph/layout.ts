/**
 * Places tasks in layers, left to right, in time that grows with their number: longest path, medians against crossings, then each
 * node as near to its neighbours as the others allow. A layer that is taller than the board is wide gets several columns.
 * Edges over several layers run through lanes of their own while there are few enough to follow one. Pure.
 */
import { inOrder } from "../../../../core/board/order.ts";

export type Node = { readonly id: number; readonly blockedBy: readonly number[] };
export type Edge = {
  readonly from: number;
  readonly to: number;
  readonly via: readonly (readonly [x: number, y: number])[];
};
export type Layout = {
  readonly places: ReadonlyMap<number, readonly [x: number, y: number]>;
  readonly edges: readonly Edge[];
  readonly width: number;
  readonly height: number;
};

export const CARD = { width: 232, height: 84 } as const;
export const GAP = { x: 72, y: 20, lane: 14, column: 16 } as const;
const STEP = CARD.height + GAP.y;
/** With more bends than these, long edges are drawn straight: nobody follows one of a thousand. */
const BENDS_MAX = 2_000;
const SWEEPS = 8;

/** A task, or a bend of an edge that passes its layer. */
type Slot = {
  readonly key: number;
  readonly isTask: boolean;
  y: number;
  order: number;
  before: Slot[];
  after: Slot[];
};

/** The layer of each task, from 0: one behind the last of its blockers. `order`: blockers first. */
export function depthsOf(
  tasks: ReadonlyMap<number, Pick<Node, "blockedBy">>,
  order: readonly number[],
): ReadonlyMap<number, number> {
  const depth = new Map<number, number>();
  for (const id of order) {
    const blockers = tasks.get(id)?.blockedBy ?? [];
    depth.set(id, Math.max(-1, ...blockers.map((one) => depth.get(one) ?? -1)) + 1);
  }
  return depth;
}

export function layout(tasks: ReadonlyMap<number, Node>): Layout {
  const nodes = [...tasks.values()];
  const depth = depthsOf(tasks, inOrder(tasks));
  const layers: Slot[][] = [];
  const slots = new Map<number, Slot>();
  const put = (layer: number, key: number, isTask: boolean): Slot => {
    const slot: Slot = { key, isTask, y: 0, order: 0, before: [], after: [] };
    const list = layers[layer] ?? [];
    layers[layer] = list;
    list.push(slot);
    return slot;
  };
  for (const { id } of nodes) slots.set(id, put(depth.get(id) ?? 0, id, true));
  const chains = connect(nodes, depth, slots, put);
  for (let i = 0; i < layers.length; i += 1) layers[i] ??= [];
  for (const layer of layers) number(layer);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) untangle(layers, sweep % 2 === 0);
  return position(layers, chains, nodes.length);
}

function number(layer: readonly Slot[]): void {
  for (const [i, slot] of layer.entries()) slot.order = i;
}

type Chain = { readonly from: number; readonly to: number; readonly bends: readonly Slot[] };

function connect(
  nodes: readonly Node[],
  depth: ReadonlyMap<number, number>,
  slots: ReadonlyMap<number, Slot>,
  put: (layer: number, key: number, isTask: boolean) => Slot,
): Chain[] {
  const chains: Chain[] = [];
  const lengthOf = (from: number, to: number): number => (depth.get(to) ?? 0) - (depth.get(from) ?? 0) - 1;
  let count = 0;
  for (const { id, blockedBy } of nodes)
    for (const blocker of blockedBy) if (slots.has(blocker)) count += lengthOf(blocker, id);
  for (const { id, blockedBy } of nodes)
    for (const blocker of blockedBy) {
      const [start, end] = [slots.get(blocker), slots.get(id)];
      if (!start || !end) continue;
      const bends: Slot[] = [];
      let last = start;
      if (count <= BENDS_MAX)
        for (let layer = (depth.get(blocker) ?? 0) + 1; layer < (depth.get(id) ?? 0); layer += 1) {
          const bend = put(layer, id, false);
          link(last, bend);
          bends.push(bend);
          last = bend;
        }
      link(last, end);
      chains.push({ from: blocker, to: id, bends });
    }
  return chains;
}

function link(a: Slot, b: Slot): void {
  a.after.push(b);
  b.before.push(a);
}

function untangle(layers: readonly Slot[][], forward: boolean): void {
  const indices = layers.map((_, i) => (forward ? i : layers.length - 1 - i));
  for (const i of indices) {
    const layer = layers[i] as Slot[];
    const wish = new Map(
      layer.map((slot) => [slot, median(forward ? slot.before : slot.after) ?? slot.order]),
    );
    layer.sort((a, b) => (wish.get(a) as number) - (wish.get(b) as number) || a.order - b.order);
    number(layer);
  }
}

function median(neighbours: readonly Slot[]): number | null {
  if (neighbours.length === 0) return null;
  const orders = neighbours.map((one) => one.order).sort((a, b) => a - b);
  const middle = (orders.length - 1) / 2;
  return ((orders[Math.floor(middle)] as number) + (orders[Math.ceil(middle)] as number)) / 2;
}

const heightOf = (slot: Slot): number => (slot.isTask ? STEP : GAP.lane);

function position(layers: readonly Slot[][], chains: readonly Chain[], count: number): Layout {
  const rows = Math.max(10, Math.ceil(Math.sqrt(count * 1.6)));
  const isTall = layers.some((layer) => layer.length > rows * 1.5);
  const places = new Map<number, readonly [number, number]>();
  const lanes = new Map<Slot, readonly [number, number]>();
  let [x, height] = [0, 0];
  if (!isTall) settle(layers);
  for (const layer of layers) {
    if (isTall) {
      const tasks = layer.filter((slot) => slot.isTask);
      const columns = Math.max(1, Math.ceil(tasks.length / rows));
      const tall = Math.ceil(tasks.length / columns);
      for (const [i, slot] of tasks.entries())
        places.set(slot.key, [x + Math.floor(i / tall) * (CARD.width + GAP.column), (i % tall) * STEP]);
      x += columns * (CARD.width + GAP.column) - GAP.column + GAP.x;
      height = Math.max(height, tall * STEP);
      continue;
    }
    for (const slot of layer)
      if (slot.isTask) places.set(slot.key, [x, slot.y]);
      else lanes.set(slot, [x, slot.y]);
    x += CARD.width + GAP.x;
    height = Math.max(height, ...layer.map((slot) => slot.y + heightOf(slot)));
  }
  const edges = chains.map(({ from, to, bends }) => ({
    from,
    to,
    via: bends.flatMap((bend) => (lanes.has(bend) ? [lanes.get(bend) as readonly [number, number]] : [])),
  }));
  return { places, edges, width: Math.max(0, x - GAP.x), height: Math.max(0, height - GAP.y) };
}

/** Neighbours pull; the order in a layer and the room that each needs are kept. */
function settle(layers: readonly Slot[][]): void {
  for (const layer of layers) {
    let y = 0;
    for (const slot of layer) {
      slot.y = y;
      y += heightOf(slot);
    }
  }
  for (let round = 0; round < 12; round += 1) {
    const forward = round % 2 === 0;
    for (const layer of forward ? layers : [...layers].reverse()) {
      const wishes = layer.map((slot) => {
        const near = forward ? slot.before : slot.after;
        if (near.length === 0) return slot.y;
        const middle = near.reduce((sum, one) => sum + one.y + heightOf(one) / 2, 0) / near.length;
        return middle - heightOf(slot) / 2;
      });
      pack(layer, wishes);
    }
  }
  const top = Math.min(...layers.flatMap((layer) => layer.map((slot) => slot.y)));
  for (const layer of layers) for (const slot of layer) slot.y -= top;
}

/** As near to the wishes as the order allows: runs of slots that push each other are moved as one. */
function pack(layer: readonly Slot[], wishes: readonly number[]): void {
  type Run = { start: number; size: number; sum: number; count: number; height: number };
  const runs: Run[] = [];
  layer.forEach((slot, i) => {
    let run: Run = { start: i, size: 1, sum: wishes[i] as number, count: 1, height: heightOf(slot) };
    for (
      let last = runs.at(-1);
      last && last.sum / last.count + last.height > run.sum / run.count;
      last = runs.at(-1)
    ) {
      runs.pop();
      run = {
        start: last.start,
        size: last.size + run.size,
        sum: last.sum + run.sum - last.height * run.count,
        count: last.count + run.count,
        height: last.height + run.height,
      };
    }
    runs.push(run);
  });
  for (const run of runs) {
    let y = run.sum / run.count;
    for (const slot of layer.slice(run.start, run.start + run.size)) {
      slot.y = y;
      y += heightOf(slot);
    }
  }
}
