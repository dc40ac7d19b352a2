/**
 * Walks the files of a folder, without those that .gitignore files leave out. It does not follow links to folders, so it never leaves
 * the folder. Used by `glob`, and by `grep` without ripgrep: glob libraries cannot read nested .gitignore files.
 */
import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Ignore } from "ignore";

/** A walk ends after so many files. */
export const WALK_MAX = 200_000;

type Rules = { readonly folder: string; readonly ignore: Ignore };

/** Paths relative to `top`, files only. The .gitignore files from `workspace` down count. */
export async function* walk(top: string, workspace: string, signal: AbortSignal): AsyncGenerator<string> {
  const queue: { folder: string; rules: readonly Rules[] }[] = [
    { folder: top, rules: await rulesAbove(top, workspace) },
  ];
  let seen = 0;
  for (let next = queue.pop(); next; next = queue.pop()) {
    signal.throwIfAborted();
    const { folder } = next;
    const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
    const own = entries.some((entry) => entry.name === ".gitignore") ? await rulesIn(folder) : null;
    const rules = own ? [...next.rules, own] : next.rules;
    const folders: string[] = [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.name === ".git" || ignored(path, entry.isDirectory(), rules)) continue;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() || entry.isSymbolicLink()) {
        seen += 1;
        if (seen > WALK_MAX) return;
        yield relative(top, path).replaceAll("\\", "/");
      }
    }
    for (const path of folders.reverse()) queue.push({ folder: path, rules });
  }
}

function ignored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  // The nearest .gitignore with a matching rule decides.
  for (const { folder, ignore } of rules.toReversed()) {
    const verdict = ignore.test(`${relative(folder, path).replaceAll("\\", "/")}${isFolder ? "/" : ""}`);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

async function rulesIn(folder: string): Promise<Rules | null> {
  const text = await readFile(join(folder, ".gitignore"), "utf8").catch(() => null);
  if (text === null) return null;
  const { default: createIgnore } = await import("ignore");
  return { folder, ignore: createIgnore().add(text) };
}

async function rulesAbove(top: string, workspace: string): Promise<Rules[]> {
  if (top === workspace || !top.startsWith(workspace)) return [];
  const parent = dirname(top);
  const own = await rulesIn(parent);
  return [...(await rulesAbove(parent, workspace)), ...(own ? [own] : [])];
}
