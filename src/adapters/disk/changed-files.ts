/**
 * Files of a project that changed after a time, with their contents: what commands wrote, which no tool call shows. Only called when a
 * team has made many calls without a visible result, because it walks the whole folder.
 */
import { type Dirent, promises as fs } from "node:fs";
import { join } from "node:path";
import { readRegular } from "../small-files.ts";

const ENTRIES_MAX = 50_000;
const FILES_MAX = 200;
const BYTES_MAX = 1024 * 1024;
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules", ".venv", "__pycache__"]);
/** The folder of this program: only its worktrees are read. */
const OWN = ".ekiden";
const OWN_KEPT = "worktrees";

export type ChangedFile = { readonly path: string; readonly content: string };

/** `since`: milliseconds since 1970. At most 200 files of at most 1 MiB. Never rejects: files that cannot be read are left out. */
export async function changedFiles(folder: string, since: number): Promise<ChangedFile[]> {
  const changed: ChangedFile[] = [];
  const folders = [folder];
  let seen = 0;
  for (let at = folders.pop(); at !== undefined && changed.length < FILES_MAX; at = folders.pop()) {
    const here = at;
    const entries = await fs.readdir(here, { withFileTypes: true }).catch((): Dirent[] => []);
    seen += entries.length;
    if (seen > ENTRIES_MAX) break;
    for (const entry of entries) {
      const path = join(here, entry.name);
      if (entry.isDirectory()) {
        if (entry.name === OWN && here === folder) folders.push(join(path, OWN_KEPT));
        else if (!SKIPPED.has(entry.name)) folders.push(path);
      } else if (entry.isFile() && changed.length < FILES_MAX) {
        const file = await readIfChanged(path, since);
        if (file !== null) changed.push({ path, content: file });
      }
    }
  }
  return changed;
}

async function readIfChanged(path: string, since: number): Promise<string | null> {
  try {
    const { mtimeMs } = await fs.stat(path);
    return mtimeMs < since ? null : readRegular(path, BYTES_MAX);
  } catch {
    return null;
  }
}
