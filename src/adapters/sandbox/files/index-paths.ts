/**
 * The paths of a git index. Git checks a path when it adds it and not when it writes the file, so an index that a command has made
 * can name `.git/hooks/x` or `../x`, and the next `git checkout .` of the person makes that file.
 */
import { dirname } from "node:path";
import { printedBy, type Reads } from "../reads.ts";

/** Also as file systems that fold names call it. */
const GIT = /^(?:\.git[ .]*|git~1)$/i;
const UNREAD = "(it cannot be read)";

/** The first path that may not be in it; null for none. An index that git cannot read has one, too. */
export async function strayPath(file: string, { git, confine }: Reads): Promise<string | null> {
  const [cwd, env] = [dirname(file), { PATH: process.env.PATH ?? "", LC_ALL: "C", GIT_WORK_TREE: "/" }];
  const args = [
    "--git-dir=.",
    "-c",
    "core.fsmonitor=false",
    "ls-files",
    "-z",
    "--sparse",
    "--full-name",
    ":/",
  ];
  const paths = git === null ? "" : await printedBy({ file: git, args, cwd, env }, confine);
  return paths === null ? UNREAD : (paths.split("\0").slice(0, -1).find(isStray) ?? null);
}

/** A folder of a sparse index ends in a slash. */
const isStray = (path: string): boolean =>
  path
    .replace(/\/$/, "")
    .split("/")
    .some((part) => part === "" || part === "." || part === ".." || GIT.test(part));
