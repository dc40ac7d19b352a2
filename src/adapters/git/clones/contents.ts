/** Removes the workspace of a task and its branch, unless something would be lost. */

import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { listed } from "../../../core/text/listed.ts";
import type { LandedCommit } from "../../../ports/store.ts";
import type { Worktree } from "../../../ports/worktrees.ts";
import { removeTree } from "../../remove-tree.ts";
import { namesIn } from "../../small-files.ts";
import type { Binding } from "../bindings.ts";
import type { Git } from "../git.ts";
import { looseTip } from "../landing/target-tip.ts";
import type { WorktreeOptions } from "../options.ts";
import { unlinkShared } from "../shared.ts";
import { bring, refsOf } from "./bring.ts";
import { draftName, isWhole, type Origin } from "./clone.ts";
import { operationIn } from "./preflight.ts";

/** `ref`: the target branch, in full. `folder`: where the workspaces are. */
type About = {
  readonly origin: Origin;
  readonly ref: string;
  readonly binding: Binding;
  readonly folder: string;
};

/** Returns why they stay; null when they are gone. `tearDown`: called before the workspace is removed. */
export async function takeAway(
  about: About,
  tree: Worktree,
  tearDown: WorktreeOptions["tearDown"],
): Promise<string | null> {
  const { origin, ref, binding, folder } = about;
  const { git, project, commonDir, share } = origin;
  const { workspace } = tree;
  const root = join(folder, binding.path);
  const held = await contentsOf(about, root);
  if (held !== null) return held;
  const branch = `refs/heads/${binding.branch}`;
  const tip = looseTip(commonDir, branch) ?? (await git.tip(project, branch));
  // A branch that waits for its pull request stays.
  const isProposed = tip !== null && tip === binding.proposed;
  const isOver = tip === null || isProposed || looseTip(commonDir, ref) === tip;
  const lost = isOver ? null : await unmerged(about, [tip]);
  if (lost !== null && !existsSync(root)) return lost;
  if (existsSync(root)) {
    if (existsSync(workspace)) await tearDown?.(tree);
    unlinkShared({ workspace, paths: share });
    const gone = join(folder, draftName());
    renameSync(root, gone);
    removeTree(gone);
  }
  const old = [...refsOf(root, binding.path), ...(tip === null || isProposed ? [] : [branch])];
  const input = old.map((one) => `delete ${one}\n`).join("");
  if (lost === null) await git.tryWith({ input }, project, "update-ref", "--no-deref", "--stdin");
  return lost;
}

/** In words; null for nothing. */
async function contentsOf(about: About, root: string): Promise<string | null> {
  const { git, project } = about.origin;
  if (!existsSync(root)) return null;
  if (!isWhole(root)) return `git tracks nothing in it: ${listed(namesIn(root))}`;
  const changes = await git.inside.changes(root);
  if (changes.length > 0) return `uncommitted: ${listed(changes.map((line) => line.slice(3)))}`;
  const operation = operationIn(join(root, ".git"));
  if (operation) return `a ${operation} is under way in it`;
  const ref = `refs/heads/${about.binding.branch}`;
  const asked = await git.inside.try(root, "rev-parse", ref, "HEAD", "--branches");
  if (asked.code !== 0) return "git cannot tell what is on its branch";
  const [branch = "", head = "", ...others] = asked.out.trim().split("\n");
  const why = await unmerged(about, [branch, head], root);
  if (why !== null) return why;
  // What a member committed on further branches is in its clone alone. All others were borrowed.
  const [own] = await sorted(git, project, [...new Set(others)]);
  // A `git gc` may have removed what was borrowed.
  const [, kept] = await sorted(git.inside, root, own);
  return await unmerged(about, kept, root);
}

/** The commits that a repository has not, and those that it has. */
async function sorted(
  git: Git,
  folder: string,
  commits: readonly string[],
): Promise<readonly [absent: string[], present: string[]]> {
  if (commits.length === 0) return [[], []];
  const input = commits.map((commit) => `${commit}\n`).join("");
  const lines = (await git.runWith({ input }, folder, "cat-file", "--batch-check")).split("\n");
  const named = (what: RegExp): string[] => lines.flatMap((line) => what.exec(line)?.[1] ?? []);
  return [named(/^(\w+) missing$/), named(/^(\w+) \w+ \d+$/)];
}

/** The commits that the target does not have, in words; null for none. */
async function unmerged(
  { origin, ref, binding: { target, proposed } }: About,
  tips: readonly string[],
  root?: string,
): Promise<string | null> {
  const { git, project, commonDir } = origin;
  const landed = looseTip(commonDir, ref);
  const left = [...new Set(tips)].filter((tip) => tip !== landed);
  if (left.length === 0) return null;
  if (root !== undefined) await bring(origin, root, left, null);
  const range = [...left, `^${ref}`, ...(proposed ? [`^${proposed}`] : [])];
  const { code, out } = await git.try(project, "log", "--format=%h %s", ...range, "--");
  if (code !== 0) return `git cannot tell whether ${left.join(" and ")} is on ${target}`;
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
