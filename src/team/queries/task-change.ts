/** The change of one task as git shows it: its landed commits, its worktree, or the files that it wrote in a folder that all share. */

import { relative } from "node:path";
import { type TaskWork, taskWork } from "../../adapters/git/clones/task-work.ts";
import type { Git } from "../../adapters/git/git.ts";
import { folderDiff } from "../../adapters/git/work-diff.ts";
import { childEnvironment } from "../../adapters/shell/environment.ts";
import type { Task } from "../../core/board/task.ts";
import type { Event } from "../../core/event.ts";
import type { Name } from "../../core/ids.ts";
import { listed } from "../../core/text/listed.ts";
import type { Store } from "../../ports/index.ts";
import { withGit } from "../../project/own-git.ts";

/** Moves of the target that are looked through for a landing. */
const MOVES = "2000";

const FILES_SHOWN = 20;

/** `where`: in words. `diff` "": there is no change. */
export type TaskChange = { readonly where: string; readonly diff: string };

/** `history`: facts of the task. `wrote`: its files, relative to the project. @throws EkidenError `tool_failed` where git fails */
export async function taskChange(
  { team }: Store,
  cwd: string,
  task: Pick<Task, "id" | "createdAt">,
  history: readonly Event[],
  wrote: readonly string[],
): Promise<TaskChange> {
  const landed = history.findLast((event) => event.type === "task.landed");
  if (landed) {
    const { commit, target } = landed;
    const diff = await withGit(cwd, async (git) => {
      const range = [await before(git, cwd, commit, target), commit];
      return await git.ask(cwd, "diff", "--no-color", "--no-ext-diff", "--no-textconv", ...range);
    });
    return { where: `landed on ${target} as ${commit.slice(0, 9)}`, diff: diff ?? "" };
  }
  const own = await withWork(team, cwd, task, async (work) => {
    const diff = await work.diff();
    return { where: `in its worktree, on ${work.binding.branch}`, diff };
  }).catch(() => null);
  if (own?.diff) return own;
  const began = history.find((event) => event.type === "task.claimed")?.at;
  if (began === undefined || wrote.length === 0) return { where: "", diff: "" };
  const [prefix, all] = await withGit(cwd, async (git) => [
    (await git.ask(cwd, "rev-parse", "--show-prefix"))?.trim() ?? "",
    (await folderDiff(git, cwd, began).catch(() => null)) ?? "",
  ]);
  const files = new Set(wrote.map((path) => prefix + path));
  const parts = all.split(/^(?=diff --git )/m).filter((part) => files.has(pathOf(part)));
  return { where: "in the files that it wrote, with what others have changed there", diff: parts.join("") };
}

/** The files of a task that ended without landing, in words; "" where it has none in a worktree. Never rejects. */
export async function leftInWorktree(
  team: Name,
  cwd: string,
  task: Pick<Task, "id" | "createdAt">,
): Promise<string> {
  const told = withWork(team, cwd, task, async ({ binding: { target, branch }, folder, files }) => {
    const all = await files();
    if (all.length === 0) return "";
    return `Not landed on ${target}: ${listed(all, FILES_SHOWN)}. It stays in ${relative(cwd, folder)}, on the branch ${branch}.`;
  });
  return (await told.catch(() => null)) ?? ""; // removed by hand, or no repository
}

const withWork = <T>(
  team: Name,
  project: string,
  task: Pick<Task, "id" | "createdAt">,
  use: (work: TaskWork) => Promise<T>,
): Promise<T | null> =>
  withGit(project, async (_, sandbox) => {
    const work = await taskWork({ project, team, env: childEnvironment(process.env), sandbox }, task);
    return work && (await use(work));
  });

const pathOf = (part: string): string => /^diff --git (?:"?a\/.*?) "?b\/(.*?)"?$/m.exec(part)?.[1] ?? "";

/** The commit of the target before it moved to this one; without a record of that, the parent. */
async function before(git: Git, cwd: string, commit: string, target: string): Promise<string> {
  const moves = await git.ask(cwd, "reflog", "show", "-n", MOVES, "--format=%H", target, "--");
  const commits = moves?.split("\n") ?? [];
  return commits[commits.indexOf(commit) + 1 || commits.length] ?? `${commit}^`;
}
