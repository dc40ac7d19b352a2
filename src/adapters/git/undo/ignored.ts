/** Which files that git ignores are gone: no record has them, so no undo brings them back. Changed ones are caches of tools in nearly every check. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { TouchedFile } from "../../../core/plan/task-check.ts";
import { tried } from "../../../core/tried.ts";
import { isOutside } from "./disk.ts";
import { type OwnRepository, topOf } from "./own-repository.ts";

/** A folder of which git ignores everything is one entry, however large it is. */
const LIST = ["ls-files", "-z", "-o", "-i", "--directory", "--exclude-standard"];
const MAX = 2_000;

/** To be called before a command; the function that it returns, after it. */
export async function ignoredBefore(
  repository: OwnRepository,
  root: string,
): Promise<() => Promise<TouchedFile[]>> {
  const how = { cwd: root, env: { GIT_WORK_TREE: topOf(root) } };
  const paths = (await repository.git(LIST, how).catch(() => "")).split("\0");
  const known = paths.filter((path) => path !== "" && !isOutside(path.replace(/\/$/, ""))).slice(0, MAX);
  return async () =>
    known
      .filter((path) => tried(() => lstatSync(join(root, path)), null) === null)
      .map((path) => ({ path, isGone: true, isShared: false, isIgnored: true }));
}
