/** The changes of a work tree that are not committed. Ignored files are none. */
import type { Git, Limits, Ran } from "../git.ts";

/** `branch`: null where HEAD is on none, or on one that cannot be read; `head`: null before its first commit. */
export type WorkState = {
  readonly branch: string | null;
  readonly head: string | null;
  readonly isClean: boolean;
  /** Files that are not in the index as they are, for `addAll`: each character is a byte, because names need not be UTF-8. */
  readonly paths: readonly string[];
};

/** "1 XY", six fields and the path, Y a dot where the index is up to date; a repository within the work tree ends in a slash. */
const UNSTAGED = /^(?:\?|1 .[^.](?: \S+){6}|u ..(?: \S+){8}) (.+?)\/?$/s;

/** @throws EkidenError `tool_failed` */
export async function workState(git: Git, root: string, limits: Limits = {}): Promise<WorkState> {
  const asked = ["--porcelain=v2", "--branch", "--no-ahead-behind", "--no-renames", "--untracked-files=all"];
  const told = await git.runWith({ ...limits, encoding: "latin1" }, root, "status", ...asked, "-z");
  const entries = told.split("\0").filter(Boolean);
  const named = (key: string): string | undefined =>
    entries.find((entry) => entry.startsWith(`# branch.${key} `))?.slice(`# branch.${key} `.length);
  const [head = "(initial)", bytes = "(detached)"] = [named("oid"), named("head")];
  const branch = Buffer.from(bytes, "latin1").toString();
  const changed = entries.filter((entry) => !entry.startsWith("# "));
  return {
    branch: /^\((?:detached|unknown)\)$/.test(branch) ? null : branch,
    head: head === "(initial)" ? null : head,
    isClean: changed.length === 0,
    paths: changed.flatMap((entry) => UNSTAGED.exec(entry)?.[1] ?? []),
  };
}

/** They become part of the index. `git add --all` would run git in repositories within the work tree. */
export async function addAll(
  git: Git,
  root: string,
  paths: WorkState["paths"],
  limits: Limits = {},
): Promise<Ran> {
  const input = paths.map((path) => `${path}\0`).join("");
  const update = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
  return await git.tryWith({ ...limits, input, encoding: "latin1" }, root, ...update);
}
