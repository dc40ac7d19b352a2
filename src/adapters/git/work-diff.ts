/** The diff of a folder of a repository since a commit, including uncommitted changes. The folder and its index stay as they are. */
import { existsSync, lstatSync, lutimesSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toolFailed } from "../../core/errors.ts";
import { readRegularBytes } from "../small-files.ts";
import { type Git, messageOfGit } from "./git.ts";
import { newTicket } from "./queue.ts";
import { addAll, workState } from "./uncommitted.ts";

const SHOWN = ["--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=none"];
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/**
 * The copy lies where commands of a member read, so a link that one has put in the place of the index is not followed. It keeps the time of
 * the index: git reads the content of files that are not older, because their size and time may be as before a change. @throws Error
 */
export function copyIndex(from: string, to: string): void {
  const at = Math.floor(lstatSync(from, { throwIfNoEntry: false })?.mtimeMs ?? 0) / 1_000;
  writeFileSync(to, readRegularBytes(from, INDEX_MAX, { noLink: true }), { flag: "wx", mode: 0o600 });
  lutimesSync(to, at, at);
}
const INDEX_MAX = 1024 * 1024 * 1024;

/** Since the branch of a work tree left `target`, a ref in full: what would land. As `git diff` shows it. @throws EkidenError `tool_failed` */
export async function branchDiff(git: Git, folder: string, target: string): Promise<string> {
  const root = await git.run(folder, "rev-parse", "--show-toplevel");
  return await workDiff(git, root, await git.run(root, "merge-base", "HEAD", target));
}

/**
 * Since a time (ms), by anybody. `landed`: a commit that was made after it; git keeps seconds only, so the commit of a fast run may look
 * as if it was there before. Null outside of a repository. @throws EkidenError `tool_failed`
 */
export async function folderDiff(
  git: Git,
  folder: string,
  since: number,
  landed?: string,
): Promise<string | null> {
  const root = await git.ask(folder, "rev-parse", "--show-toplevel");
  if (!root) return null;
  const before = await git.ask(root, "rev-list", "-1", `--before=${Math.floor(since / 1000)}`, "HEAD");
  const isEarly = before && landed !== undefined && (await git.isAncestor(root, landed, before));
  const base = isEarly ? await git.ask(root, "rev-parse", "--verify", "--quiet", `${landed}^`) : before;
  return await workDiff(git, root, base || EMPTY_TREE);
}

async function workDiff(git: Git, root: string, base: string): Promise<string> {
  const gitDir = await git.gitDir(root);
  const index = join(gitDir, `ekiden-index.${newTicket()}`);
  try {
    const own = join(gitDir, "index");
    if (existsSync(own)) copyIndex(own, index);
    const { paths } = await workState(git, root, { index });
    const added = await addAll(git, root, paths, { index });
    if (added.code !== 0) throw toolFailed(`git cannot read the changes: ${messageOfGit(added)}`);
    const tree = (await git.tryWith({ index }, root, "write-tree")).out.trim();
    return await git.run(root, "diff", ...SHOWN, base, tree);
  } finally {
    rmSync(index, { force: true });
  }
}
