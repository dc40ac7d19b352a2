/** The name of the workspace of a task, and of its branch. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { slugOf, worktreePath } from "../../../core/board/worktree.ts";
import type { Name } from "../../../core/ids.ts";
import type { Which } from "../../../ports/worktrees.ts";
import { stamped } from "./request-branch.ts";

type Where = { readonly folder: string; readonly team: Name; readonly isShared: boolean };

/** Adds a number to a name that a task of an older board has taken. Where other machines use it, the time of the task is part of it. */
export function freePath(
  { folder, team, isShared }: Where,
  task: Which,
  wanted: string | undefined,
  taken: (path: string) => boolean,
): string {
  const slug = wanted ?? slugOf(task.subject);
  if (isShared) return worktreePath(team, task.id, stamped(slug, task));
  for (let nth = 1; ; nth += 1) {
    const path = worktreePath(team, task.id, nth === 1 ? slug : `${slug || "task"}-${nth}`);
    if (!existsSync(join(folder, path)) && !taken(path)) return path;
  }
}
