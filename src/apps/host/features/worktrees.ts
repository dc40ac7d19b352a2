/** A worktree for each task: calls run in it, and it is the workspace of the member that has the task. */
import { worktreeRules } from "../../../core/worktree.ts";
import { inWorktrees } from "../../../runtime/wraps/worktrees.ts";
import { worktreeTools } from "../../../tools/worktree.ts";
import type { MakeFeature } from "../setup.ts";

export const worktrees: MakeFeature = ({ parts: { trees }, profile }) => {
  if (!trees) return null;
  const isLead = profile.kind === "lead";
  const tools = worktreeTools(trees, isLead);
  return {
    tools: () => tools,
    section: () => worktreeRules(trees.target, trees.gate, isLead),
    wrap: inWorktrees(trees),
    workspaceOf: (task) => trees.workspaceOf(task),
  };
};
