/** One landed commit as the page shows it. Its message is apart from its diff: an agent may write one that looks like a diff. */
import { badInput, notFound } from "../../../core/errors.ts";
import { quote } from "../../../core/ids.ts";
import { withGit } from "../../../project/own-git.ts";
import type { Commit } from "../wire.ts";

const DIFF_MAX = 300_000;
const SHOWN = ["--no-color", "--no-ext-diff", "--no-textconv", "--patch", "--format=%s%n%n%b%x00"];

/** @throws EkidenError `bad_input`, `not_found` */
export async function readCommit(cwd: string, hash: string): Promise<Commit> {
  if (!/^[0-9a-f]{7,64}$/.test(hash)) throw badInput(`${quote(hash)} is not a commit.`);
  const { code, out } = await withGit(cwd, (git) => git.try(cwd, "show", ...SHOWN, hash, "--"));
  if (code !== 0) throw notFound(`the commit ${hash} is not in the repository of ${cwd}.`);
  const end = out.indexOf("\0");
  const diff = out.slice(end + 1).trimStart();
  const message = out.slice(0, end).trim();
  return { commit: hash, message, diff: diff.slice(0, DIFF_MAX), cut: diff.length > DIFF_MAX };
}
