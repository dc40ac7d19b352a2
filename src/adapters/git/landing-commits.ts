/** The commits that a landing makes itself: several commits of a task as one, by the person or by the member. */
import type { TaskBranch } from "./candidate.ts";

/** A branch with merges as one commit, so that conflicts which a merge resolved need not be resolved again. */
export async function flattened(task: TaskBranch, names: readonly string[], tip: string): Promise<string> {
  const { git, root, ref, message } = task;
  const range = `${ref}..${tip}`;
  if ((await git.run(root, "rev-list", "--merges", "--count", range)) === "0") return tip;
  return await commitOf(task, names, tip, await git.run(root, "merge-base", ref, tip), message);
}

/** The gate sees only the last of several commits. The target gets no others: a bisection may stop at each. */
export async function squashed(
  task: TaskBranch,
  names: readonly string[],
  { base, tip, tree }: { readonly base: string; readonly tip: string; readonly tree: string },
): Promise<string> {
  const { git, root, message } = task;
  // A later owner repeated work that had landed before a crash, or the commits undo each other.
  if (tree === (await git.run(root, "rev-parse", `${base}^{tree}`))) return base;
  const steps = (await git.run(root, "log", "--reverse", "--format=- %s", `${base}..${tip}`)).trim();
  if (steps.split("\n").length <= 1) return tip;
  return await commitOf(task, names, tip, base, `${message}\n\n${steps}`);
}

async function commitOf(
  { git, root }: TaskBranch,
  names: readonly string[],
  tree: string,
  parent: string,
  message: string,
): Promise<string> {
  return await git.run(root, ...names, "commit-tree", `${tree}^{tree}`, "-p", parent, "-m", message);
}

/** The person's own identity if git has one, else that of the member. Nobody can type a passphrase here, so nothing is signed. */
export async function identity(
  { git, root }: Pick<TaskBranch, "git" | "root">,
  author: string,
): Promise<string[]> {
  const unsigned = ["-c", "commit.gpgSign=false"];
  if ((await git.ask(root, "-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT")) !== null)
    return unsigned;
  return [...unsigned, "-c", `user.name=${author}`, "-c", `user.email=${author}@ekiden.invalid`];
}
