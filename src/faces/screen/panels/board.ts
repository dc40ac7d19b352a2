/** The board as a tree by dependency, with the longest chain of unfinished work marked, and the progress. */
import type { TaskId } from "../../../core/ids.ts";
import { instant } from "../../../core/ids.ts";
import { criticalPath } from "../../../core/order.ts";
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
    const chain = new Set(criticalPath(new Map(team.tasks.map((task) => [task.id, task]))));
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
