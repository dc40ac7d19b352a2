/** Makes a worktree, and tells whether it is complete. Git locks it as "initializing" while it checks its files out. */
import { join, resolve } from "node:path";
import { textIn } from "../small-files.ts";
import { type Git, messageOfGit, type Ran } from "./git.ts";
import { withWorktreeLock } from "./queue.ts";

const WAIT_MS = 2_000;
const POLL_MS = 100;

export const isWhole = (root: string): boolean => stateOf(root) === "whole";

/** A task that went on without a word would be completed without what was done for it. */
export const lost = (id: number, branch: string, onto: string): string =>
  `The worktree of #${id} was removed before its work had landed, and with it all that was not committed. It has been made again on ${branch}, which builds on ${onto}. Do again what is missing there.`;

type Where = { readonly project: string; readonly commonDir: string };

/** `from`: where a new branch starts; null: the branch exists. Returns why there is no worktree, null when there is one. */
export async function addWorktree(
  git: Git,
  where: Where,
  root: string,
  branch: string,
  from: string | null,
): Promise<string | null> {
  const args = from === null ? [root, branch] : ["--no-track", "-b", branch, root, from];
  await clearHalfMade(git, where, root);
  if (isWhole(root)) return null;
  const add = (...options: string[]): Promise<Ran> =>
    withWorktreeLock(where.commonDir, () => git.try(where.project, "worktree", "add", ...options, ...args));
  let added = await add();
  // somebody removed its folder
  if (added.code !== 0 && /already registered/.test(added.err)) added = await add("--force");
  // A failing hook of the person (post-checkout) does not prevent a worktree.
  return added.code === 0 || isWhole(root) ? null : messageOfGit(added);
}

/**
 * Removes an incomplete worktree that a crash left: nobody has worked in it, and every missing file would look deleted. It waits
 * a little first, because the git of a dead process may still finish.
 */
async function clearHalfMade(git: Git, { project, commonDir }: Where, root: string): Promise<void> {
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
  const link = textIn(join(root, ".git"));
  if (link === "") return "none";
  const gitDir = /^gitdir: (.+)$/m.exec(link)?.[1] ?? "";
  return textIn(resolve(root, gitDir, "locked")).trim() === "initializing" ? "begun" : "whole";
}
