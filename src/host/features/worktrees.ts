/** A worktree for each task: calls run in it, and it is the workspace of the member that has the task. */
import { worktreeRules } from "../../core/board/worktree.ts";
import { followRemote, inWorktrees, park } from "../../runtime/wraps/worktrees.ts";
import { worktreeTools } from "../../tools/worktree.ts";
import type { MakeFeature } from "../setup.ts";

/** A stint does not wait longer than this for a remote that does not answer. */
const REFRESH_MS = 20_000;

export const worktrees: MakeFeature = ({ parts: { trees, store }, profile }) => {
  if (!trees) return null;
  const isLead = profile.kind === "lead";
  const tools = worktreeTools(trees, isLead);
  const parkOwn = (signal: AbortSignal): Promise<void> => park(trees, store, profile.name, signal);
  return {
    refresh: () => {
      const limit = AbortSignal.timeout(REFRESH_MS);
      return isLead ? followRemote(trees, store, limit) : parkOwn(limit);
    },
    tools: () => tools,
    sections: () => [{ place: "system", about: "", text: worktreeRules(trees.onto, trees.gate, isLead) }],
    wrap: inWorktrees(trees),
    workspaceOf: (task) => trees.workspaceOf(task),
    onStintEnd: (_agent, signal) => parkOwn(signal),
    ...(trees.remoteLabel !== null && { beforeRelease: parkOwn }),
  };
};
