/** One landed commit as the page shows it. Its message is apart from its diff: an agent may write one that looks like a diff. */
import { badInput, notFound } from "../../../core/errors.ts";
import { quote } from "../../../core/ids.ts";
import { withGit } from "../../../project/own-git.ts";
import type { ShowDiff } from "../../../team/queries/shown-diff.ts";
import type { Commit } from "../wire.ts";

const DIFF_MAX = 300_000;
const SHOWN = ["--no-color", "--no-ext-diff", "--no-textconv", "--patch", "--format=%s%n%n%b%x00"];

/** @throws EkidenError `bad_input`, `not_found` */
export async function readCommit(
  cwd: string,
  hash: string,
  show: ShowDiff = (diff) => diff,
): Promise<Commit> {
  if (!/^[0-9a-f]{7,64}$/.test(hash)) throw badInput(`${quote(hash)} is not a commit.`);
  const [{ code, out }, prefix] = await withGit(cwd, async (git) => [
    await git.try(cwd, "show", ...SHOWN, hash, "--"),
    (await git.try(cwd, "rev-parse", "--show-prefix")).out.trim(),
  ]);
  if (code !== 0) throw notFound(`the commit ${hash} is not in the repository of ${cwd}.`);
  const end = out.indexOf("\0");
  const diff = show(out.slice(end + 1).trimStart(), prefix);
  const message = show(out.slice(0, end).trim(), prefix);
  return { commit: hash, message, diff: diff.slice(0, DIFF_MAX), cut: diff.length > DIFF_MAX };
}
