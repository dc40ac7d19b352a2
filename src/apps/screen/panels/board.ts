/** The board as a tree by dependency, with the longest chain of unfinished work marked, and the progress. */
import type { TaskId } from "../../../core/ids.ts";
import { instant } from "../../../core/ids.ts";
import type { Task } from "../../../core/task.ts";
import { boardData, look, progressShare, progressText, type TaskData } from "../../../core/views/board.ts";
import { span } from "../../../core/views/view.ts";
import { oneLine, shortened, spread } from "../style.ts";
import type { Drawn, Panel, PanelInput } from "./panel.ts";

/** Deeper levels are not indented further. */
const INDENT_MAX = 8;
const BAR = 20;

export const boardPanel: Panel = {
  title: "board",
  read: async ({ team, store, style, now }: PanelInput): Promise<Drawn> => {
    const { tasks, counts } = boardData(store.team, team.tasks, instant(now));
    const chain = longestChain(team.tasks);
    const { paint } = style;
    return (width) => {
      if (tasks.length === 0) return [paint("dim", "The board is empty. /add SUBJECT puts a task on it.")];
      const full = Math.round(progressShare(counts) * BAR);
      const bar = paint("good", "█".repeat(full)) + paint("dim", "░".repeat(BAR - full));
      return [
        shortened(
          `${bar} ${progressText(counts)}${chain.size > 1 ? `; ◆ longest chain: ${chain.size} tasks` : ""}`,
          width,
        ),
        ...treeOf(tasks).map(({ task, depth }) => {
          const { glyph, word, tone } = look(task);
          const waits =
            task.waitsFor.length > 0 ? ` after ${task.waitsFor.map((id) => `#${id}`).join(" ")}` : "";
          const mark = chain.has(task.id) ? paint("warn", "◆") : " ";
          const state = `${paint(tone, `${glyph} ${word}`)}${task.owner ? ` ${task.owner}` : ""} ${paint("dim", span(task.ageMs))}`;
          const left = `${mark}${"  ".repeat(Math.min(INDENT_MAX, depth))}${paint("dim", `#${task.id}`)} ${paint(task.status === "in_progress" ? "strong" : "plain", oneLine(task.subject))}${paint("dim", waits)}`;
          return spread(left, state, width);
        }),
      ];
    };
  },
};

/** Each task once, below the last of its blockers; unfinished work first. */
export function treeOf(tasks: readonly TaskData[]): { readonly task: TaskData; readonly depth: number }[] {
  const depths = new Map<TaskId, number>();
  const known = new Map(tasks.map((task) => [task.id, task]));
  const below = new Map<TaskId | null, TaskData[]>();
  for (const task of tasks) {
    const parent = task.blockedBy.filter((id) => known.has(id)).at(-1) ?? null;
    below.set(parent, [...(below.get(parent) ?? []), task]);
  }
  const shown: { task: TaskData; depth: number }[] = [];
  const stack = [...(below.get(null) ?? [])].reverse();
  for (let task = stack.pop(); task; task = stack.pop()) {
    const parent = task.blockedBy.filter((id) => known.has(id)).at(-1);
    const depth = parent === undefined ? 0 : (depths.get(parent) ?? 0) + 1;
    depths.set(task.id, depth);
    shown.push({ task, depth });
    stack.push(...[...(below.get(task.id) ?? [])].reverse());
  }
  return shown;
}

/** The unfinished tasks of the chain with the largest estimate: what the end of the work depends on. */
export function longestChain(tasks: readonly Task[]): ReadonlySet<TaskId> {
  const open = new Map(
    tasks
      .filter(({ status }) => status === "pending" || status === "in_progress")
      .map((task) => [task.id, task]),
  );
  const best = new Map<TaskId, { readonly length: number; readonly before: TaskId | null }>();
  // Blockers have smaller numbers only by custom, so chains are followed, each once, without recursion.
  const lengthOf = (id: TaskId): number => best.get(id)?.length ?? 0;
  const stack = [...open.keys()];
  const entered = new Set<TaskId>();
  while (stack.length > 0) {
    const id = stack.at(-1) as TaskId;
    const task = open.get(id);
    if (!task || best.has(id)) {
      stack.pop();
      continue;
    }
    const waiting = task.blockedBy.filter((one) => open.has(one) && !best.has(one) && !entered.has(one));
    entered.add(id);
    if (waiting.length > 0) {
      stack.push(...waiting);
      continue;
    }
    const before = task.blockedBy.filter((one) => best.has(one)).sort((a, b) => lengthOf(b) - lengthOf(a))[0];
    best.set(id, {
      length: task.estimate + (before === undefined ? 0 : lengthOf(before)),
      before: before ?? null,
    });
    stack.pop();
  }
  let at: TaskId | null = null;
  for (const [id, { length }] of best) if (at === null || length > lengthOf(at)) at = id;
  const chain = new Set<TaskId>();
  while (at !== null) {
    chain.add(at);
    at = best.get(at)?.before ?? null;
  }
  return chain;
}
