/** Whether a worktree is complete. Git locks it as "initializing" while it checks its files out. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Git } from "./git.ts";
import { withWorktreeLock } from "./worktree-lock.ts";

const WAIT_MS = 2_000;
const POLL_MS = 100;

export const isWhole = (root: string): boolean => stateOf(root) === "whole";

/**
 * Removes an incomplete worktree that a crash left: nobody has worked in it, and every missing file would look deleted. It waits
 * a little first, because the git of a dead process may still finish.
 */
export async function clearHalfMade(
  git: Git,
  { project, commonDir }: { readonly project: string; readonly commonDir: string },
  root: string,
): Promise<void> {
  for (let ms = 0; stateOf(root) === "begun"; ms += POLL_MS) {
    if (ms >= WAIT_MS) {
      await withWorktreeLock(commonDir, () =>
        git.run(project, "worktree", "remove", "--force", "--force", root),
      );
      return;
    }
    await new Promise((later) => setTimeout(later, POLL_MS));
  }
}

function stateOf(root: string): "whole" | "begun" | "none" {
  const link = textOf(join(root, ".git"));
  if (link === null) return "none";
  const gitDir = /^gitdir: (.+)$/m.exec(link)?.[1] ?? "";
  return textOf(resolve(root, gitDir, "locked"))?.trim() === "initializing" ? "begun" : "whole";
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
