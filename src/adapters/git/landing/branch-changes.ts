/** The changes between two commits, and whether a task may land with them. */

import { listed } from "../../../core/text/listed.ts";
import type { Git } from "../git.ts";
import type { WorktreeOptions } from "../options.ts";
import { DIFF, DIFF_MAX } from "./change-diff.ts";
import type { LandingInput } from "./landing-job.ts";
import { protectedFault } from "./protected-changes.ts";
import { type Refused, refused } from "./refusal.ts";

type Changes = {
  /** Relative to the top folder. */
  readonly paths: readonly string[];
  /** Folders that are added like a submodule without being one: a clone, or the result of `git init`. */
  readonly inner: readonly string[];
  /** As `changeDiff` reads it; null for one that is too large, or was not asked for. */
  readonly patch: string | null;
};

/** What is looked at for signals comes from the same process of git. @throws EkidenError `tool_failed`, also without a commit in common */
export async function changesOf(
  git: Git,
  project: string,
  [base, commit]: readonly [string, string],
  tampering: WorktreeOptions["tampering"],
): Promise<Changes> {
  const range = `${base}...${commit}`;
  const said = await git.run(
    project,
    ...DIFF,
    ...(tampering === "off" ? [] : ["--patch"]),
    "--raw",
    "-z",
    "--ignore-submodules=none",
    range,
  );
  // No name is empty, so the first empty field is the end of the list.
  const end = said.indexOf("\0\0");
  const [raw, text] = end === -1 ? [said, ""] : [said.slice(0, end + 1), said.slice(end + 2)];
  const patch = tampering === "off" || text.length > DIFF_MAX ? null : text;
  const fields = raw.split("\0"); // ":000000 160000 … A", the path, and so on
  const paths = fields.filter((_, i) => i % 2 === 1);
  const added = paths.filter((_, i) => /^:(?!160000)\d+ 160000 /.test(fields[2 * i] ?? ""));
  if (added.length === 0) return { paths, inner: [], patch };
  const file = ["--blob", `${commit}:.gitmodules`];
  const modules = await git.try(project, "config", ...file, "--get-regexp", "\\.path$");
  const known = new Set(modules.out.split("\n").map((line) => line.slice(line.indexOf(" ") + 1)));
  return { paths, inner: added.filter((path) => !known.has(path)), patch };
}

/** `git add` does not take a repository without a commit. */
const NO_COMMIT =
  /^(?:error: '?(.+?)\/?'? does not have a commit checked out|error: (.+): is a directory - add files inside instead)$/m;

/** The fault of a `git add` that failed because of what a `git init` has left; null for others. */
export function addFault(said: string): Refused | null {
  const [, one, other] = NO_COMMIT.exec(said) ?? [];
  const path = one ?? other;
  return path === undefined ? null : innerFault([path]);
}

const innerFault = (inner: readonly string[]): Refused =>
  refused(
    "branch",
    `${listed(inner)}: a git repository of its own inside the worktree. None of its files would land, only the number of a commit that nobody else has. Delete its .git folder and run: git rm -r --cached --ignore-unmatch ${inner[0]}. Or have git ignore it, or make it a submodule.`,
  );

/** Null where nothing is against them. */
export function faultOf(job: LandingInput, { paths, inner }: Changes): Refused | null {
  if (inner.length > 0) return innerFault(inner);
  const closed = protectedFault(job, paths);
  return closed === null ? null : refused("branch", closed);
}
