/**
 * Pipes, sockets and devices in the place of files that git reads: it would wait for them, or read without an end. The usual files are looked
 * at before git starts. The many others (`.gitignore` in each folder, refs) are looked at where git takes long.
 */

import { type Stats, statSync } from "node:fs";
import { opendir } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { badInput, type EkidenError } from "../../../core/errors.ts";
import { tried } from "../../../core/tried.ts";
import { kindOf, textIn } from "../../small-files.ts";

const IN_GIT =
  "HEAD config config.worktree index packed-refs commondir gitdir shallow info/exclude info/attributes info/grafts info/sparse-checkout objects/info/alternates MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD".split(
    " ",
  );
const IN_TREE = [".git", ".gitignore", ".gitattributes", ".gitmodules", ".mailmap"];
const ENTRIES_MAX = 100_000;
const FIRST_LOOK_MS = 1_000;
const LOOKS_SHARE = 0.1;

/** @throws EkidenError `bad_input` that names the first one */
export function checkReadable(cwd: string): void {
  const place = gitOf(cwd);
  if (place === null) return;
  const { top, dirs } = place;
  for (const [folder, names] of [[top, IN_TREE], ...dirs.map((dir) => [dir, IN_GIT] as const)] as const)
    for (const name of names) refuse(join(folder, name));
}

/** Looks again and again while git runs; the function that it returns ends that. `found`: gets the error that names the file. */
export function watchReadable(cwd: string, found: (error: EkidenError) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const later = (ms: number): void => {
    timer = setTimeout(async () => {
      const began = performance.now();
      const error = await firstIn(cwd, () => isOver).catch(() => null);
      if (error && !isOver) found(error);
      else if (!isOver) later(Math.max(FIRST_LOOK_MS, (performance.now() - began) / LOOKS_SHARE));
    }, ms);
    timer.unref();
  };
  later(FIRST_LOOK_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

async function firstIn(cwd: string, isOver: () => boolean): Promise<EkidenError | null> {
  const place = gitOf(cwd);
  if (place === null) return null;
  let left = ENTRIES_MAX;
  // Only git's files of the work tree are read; other pipes do not matter here.
  const waiting = [{ path: place.top, isGit: false }, ...place.dirs.map((path) => ({ path, isGit: true }))];
  for (let at = waiting.shift(); at && left > 0 && !isOver(); at = waiting.shift()) {
    const folder = await opendir(at.path).catch(() => null);
    if (folder === null) continue;
    for await (const entry of folder) {
      left -= 1;
      const path = join(at.path, entry.name);
      const isFolder = entry.isDirectory();
      if (isFolder && entry.name !== ".git") waiting.push({ path, isGit: at.isGit });
      if (isFolder || entry.isFile() || !(at.isGit || IN_TREE.includes(entry.name))) continue;
      try {
        refuse(path);
      } catch (error) {
        return error as EkidenError;
      }
    }
  }
  return null;
}

/** The top of the work tree around a folder, and its git directories. */
function gitOf(cwd: string): { readonly top: string; readonly dirs: readonly string[] } | null {
  for (let top = cwd; ; top = dirname(top)) {
    const at = join(top, ".git");
    const stat = look(at);
    if (stat) {
      const named = stat.isFile() ? /^gitdir: (.+)$/m.exec(textIn(at))?.[1]?.trim() : undefined;
      const git = named === undefined ? at : resolve(top, named);
      const common = textIn(join(git, "commondir")).trim();
      const shared = isAbsolute(common) ? common : resolve(git, common);
      return { top, dirs: common === "" ? [git] : [git, shared] };
    }
    if (dirname(top) === top) return null;
  }
}

function refuse(path: string): void {
  const stat = look(path);
  if (stat === null || stat.isFile() || stat.isDirectory()) return;
  throw badInput(
    `${path} is a ${kindOf(stat)}, and git would hang on it. Remove it, or restore the original file.`,
  );
}

const look = (path: string): Stats | null =>
  tried(() => statSync(path, { throwIfNoEntry: false }) ?? null, null); // a loop of links, or no right to look
