/** Ignored files and folders of the project that its worktrees link to, so that nothing is installed twice. */

import { existsSync, lstatSync, mkdirSync, realpathSync, symlinkSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { succeeds } from "../../core/tried.ts";
import { inHeldFolder } from "../held-folder.ts";
import type { Git } from "./git.ts";

type Share = { readonly project: string; readonly workspace: string; readonly paths: readonly string[] };

/** Those that are there, without links. */
export const foldersOf = ({ project, share }: { project: string; share: readonly string[] }): string[] =>
  share.map((path) => join(project, path)).flatMap((path) => (existsSync(path) ? [realpathSync(path)] : []));

/** Leaves alone what is tracked, missing or there already. */
export async function linkShared(git: Git, { project, workspace, paths }: Share): Promise<void> {
  for (const path of paths) {
    const source = join(project, path);
    const link = join(workspace, path);
    if (!existsSync(source) || isThere(link)) continue;
    if ((await git.run(project, "ls-files", "--", path)) !== "") continue;
    inOwnFolder(workspace, path, (own) => symlinkSync(source, own, "junction"));
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

/**
 * Uses a path below a workspace, with its folders made. A repository or a member may have made a link of a folder on the way: then nothing is
 * done, because it leads elsewhere.
 */
export function inOwnFolder(workspace: string, path: string, use: (path: string) => void): boolean {
  const parts = dirname(path) === "." ? [] : dirname(path).split("/");
  return succeeds(() => {
    for (const [i, part] of parts.entries())
      inHeldFolder(workspace, [...parts.slice(0, i), part].join("/"), (at) => {
        if (!isThere(at)) mkdirSync(at);
      });
    inHeldFolder(workspace, path, use);
  });
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
