/** Tools of a team with worktrees: make the worktree of a task in advance, keep it, remove it. */
import { z } from "zod";
import { worktreeName } from "../../core/board/worktree.ts";
import type { Tool, Worktrees } from "../../ports/index.ts";
import { defineTool } from "../define.ts";
import { id, maybe } from "../inputs.ts";
import { taskOf } from "./board.ts";

export function worktreeTools(trees: Worktrees, isLead: boolean): readonly Tool[] {
  const keep = defineTool({
    name: "keep_worktree",
    description: "Keep a task's worktree after its landing.",
    access: "team",
    input: () => z.strictObject({ id }),
    subject: (input) => `#${input.id}`,
    run: async ({ id: wanted }, { store }) => {
      const { branch, workspace } = trees.keep(await taskOf(store, wanted));
      return `${workspace} (${branch}) stays.`;
    },
  });
  if (!isLead) return [keep];
  const create = defineTool({
    name: "create_worktree",
    description: "Create a task's worktree in advance. Its owner will work there.",
    access: "team",
    input: () => z.strictObject({ id, name: maybe.text }),
    subject: (input) => `#${input.id}`,
    run: async ({ id: wanted, name }, { store, signal }) => {
      if (name !== undefined) worktreeName(name);
      const task = await taskOf(store, wanted);
      const before = trees.find(task);
      const tell = (text: string) => store.journal.warn(null, text);
      const { workspace, branch, target } = before ?? (await trees.open(task, name, { signal, tell }));
      return `#${task.id} ${before ? "has a worktree already" : "has a worktree now"}: ${workspace} on ${branch}, from ${target}.`;
    },
  });
  const remove = defineTool({
    name: "remove_worktree",
    description: "Remove a task's worktree and branch, if nothing would be lost.",
    access: "team",
    input: () => z.strictObject({ id }),
    subject: (input) => `#${input.id}`,
    run: async ({ id: wanted }, { store }) => {
      const task = await taskOf(store, wanted);
      if (task.status === "in_progress")
        throw new Error(`${task.owner} is working in the worktree of #${task.id}. Wait until the task ends.`);
      const removal = await trees.remove(task);
      if (removal.kind === "missing") return `#${task.id} has no worktree.`;
      if (removal.kind === "kept")
        throw new Error(
          `The worktree of #${task.id} was not removed, because something would be lost: ${removal.why}`,
        );
      return `Removed the worktree and the branch of #${task.id}.`;
    },
  });
  return [create, remove, keep];
}
