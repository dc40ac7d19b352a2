/** Layers of a board in which everything has ended: they become one card while something else is open. Pure. */
import { inOrder } from "../../../../core/board/order.ts";
import type { Task } from "../../../../core/picture/task.ts";
import { depthsOf } from "./layout.ts";

export type Fold = { readonly ids: ReadonlySet<number>; readonly layers: number };

/** Larger boards are shown in parts, which say how far they are. */
const TASKS_MAX = 400;
/** Fewer cards than these are no burden. */
const LEAST = 6;

const isOver = ({ status }: Task): boolean => status === "completed" || status === "cancelled";

/** Null where nothing is to be folded. A failed task is never hidden. */
export function foldOf(tasks: ReadonlyMap<number, Task>): Fold | null {
  if (tasks.size > TASKS_MAX) return null;
  const layers = new Map<number, Task[]>();
  for (const [id, depth] of depthsOf(tasks, inOrder(tasks))) {
    const task = tasks.get(id);
    if (task) layers.set(depth, [...(layers.get(depth) ?? []), task]);
  }
  const over = [...layers.values()].filter((layer) => layer.every(isOver));
  const ids = new Set(over.flatMap((layer) => layer.map(({ id }) => id)));
  return ids.size < LEAST || ids.size === tasks.size ? null : { ids, layers: over.length };
}
