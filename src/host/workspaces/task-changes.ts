/** The changes of a task, for its review. */
import type { Claimed } from "../../core/board/task.ts";
import type { Worktrees } from "../../ports/index.ts";
import type { Place as Surrounded } from "../surroundings.ts";

/** Without a task: all changes since then. */
export type TaskChanges = (task: Claimed | Pick<Claimed, "startedAt">) => Promise<string | null>;

type Place = Pick<Surrounded, "workspace" | "env" | "trusted" | "sandbox"> & {
  readonly trees: Worktrees | null;
};

/** As `git diff` shows it; "" for nothing, null where the project is no repository. Without worktrees others may have had a part in it. */
export const taskChanges =
  ({ workspace, env, trusted, sandbox, trees }: Place): TaskChanges =>
  async (task) => {
    if (trees && "id" in task) return await trees.diff(task);
    const { Git } = await import("../../adapters/git/git.ts");
    const { folderDiff } = await import("../../adapters/git/work-diff.ts");
    return await folderDiff(new Git(env, sandbox, trusted), workspace, task.startedAt);
  };

/** The lines of a diff as `git diff --stat` counts them. */
export function statOf(diff: string): string {
  const count = (lines: readonly string[], sign: string): number =>
    lines.filter((line) => line.startsWith(sign)).length;
  return diff
    .split(/^diff --git /m)
    .slice(1)
    .map((file) => {
      const name = file.slice(0, file.indexOf("\n")).replace(/^"?a\/(.*?)"? "?b\/.*$/, "$1");
      const lines = file.slice(Math.max(0, file.indexOf("\n@@"))).split("\n");
      return `${name} +${count(lines, "+")} -${count(lines, "-")}`;
    })
    .join("\n");
}
