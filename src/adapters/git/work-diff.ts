/**
 * The diff of a folder of a repository since a commit, including uncommitted changes. The folder, its index and its objects stay as they
 * are: a command could exchange a file of ours in `.git` for a link.
 */
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toolFailed } from "../../core/errors.ts";
import { removeTree } from "../remove-tree.ts";
import { copyIndex } from "./clones/snapshot.ts";
import { addAll, workState } from "./clones/uncommitted.ts";
import { type Git, messageOfGit } from "./git.ts";

const SHOWN = ["--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=none"];
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/** Between two commits, as `git diff` shows it. */
export const commitsDiff = (git: Git, folder: string, base: string, commit: string): Promise<string> =>
  git.run(folder, "diff", ...SHOWN, base, commit);

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
  const asked = ["rev-parse", "--path-format=absolute", "--git-dir", "--git-path", "objects"];
  const [gitDir = "", objects = ""] = (await git.run(root, ...asked)).split("\n");
  const scratch = mkdtempSync(join(tmpdir(), "ekiden-index-"));
  try {
    mkdirSync(join(scratch, "objects/info"), { recursive: true });
    writeFileSync(join(scratch, "objects/info/alternates"), `${objects}\n`);
    const own = join(gitDir, "index");
    if (existsSync(own)) copyIndex(own, join(scratch, "index"));
    const { paths } = await workState(git, root, { scratch });
    const added = await addAll(git, root, paths, { scratch });
    if (added.code !== 0) throw toolFailed(`git cannot read the changes: ${messageOfGit(added)}`);
    const tree = (await git.tryWith({ scratch }, root, "write-tree")).out.trim();
    return await git.runWith({ scratch }, root, "diff", ...SHOWN, base, tree);
  } finally {
    removeTree(scratch);
  }
}
