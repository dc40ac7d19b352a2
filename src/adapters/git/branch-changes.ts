/** The changes between two commits, as one reading of git. */
import type { Git } from "./git.ts";

export type Changes = {
  readonly kind: "changes";
  /** Relative to the top folder. */
  readonly paths: readonly string[];
  /** Folders that are added like a submodule without being one: a clone, or the result of `git init`. */
  readonly inner: readonly string[];
};

/** @throws EkidenError `tool_failed`, also without a commit in common */
export async function changesOf(git: Git, root: string, range: string): Promise<Changes> {
  const raw = await git.run(root, "diff", "--raw", "-z", "--no-renames", "--ignore-submodules=none", range);
  const fields = raw.split("\0"); // ":000000 160000 … A", the path, and so on
  const paths = fields.filter((_, i) => i % 2 === 1);
  const added = paths.filter((_, i) => /^:(?!160000)\d+ 160000 /.test(fields[2 * i] ?? ""));
  if (added.length === 0) return { kind: "changes", paths, inner: [] };
  const modules = await git.try(root, "config", "--file", ".gitmodules", "--get-regexp", "\\.path$");
  const known = new Set(modules.out.split("\n").map((line) => line.slice(line.indexOf(" ") + 1)));
  return { kind: "changes", paths, inner: added.filter((path) => !known.has(path)) };
}
