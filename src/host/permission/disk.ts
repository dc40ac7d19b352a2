/** The disk as the judge of calls sees it: where links lead, and which names a folder holds. */

import { existsSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Disk } from "../../core/shell/places.ts";
import { tried } from "../../core/tried.ts";

const ENTRIES_MAX = 20_000;

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
  isSame(one, other) {
    const [a, b] = [statOf(other), statOf(one)];
    return a !== undefined && b !== undefined && a.isFile() && a.ino === b.ino && a.dev === b.dev;
  },
};

const statOf = (path: string): Stats | undefined =>
  tried(() => statSync(path, { throwIfNoEntry: false }), undefined);

/** Where a path leads through symbolic links, as far as it exists. An error of `realpathSync` costs ten times as much as `existsSync`. */
function real(path: string): string {
  let existing = path;
  const missing: string[] = [];
  for (; dirname(existing) !== existing; existing = dirname(existing)) {
    const found = existsSync(existing) ? realOrNull(existing) : null;
    if (found !== null) return missing.length === 0 ? found : join(found, ...missing.reverse());
    missing.push(basename(existing));
  }
  return join(existing, ...missing.reverse());
}

const realOrNull = (path: string): string | null => tried(() => realpathSync(path), null);
