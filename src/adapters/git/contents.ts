/** Removes a worktree and its branch, unless something would be lost. */
import { existsSync } from "node:fs";
import type { LandedCommit } from "../../ports/store.ts";
import { namesIn } from "../small-files.ts";
import type { Binding } from "./bindings.ts";
import { type Git, messageOfGit, type Ran } from "./git.ts";
import { listed, operationIn } from "./preflight.ts";
import { withWorktreeLock } from "./queue.ts";
import { unlinkShared } from "./shared.ts";
import { looseTip } from "./target-tip.ts";
import { isRemoved } from "./worktree-state.ts";

/** `ref`: the target branch, in full. */
type About = { readonly git: Git; readonly ref: string; readonly binding: Binding };

/** Returns why they stay; null when they are gone. */
export async function takeAway(
  about: About,
  where: {
    readonly project: string;
    readonly commonDir: string;
    readonly root: string;
    /** The links to folders of the project. */
    readonly shared: { readonly workspace: string; readonly paths: readonly string[] };
  },
): Promise<string | null> {
  const { git, ref, binding } = about;
  const { project, root, commonDir, shared } = where;
  const apart = (...args: string[]): Promise<Ran> =>
    withWorktreeLock(commonDir, () => git.try(project, "worktree", ...args));
  const held = await contentsOf(about, root);
  if (held !== null) return held;
  const branch = `refs/heads/${binding.branch}`;
  const tip = looseTip(commonDir, branch) ?? (await git.tip(project, branch));
  if (existsSync(root)) {
    unlinkShared(shared);
    const gone = await apart("remove", root);
    if (gone.code !== 0) return messageOfGit(gone);
  } else await apart("prune");
  // A branch that waits for its pull request stays.
  if (tip === null || tip === binding.proposed) return null;
  const lost = looseTip(commonDir, ref) === tip ? null : await unmerged(about, project, tip);
  // A member may have made it a symbolic ref: the branch that it names is not the member's.
  if (lost === null) await git.try(project, "update-ref", "--no-deref", "-d", branch, tip);
  return lost;
}

/** In words; null for nothing. */
async function contentsOf(about: About, root: string): Promise<string | null> {
  const { git, binding } = about;
  if (!existsSync(root)) return null;
  if (isRemoved(root)) return `of what is there git knows nothing: ${listed(namesIn(root))}`;
  const changes = await git.changes(root);
  if (changes.length > 0) return `uncommitted: ${listed(changes.map((line) => line.slice(3)))}`;
  const operation = operationIn(await git.gitDir(root));
  if (operation) return `a ${operation} is under way in it`;
  return await unmerged(about, root, "HEAD", `refs/heads/${binding.branch}`);
}

/** The commits that the target does not have, in words; null for none. */
async function unmerged(
  { git, ref, binding: { target, proposed } }: About,
  at: string,
  ...tips: string[]
): Promise<string | null> {
  const range = [...tips, `^${ref}`, ...(proposed ? [`^${proposed}`] : [])];
  const { code, out } = await git.try(at, "log", "--format=%h %s", ...range, "--");
  if (code !== 0) return `git cannot tell whether ${tips.join(" and ")} is on ${target}`;
  const commits = out.split("\n").filter(Boolean);
  return commits.length === 0 ? null : `not on ${target}: ${listed(commits)}`;
}

/** The first of these commits that a branch has; null for none. */
export async function firstOn(
  git: Git,
  project: string,
  ref: string,
  commits: readonly (string | null)[],
): Promise<string | null> {
  for (const commit of commits)
    if (commit !== null && (await git.isAncestor(project, commit, ref))) return commit;
  return null;
}

/** The commit with which a task has landed, by its own notes; null where none of them is on the target. */
export async function landedAs(
  git: Git,
  project: string,
  binding: Binding | null,
  refOf: (target: string) => string,
): Promise<LandedCommit | null> {
  if (binding === null || binding.landing === null) return null;
  const { branch, target, landing, landingsBefore = [] } = binding;
  const commit = await firstOn(git, project, refOf(target), [landing, ...landingsBefore]);
  return commit === null ? null : { branch, target, commit };
}
