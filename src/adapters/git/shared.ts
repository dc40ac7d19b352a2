/** Ignored files and folders of the project that its worktrees link to, so that nothing is installed twice. */

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { succeeds } from "../../core/tried.ts";
import { inHeldFolder } from "../held-folder.ts";
import { replaceFile } from "../small-files.ts";
import type { Git } from "./git.ts";

type Share = { readonly project: string; readonly workspace: string; readonly paths: readonly string[] };

/** Those that are there, without links. */
export const foldersOf = ({ project, share }: { project: string; share: readonly string[] }): string[] =>
  share.map((path) => join(project, path)).flatMap((path) => (existsSync(path) ? [realpathSync(path)] : []));

/**
 * Leaves alone what is tracked, missing or there already. A pattern such as "node_modules/" ignores a folder but not a link, so
 * the link is added to the repository's own ignore list: nobody may commit it by mistake.
 */
export async function linkShared(
  git: Git,
  commonDir: string,
  { project, workspace, paths }: Share,
): Promise<void> {
  for (const path of paths) {
    const source = join(project, path);
    const link = join(workspace, path);
    if (!existsSync(source) || isThere(link)) continue;
    if ((await git.run(project, "ls-files", "--", path)) !== "") continue;
    if (!inOwnFolder(workspace, path, (own) => symlinkSync(source, own, "junction"))) continue;
    if ((await git.try(workspace, "check-ignore", "--quiet", "--", path)).code !== 0)
      ignore(commonDir, `/${(await git.run(workspace, "rev-parse", "--show-prefix")) + path}`);
  }
}

/** Removes the links, and nothing else. */
export function unlinkShared({ workspace, paths }: Omit<Share, "project">): void {
  for (const path of paths) {
    inOwnFolder(workspace, path, (link) => {
      if (isThere(link) && lstatSync(link).isSymbolicLink()) unlinkSync(link);
    });
  }
}

/** A repository or a member may have made a link of a folder on the way: then nothing is done, because it leads elsewhere. */
function inOwnFolder(workspace: string, path: string, use: (path: string) => void): boolean {
  const parts = dirname(path) === "." ? [] : dirname(path).split("/");
  return succeeds(() => {
    for (const [i, part] of parts.entries())
      inHeldFolder(workspace, [...parts.slice(0, i), part].join("/"), (at) => {
        if (!isThere(at)) mkdirSync(at);
      });
    inHeldFolder(workspace, path, use);
  });
}

function ignore(commonDir: string, pattern: string): void {
  const file = join(commonDir, "info", "exclude");
  mkdirSync(dirname(file), { recursive: true });
  const stat = lstatSync(file, { throwIfNoEntry: false });
  const text = stat?.isFile() ? readFileSync(file, "utf8") : "";
  // A repository may come with a link.
  if ((stat && !stat.isFile()) || text.split("\n").includes(pattern)) return;
  const more = `# linked into worktrees by ekiden\n${pattern}\n`;
  replaceFile(file, `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${more}`);
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
