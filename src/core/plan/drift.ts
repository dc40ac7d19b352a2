/** The files that a task changes outside of its `touches`: others may work on them at the same time, and nobody expects them. Pure. */
import { overlapping } from "../board/touches.ts";
import type { Event } from "../event.ts";
import type { TaskId } from "../ids.ts";
import { filesIn } from "../text/diff.ts";

/** Characters that have a meaning in a pattern: in the name of a file they have none. */
const SIGNS = /[[\]{}()*?]/g;

/** `diff`: as git writes it. A task without `touches` has named nothing, so nothing is outside. */
export function outside(diff: string, touches: readonly string[]): string[] {
  if (touches.length === 0) return [];
  const moved = [...diff.matchAll(/^rename from (.+)$/gm)].map(([, path = ""]) => path);
  const paths = new Set([...filesIn(diff).map(({ path }) => path), ...moved]);
  return [...paths].filter(
    (path) => !touches.includes(path) && !overlapping([path.replace(SIGNS, "_")], touches),
  );
}

/** Follows the facts: the files outside of what a task names, by task. */
export class Drift {
  readonly files = new Map<TaskId, readonly string[]>();

  take(event: Event): void {
    if (event.type !== "task.drifted") return;
    if (event.files.length > 0) this.files.set(event.task, event.files);
    else this.files.delete(event.task);
  }
}
