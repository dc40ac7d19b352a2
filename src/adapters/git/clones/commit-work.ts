/** Commits what the member of a task has left uncommitted, as the last commit of its branch. */
import { rmSync, writeFileSync } from "node:fs";
import { addFault } from "../landing/branch-changes.ts";
import { NotesGone } from "../landing/despite-others.ts";
import { type Refused, refused, refusedByGit } from "../landing/refusal.ts";
import { operationIn } from "./preflight.ts";
import type { TaskBranch } from "./task-branch.ts";
import { addAll, workState } from "./uncommitted.ts";

type How = {
  readonly gitDir: string;
  /** Tells after a crash that the landing had begun to commit. */
  readonly marker: string;
  readonly names: readonly string[];
  /** Ends a hook that hangs. */
  readonly signal: AbortSignal;
};

/** Null when the branch can land. */
export async function commitWork(task: TaskBranch, how: How): Promise<Refused | null> {
  const { git, root, branch } = task;
  const operation = operationIn(how.gitDir);
  if (operation)
    return refused(
      "branch",
      `A ${operation} is under way in the worktree. Finish it (git -c core.editor=true ${operation} --continue) or undo it (git ${operation} --abort).`,
    );
  const { branch: current, head, isClean, paths } = await workState(git.inside, root);
  if (current !== branch)
    return refused(
      "branch",
      `The worktree is on ${current ?? "no branch"}, not on ${branch}. Bring your commits there: git switch ${branch}, then git merge or git cherry-pick.`,
    );
  if (head === null) throw new NotesGone(root);
  if (isClean) return null;
  writeFileSync(how.marker, "commit");
  const refusal = await commitChanges(task, how, paths);
  // Git that was ended may leave a lock; the sign stays, so that the next landing removes it.
  rmSync(how.marker, { force: true });
  return refusal;
}

async function commitChanges(
  { git: { inside }, root, message }: TaskBranch,
  { names, signal }: How,
  paths: readonly string[],
): Promise<Refused | null> {
  const added = await addAll(inside, root, paths);
  if (added.code !== 0) return addFault(added.err) ?? refusedByGit("git add failed", added);
  const done = await inside.tryWith({ signal }, root, ...names, "commit", "--quiet", "--message", message);
  if (done.code === 0) return null;
  // A change of only a file's time, or inside a submodule, leaves nothing to commit.
  const isNothing = (await inside.try(root, "diff", "--cached", "--quiet")).code === 0;
  return isNothing ? null : refusedByGit("git commit was refused", done);
}
