/**
 * The one step of own git with the workspace of a task: a fetch of one commit into the project, with its objects checked, from an
 * upload-pack in the sandbox. What lands was brought by it, and nothing else of a workspace is read by git outside.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { toolFailed } from "../../../core/errors.ts";
import { tried } from "../../../core/tried.ts";
import { inHeldFolder } from "../../held-folder.ts";
import { bytesIn, foldersIn, textIn } from "../../small-files.ts";
import { type Git, messageOfGit } from "../git.ts";
import { looseTip } from "../landing/target-tip.ts";
import { SWEPT } from "../verbs.ts";

export type Place = { readonly root: string; readonly branch: string };
export type Origin = { readonly git: Git; readonly project: string; readonly commonDir: string };

// As a pack: git keeps a new one until the refs are there, and loose objects are removed by a `git gc` at the same time.
const CHECKED = [
  ...["transfer.fsckObjects=true", "fetch.fsckObjects=true", "protocol.file.allow=always"],
  "fetch.unpackLimit=1",
];
const ALONE = [
  ...["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-gc"],
  ...["--no-auto-maintenance", "--no-show-forced-updates"],
];

/**
 * Keeps what a workspace has brought, until the ref is used again: nothing else names it at first, and a `git gc` beside it would remove it.
 * "ahead": with the commits of others below it; "look": for a view, or for another machine; "one": several commits as one.
 */
const USES = ["branch", "ahead", "look", "one"] as const;
export type Use = (typeof USES)[number];

const broughtOf = (root: string, use: Use): string =>
  `refs/ekiden/brought/${createHash("sha256").update(root).digest("hex").slice(0, 16)}/${use}`;
/** The refs that end with the workspace. */
export const refsOf = (root: string, path: string): string[] => [
  baseOf(path),
  ...USES.map((use) => broughtOf(root, use)),
];

/** @throws EkidenError `tool_failed` for a commit that is not there, or has an object that is damaged */
export async function bring(
  origin: Origin,
  root: string,
  commits: readonly string[],
  use: Use | null,
  signal?: AbortSignal,
  tries = TRIES,
): Promise<void> {
  const { git, project, commonDir } = origin;
  const odd = commits.find((commit) => !COMMIT.test(commit));
  if (odd !== undefined) throw toolFailed(`git in ${root} answered with ${odd}, which is not a commit.`);
  const shallow = join(commonDir, "shallow");
  const { file, args, ended } = await git.inside.serving(root, existsSync(shallow) ? shallow : "");
  const serve = [file, ...args].map(quoted).join(" ");
  const options = CHECKED.flatMap((one) => ["-c", one]);
  const ran = await git
    .tryWith(
      { signal },
      project,
      ...options,
      "fetch",
      ...ALONE,
      `--upload-pack=${serve}`,
      "--",
      root,
      ...commits.map((commit) => (use ? `+${commit}:${broughtOf(root, use)}` : commit)),
    )
    .finally(ended);
  // A ref of ours whose commit is gone, by a `git gc` or a crash: each later fetch would fail.
  const [, broken = ""] = /bad object (refs\/(?:heads\/)?ekiden\/\S+)/.exec(ran.err) ?? [];
  if (broken !== "") await git.try(project, "update-ref", "--no-deref", "-d", broken);
  const isSwept = broken !== "" || SWEPT.test(ran.err);
  if (isSwept && tries > 1) return await bring(origin, root, commits, use, signal, tries - 1);
  if (ran.code !== 0 || ran.err.includes("rejected"))
    throw toolFailed(`${commits.join(" and ")} cannot be taken over from ${root}: ${messageOfGit(ran)}`);
}

const TRIES = 5;

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** The last commit of a task's branch in its workspace. */
export async function ownTip({ git }: Pick<Origin, "git">, { root, branch }: Place): Promise<string> {
  const ref = `refs/heads/${branch}`;
  return commitIn(root, ref) ?? (await git.inside.run(root, "rev-parse", "--verify", `${ref}^{commit}`));
}

/** The commit of a ref, or of HEAD without a branch, from the files of a clone; null for none. Members write there, so no link is followed. */
export const commitIn = (root: string, ref: string): string | null => {
  const textOf = (name: string): string =>
    tried(() => inHeldFolder(root, join(".git", name), (path) => bytesIn(path, REFS_MAX)?.toString()), "") ??
    "";
  const own = textOf(ref).trim();
  if (COMMIT.test(own)) return own;
  const packed = own === "" ? textOf("packed-refs").split("\n") : [];
  const [found = ""] = packed.find((line) => line.endsWith(` ${ref}`))?.split(" ") ?? [];
  return COMMIT.test(found) ? found : null;
};
const REFS_MAX = 64 * 1024 * 1024;

/** The person sees the branch of the task at this commit in the project, unless it is checked out there. */
export async function show(
  { git, project, commonDir }: Origin,
  branch: string,
  commit: string,
): Promise<void> {
  const ref = `refs/heads/${branch}`;
  if (looseTip(commonDir, ref) === commit) return;
  const trees = foldersIn(join(commonDir, "worktrees")).map((name) => join("worktrees", name));
  const isCheckedOut = ["", ...trees].some(
    (tree) => textIn(join(commonDir, tree, "HEAD")).trim() === `ref: ${ref}`,
  );
  if (isCheckedOut) return;
  await git.run(project, "update-ref", "--no-deref", "-m", "ekiden: work of the task", ref, commit);
}

/** The branch of a new workspace, and what it borrows. Returns git's words where they cannot be made. */
export async function startAt(
  { git, project }: Origin,
  { branch, path, commit }: { readonly branch: string; readonly path: string; readonly commit: string },
): Promise<string | null> {
  const input = [`refs/heads/${branch}`, baseOf(path)].map((ref) => `update ${ref} ${commit}\n`).join("");
  const ran = await git.tryWith({ input }, project, "update-ref", "--no-deref", "--stdin");
  return ran.code === 0 ? null : messageOfGit(ran);
}

/** Keeps what the workspace borrows from the project: `git gc` knows nothing of it. */
export async function keepBase(
  { git, project, commonDir }: Origin,
  path: string,
  commit: string,
): Promise<void> {
  const ref = baseOf(path);
  const before = looseTip(commonDir, ref) ?? (await git.tip(project, ref));
  if (before === commit) return;
  const isOld = before === null || (await git.isAncestor(project, before, commit));
  const kept = isOld
    ? commit
    : await git.run(
        project,
        ...NOBODY,
        "commit-tree",
        `${commit}^{tree}`,
        "-p",
        before,
        "-p",
        commit,
        "-m",
        "ekiden: kept for a workspace",
      );
  await git.run(project, "update-ref", "--no-deref", ref, kept);
}
const NOBODY = [
  "-c",
  "user.name=ekiden",
  "-c",
  "user.email=ekiden@ekiden.invalid",
  "-c",
  "commit.gpgSign=false",
];

export const baseOf = (path: string): string => `refs/ekiden/base/${path}`;
