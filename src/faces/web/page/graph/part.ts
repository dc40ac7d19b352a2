/**
 * The part of a board that the graph shows. A board of up to 300 tasks is shown whole; its layers in which everything has ended may be left
 * out. Of a larger one it shows the open tasks around the critical path and the selected task. The rest is counted. Pure.
 */
import { inOrder } from "../../../../core/board/order.ts";
import type { Task } from "../../../../core/picture/task.ts";
import { LOOKS, type Look } from "../pure/board.ts";
import { depthsOf } from "./layout.ts";

export const WHOLE_MAX = 300;
export const CARDS_MAX = 200;
/** Fewer ended cards than these are no burden. */
const LEAST = 6;

type Tasks = ReadonlyMap<number, Task>;
export type Part = {
  readonly ids: ReadonlySet<number>;
  /** How many are not shown, by their look. */
  readonly rest: readonly (readonly [Look, number])[];
};
export type Wanted = {
  readonly looks: ReadonlyMap<number, Look>;
  /** Of the whole board, in its order. */
  readonly path: readonly number[];
  readonly selected: number | null;
  /** Layers in which everything has ended are left out. */
  readonly isFolded: boolean;
};

export function partOf(tasks: Tasks, wanted: Wanted): Part {
  const ids =
    tasks.size > WHOLE_MAX ? nearest(tasks, wanted) : wanted.isFolded ? unended(tasks, wanted) : tasks;
  const counts = new Map<Look, number>();
  for (const [id, look] of wanted.looks)
    if (tasks.has(id) && !ids.has(id)) counts.set(look, (counts.get(look) ?? 0) + 1);
  return {
    ids: new Set(ids.keys()),
    rest: LOOKS.flatMap((look) => (counts.has(look) ? [[look, counts.get(look) as number] as const] : [])),
  };
}

/** As they are said beside a number. */
export const REST_WORDS: Readonly<Record<Look, string>> = {
  ...{ waiting: "waiting", ready: "ready", busy: "in progress" },
  ...{ done: "done", failed: "failed", cancelled: "cancelled" },
};

const isOver = ({ status }: Task): boolean => status === "completed" || status === "cancelled";

/** A failed task is never left out, nor is anything where nothing else is open. */
function unended(tasks: Tasks, { selected }: Wanted): Tasks {
  const layers = new Map<number, Task[]>();
  for (const [id, depth] of depthsOf(tasks, inOrder(tasks)))
    layers.set(depth, [...(layers.get(depth) ?? []), tasks.get(id) as Task]);
  const over = [...layers.values()].filter((layer) => layer.every(isOver)).flat();
  if (over.length < LEAST || over.length === tasks.size) return tasks;
  const gone = new Set(over);
  return new Map([...tasks].filter(([id, task]) => id === selected || !gone.has(task)));
}

/** What a person looks for comes first, until the cards are used up. Where nothing is open, the last tasks that ended. */
function nearest(tasks: Tasks, { looks, path, selected }: Wanted): ReadonlySet<number> {
  const after = new Map<number, number[]>();
  for (const { id, blockedBy } of tasks.values())
    for (const blocker of blockedBy) {
      const list = after.get(blocker);
      if (list) list.push(id);
      else after.set(blocker, [id]);
    }
  const beside = (id: number): readonly number[] => [
    ...(tasks.get(id)?.blockedBy ?? []),
    ...(after.get(id) ?? []),
  ];
  const isOpen = (id: number): boolean => !["done", "cancelled", undefined].includes(looks.get(id));
  const of = (...wanted: readonly Look[]): number[] =>
    [...tasks.keys()].filter((id) => wanted.includes(looks.get(id) as Look));
  const found = new Set<number>();
  const put = (ids: Iterable<number>): void => {
    for (const id of ids) if (found.size < CARDS_MAX && tasks.has(id)) found.add(id);
  };
  if (selected !== null) put([selected, ...beside(selected)]);
  put(path);
  put(of("busy", "failed"));
  // The loop also comes to what it adds.
  for (const id of found) {
    if (found.size >= CARDS_MAX) break;
    put(beside(id).filter(isOpen));
  }
  put(of("ready"));
  put(of("waiting"));
  if (path.length === 0 && !of("busy", "failed", "ready", "waiting").length)
    put([...tasks.values()].sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0)).map(({ id }) => id));
  return found;
}
