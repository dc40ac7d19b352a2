/** Checks whether a project can have worktrees, before anything is created. */

import { existsSync } from "node:fs";
import { isAbsolute, join, normalize, resolve, sep } from "node:path";
import { badInput, EkidenError } from "../../../core/errors.ts";
import { quote } from "../../../core/ids.ts";
import { listed } from "../../../core/text/listed.ts";
import { textIn } from "../../small-files.ts";
import { type Git, messageOfGit } from "../git.ts";

export type Repository = {
  /** The folder of the branches, the hooks and the merge queue of all its worktrees. */
  readonly commonDir: string;
  /** That of the project's own folder, where it is itself a worktree. */
  readonly gitDir: string;
  /** The project's folder relative to the top one: "" or "packages/api/". */
  readonly prefix: string;
  readonly target: string;
  /** Files of the project that tasks begin without: they are changed there and not committed. */
  readonly uncommitted: readonly string[];
};

/**
 * `isShared`: tasks land on a remote, so the project's own branch and files may be in any state. `needsClean`: what is not committed is a
 * reason against it.
 * @throws EkidenError `bad_input` with what is wrong with the project and what to do
 */
export async function repositoryOf(
  git: Git,
  project: string,
  target?: string,
  isShared = false,
  needsClean = true,
): Promise<Repository> {
  if (project.includes("\n"))
    refuse(
      `${quote(project)} has a line break in its name, and git gives names of worktrees in lines. Rename it.`,
    );
  // The last two fail without a commit.
  const places = ["--is-inside-work-tree", "--git-common-dir", "--git-dir", "--show-prefix"];
  const asked = ["--path-format=absolute", ...places, "HEAD^{commit}", "--symbolic-full-name", "HEAD"];
  const found = await git.try(project, "rev-parse", ...asked);
  const [isInside, commonDir = "", gitDir = "", prefix = "", commit = "", head = ""] = found.out.split("\n");
  if (isInside !== "true") await refuseOutside(git, project, isInside === "" ? found : null);
  if (!/^[0-9a-f]{40,64}$/.test(commit))
    refuse(
      `The repository in ${project} has no commit yet, and worktrees begin from one. Run: git add -A && git commit -m "First commit".`,
    );
  // A branch or a tag is called HEAD, too: git makes no worktree then.
  if (head === "") refuse(`git cannot use ${project}: ${found.err.trim()}`);
  const [, current] = /^refs\/heads\/(.+)$/.exec(head) ?? [];
  const operation = operationIn(gitDir);
  if (operation && !isShared && (target === undefined || current === target))
    refuse(
      `A ${operation} is under way in ${project}. Finish it (git ${operation} --continue) or undo it (git ${operation} --abort).`,
    );
  const landOn =
    target ??
    current ??
    refuse(
      `${project} is on no branch (a detached HEAD), so there is nothing to land on. Check out a branch (git switch main), or set targetBranch.`,
    );
  if (!isShared && current !== landOn && (await git.tip(project, `refs/heads/${landOn}`)) === null)
    refuse(
      `There is no branch ${quote(landOn)} to land on. Create it (git branch ${landOn}), or set another targetBranch.`,
    );
  const mayMeet = current === landOn && !isShared;
  const dirty = mayMeet
    ? await git.changes(project, "--untracked-files=no", "--ignore-submodules=dirty")
    : [];
  const uncommitted = dirty.map((line) => line.slice(3));
  if (needsClean && dirty.length > 0)
    refuse(
      `${project} has uncommitted changes, and tasks would start without them: ${listed(uncommitted)}. Commit or stash them.`,
    );
  const promised = (await git.entries(project)).flatMap(
    ({ isOwn, key }) => (isOwn && /^remote\.(.+)\.promisor$/i.exec(key)?.[1]) || [],
  );
  const [remote] = promised;
  if (remote !== undefined)
    refuse(
      `${project} is a partial clone: git would ask ${remote} for files that are missing, and tasks cannot reach a remote. Run: git config --unset remote.${remote}.promisor && git config --unset remote.${remote}.partialclonefilter && git fetch --refetch ${remote}.`,
    );
  return { commonDir, gitDir, prefix, target: landOn, uncommitted };
}

const refuse = (what: string): never => {
  throw badInput(`${what} Or run with --no-worktrees.`);
};

/** `failed`: git said nothing about the folder, or why. @throws always */
async function refuseOutside(
  git: Git,
  project: string,
  failed: Parameters<typeof messageOfGit>[0] | null,
): Promise<void> {
  const version = await git.run(project, "version");
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  // It answers with --path-format itself.
  if (major < 2 || (major === 2 && minor < 31))
    refuse(`This is ${version}, and worktrees need git 2.31 or newer.`);
  if (failed && !/not a git repository|bare repository/i.test(failed.err))
    refuse(`git cannot use ${project}: ${messageOfGit(failed)}`);
  const elsewhere = await worktreesOfBare(git, project);
  if (elsewhere !== null) {
    const [first] = elsewhere;
    const start =
      first === undefined
        ? "Make a worktree of it (git worktree add main), and start ekiden there"
        : `Start ekiden in one of its worktrees: ${listed(elsewhere)}`;
    throw badInput(`${project} is a bare repository: it has no files to work on. ${start}.`);
  }
  refuse(
    `${project} is not in a working copy of a git repository, and worktrees need one. Run: git init && git add -A && git commit -m "First commit".`,
  );
}

/** The worktrees of a bare repository, which is the folder itself or the one that its `.git` names; null for another folder. */
async function worktreesOfBare(git: Git, project: string): Promise<string[] | null> {
  const named = /^gitdir: (.+)$/m.exec(textIn(join(project, ".git")))?.[1];
  const folder = named === undefined ? project : resolve(project, named);
  const { code, out } = await git.try(project, `--git-dir=${folder}`, "worktree", "list", "--porcelain");
  const [main = "", ...others] = code === 0 ? out.split("\n\n") : [];
  if (!main.split("\n").includes("bare")) return null;
  return others.flatMap((one) => /^worktree (.+)$/m.exec(one)?.[1] ?? []).filter((path) => existsSync(path));
}

/** @returns the operation that is unfinished in a worktree, such as "rebase"; null for none */
export function operationIn(gitDir: string): string | null {
  const signs = {
    rebase: ["rebase-merge", "rebase-apply"],
    merge: ["MERGE_HEAD"],
    "cherry-pick": ["CHERRY_PICK_HEAD"],
    revert: ["REVERT_HEAD"],
  };
  for (const [name, files] of Object.entries(signs))
    if (files.some((file) => existsSync(join(gitDir, file)))) return name;
  return null;
}

/** @throws EkidenError `settings_invalid` */
export function checkShared(paths: readonly string[]): readonly string[] {
  return paths.map((path) => {
    const clean = normalize(path).replace(/[\\/]+$/, "");
    const parts = clean.split(sep);
    if (
      isAbsolute(path) ||
      clean === "." ||
      parts.includes("..") ||
      parts[0] === ".git" ||
      parts[0] === ".ekiden"
    )
      throw new EkidenError(
        "settings_invalid",
        `worktreeShare: ${quote(path)} is not a file or folder of the project. Use a path in it, such as "node_modules".`,
      );
    return clean;
  });
}
