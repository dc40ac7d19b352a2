/**
 * Checks that the files that members wrote are still there and as they were written. A command that removes them, or that takes their changes back,
 * shows that in no call. Looked at after each round, because a loop would have written the next file a moment later.
 */

import { readdirSync, type Stats, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { readRegular } from "../adapters/small-files.ts";
import type { FileChanges } from "../core/progress/file-changes.ts";
import { hashOf } from "../core/text/hash.ts";
import { tried } from "../core/tried.ts";

const BYTES_MAX = 256 * 1024;
/** Contents of one file that are remembered. */
const CONTENTS_MAX = 100;

/** `contents`: how many changes counted when the file had this content. */
type Seen = { at: string; content: number; readonly contents: Map<number, number> };

export class StandingFiles {
  private readonly workspace: string;
  private seen = new Map<string, Seen>();

  constructor(workspace: string) {
    this.workspace = workspace;
  }

  look(files: FileChanges): void {
    const { paths } = files;
    if (paths.length === 0) return;
    const folders = this.folders();
    const before = this.seen;
    this.seen = new Map();
    for (const path of paths) {
      const found = findIn(folders, path);
      if (!found) {
        files.takenBack(path);
        continue;
      }
      const seen = before.get(path) ?? { at: "", content: 0, contents: new Map() };
      this.seen.set(path, seen);
      if (seen.at !== found.at) lookInto(found.file, path, seen, files);
      seen.at = found.at;
    }
  }

  /** The project, and the worktrees of tasks. */
  private folders(): string[] {
    const trees = join(this.workspace, ".ekiden", "worktrees");
    return tried(
      () => [this.workspace, ...readdirSync(trees).map((name) => join(trees, name))],
      [this.workspace],
    );
  }
}

function findIn(folders: readonly string[], path: string): { file: string; at: string } | null {
  let last: { file: string; stats: Stats } | null = null;
  for (const folder of folders) {
    const file = resolve(folder, path);
    const stats = statsOf(file);
    if (stats && (last === null || stats.mtimeMs > last.stats.mtimeMs)) last = { file, stats };
  }
  return last && { file: last.file, at: `${last.file} ${last.stats.mtimeMs} ${last.stats.size}` };
}

const statsOf = (file: string): Stats | undefined =>
  tried(() => statSync(file, { throwIfNoEntry: false }), undefined); // a name that this folder cannot hold

/** Notes the content of a file that changed, and whether it had that content before. */
function lookInto(file: string, path: string, seen: Seen, files: FileChanges): void {
  const content = contentOf(file);
  if (content === null || content === seen.content) return;
  seen.content = content;
  const changes = seen.contents.get(content);
  if (changes !== undefined) files.takenBack(path, changes);
  else if (seen.contents.size < CONTENTS_MAX) seen.contents.set(content, files.changesOf(path));
}

const contentOf = (file: string): number | null => tried(() => hashOf(readRegular(file, BYTES_MAX)), null);
