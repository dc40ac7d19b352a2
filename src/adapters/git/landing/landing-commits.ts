/** The commits that a landing makes itself: several commits of a task as one, by the person or by the member. */
import { toolFailed } from "../../../core/errors.ts";
import { bring } from "../clones/bring.ts";
import { withTrailer } from "../clones/request-branch.ts";
import type { TaskBranch } from "../clones/task-branch.ts";

/**
 * `unseen`: commits of the base that the tip does not have, newest first: "abc1234 Subject"; none where it is on the base. `steps`: the number of
 * commits that it has beyond the base; `hasMerge`: one of them is a merge. @throws EkidenError `tool_failed` for an answer that cannot be read
 */
export async function apartOf(
  { git, project }: TaskBranch,
  base: string,
  tip: string,
): Promise<{ readonly unseen: string[]; readonly steps: number; readonly hasMerge: boolean }> {
  const log = await git.run(project, "log", "--left-right", "--format=%m%P%x09%h %s", `${base}...${tip}`);
  const lines = log === "" ? [] : log.split("\n");
  // A line that is missing would be a commit of others that the target loses.
  const odd = lines.find((line) => !/^[<>]/.test(line));
  if (odd !== undefined) throw toolFailed(`git log answered in ${project} what cannot be read: ${odd}`);
  const own = lines.filter((line) => line.startsWith(">"));
  return {
    unseen: lines.flatMap((line) => /^<[^\t]*\t(.*)$/.exec(line)?.[1] ?? []),
    steps: own.length,
    hasMerge: own.some((line) => /^>\S+ /.test(line)),
  };
}

/** A branch with merges as one commit, so that conflicts which a merge resolved need not be resolved again. */
export async function flattened(task: TaskBranch, names: readonly string[], tip: string): Promise<string> {
  const { git, project, ref, message } = task;
  return await commitOf(task, names, tip, await git.run(project, "merge-base", ref, tip), message);
}

/** The gate sees only the last of several commits. The target gets no others: a bisection may stop at each. */
export async function squashed(
  task: TaskBranch,
  names: readonly string[],
  base: string,
  tip: string,
): Promise<string> {
  const { git, project, message } = task;
  const steps = (await git.run(project, "log", "--reverse", "--format=- %s", `${base}..${tip}`)).trim();
  if (steps.split("\n").length <= 1) return tip;
  return await commitOf(task, names, tip, base, `${message}\n\n${steps}`);
}

/** The last commit of a request says of which task it is. */
export async function named(task: TaskBranch, names: readonly string[], commit: string): Promise<string> {
  const { git, project, trailer } = task;
  if (trailer === null) return commit;
  const message = withTrailer(await git.run(project, "log", "-1", "--format=%B", commit), trailer);
  return message === null ? commit : await commitOf(task, names, commit, `${commit}^`, message);
}

/** Made in the workspace, and brought: a `git gc` in the project removes a commit that nothing names yet. */
async function commitOf(
  task: TaskBranch,
  names: readonly string[],
  tree: string,
  parent: string,
  message: string,
): Promise<string> {
  const { git, root } = task;
  const made = ["commit-tree", `${tree}^{tree}`, "-p", parent, "-m", message];
  const commit = await git.inside.run(root, ...names, ...made);
  await bring(task, root, [commit], "one");
  return commit;
}

/** The person's own identity if git has one, else that of the member. Nobody can type a passphrase here, so nothing is signed. */
export async function identity(
  { git, project }: Pick<TaskBranch, "git" | "project">,
  author: string,
): Promise<string[]> {
  const unsigned = ["-c", "commit.gpgSign=false"];
  if ((await git.ask(project, "-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT")) !== null)
    return unsigned;
  return [...unsigned, "-c", `user.name=${author}`, "-c", `user.email=${author}@ekiden.invalid`];
}
