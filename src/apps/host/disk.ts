/** The disk as the judge of calls sees it: where links lead, and which names a folder holds. */
import { readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Disk } from "../../core/shell/places.ts";

const ENTRIES_MAX = 20_000;
/** A name that needs no quotes. */
const TAME = /^[\w.@+=:,%~#][\w.@+=:,%~#-]*$/;

export const disk: Disk = {
  real,
  entries(folder) {
    try {
      const names = readdirSync(folder);
      return names.length > ENTRIES_MAX ? null : names;
    } catch {
      return null;
    }
  },
  isTame(folder, name) {
    const folders = [folder];
    let count = 0;
    for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
      try {
        for (const entry of readdirSync(at, { withFileTypes: true })) {
          count += 1;
          if (count > ENTRIES_MAX) return false;
          const isFolder = entry.isDirectory();
          if (!isFolder && name?.test(entry.name) === false) continue;
          if (!TAME.test(entry.name)) return false;
          if (isFolder) folders.push(join(at, entry.name));
          else if (!entry.isFile()) return false;
        }
      } catch {
        return false;
      }
    }
    return true;
  },
};

/** Where a path leads through symbolic links, as far as it exists. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(real(parent), basename(path));
  }
}
