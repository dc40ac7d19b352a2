/** The changes of a task, for its review. */
import type { Claimed } from "../core/board/task.ts";
import type { Worktrees } from "../ports/index.ts";
import type { Place as Surrounded } from "./surroundings.ts";

export type TaskChanges = (task: Claimed) => Promise<string | null>;

type Place = Pick<Surrounded, "workspace" | "env" | "trusted"> & { readonly trees: Worktrees | null };

/** As `git diff` shows it; "" for nothing, null where the project is no repository. Without worktrees others may have had a part in it. */
export const taskChanges =
  ({ workspace, env, trusted, trees }: Place): TaskChanges =>
  async (task) => {
    const tree = trees?.find(task);
    if (trees && !tree) return "";
    const { Git } = await import("../adapters/git/git.ts");
    const { branchDiff, folderDiff } = await import("../adapters/git/work-diff.ts");
    const git = new Git(env, trusted);
    if (!trees || !tree) return await folderDiff(git, workspace, task.startedAt);
    const remote = trees.onto.slice(0, trees.onto.length - trees.target.length);
    const ref = remote === "" ? `refs/heads/${tree.target}` : `refs/remotes/${remote}${tree.target}`;
    return await branchDiff(git, tree.workspace, ref);
  };
