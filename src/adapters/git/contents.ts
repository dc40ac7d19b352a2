/** What the removal of a worktree or a branch would lose. */
import { existsSync } from "node:fs";
import type { Binding } from "./bindings.ts";
import type { Git } from "./git.ts";
import { listed, operationIn } from "./preflight.ts";

/** `ref`: the target branch, in full. */
type About = { readonly git: Git; readonly ref: string; readonly binding: Binding };

/** In words; null for nothing. */
export async function contentsOf(about: About, root: string): Promise<string | null> {
  const { git, binding } = about;
  if (!existsSync(root)) return null;
  const changes = await git.changes(root);
  if (changes.length > 0) return `uncommitted: ${listed(changes.map((line) => line.slice(3)))}`;
  const gitDir = await git.run(root, "rev-parse", "--path-format=absolute", "--git-dir");
  const operation = operationIn(gitDir);
  if (operation) return `a ${operation} is under way in it`;
  return (
    (await unmerged(about, root, "HEAD")) ?? (await unmerged(about, root, `refs/heads/${binding.branch}`))
  );
}

/** The commits that the target does not have, in words; null for none. */
export async function unmerged(
  { git, ref, binding: { target, proposed } }: About,
  at: string,
  tip: string,
): Promise<string | null> {
  const range = [`${ref}..${tip}`, ...(proposed ? [`^${proposed}`] : [])];
  const { code, out } = await git.try(at, "log", "--format=%h %s", ...range);
  if (code !== 0) return `git cannot tell whether ${tip} is on ${target}`;
  const commits = out.split("\n").filter(Boolean);
  return commits.length === 0 ? null : `not on ${target}: ${listed(commits)}`;
}
