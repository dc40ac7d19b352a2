/** Finds out whether the build can be used as it is. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "..");

/** Whether `file`, a path below the root of this clone, is newer than every source. */
export function isFresh(file: string): boolean {
  const path = join(ROOT, file);
  if (!existsSync(path)) return false;
  const built = statSync(path).mtimeMs;
  const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
  return sources.every(
    (source) => source.endsWith(".test.ts") || statSync(join(ROOT, "src", source)).mtimeMs < built,
  );
}
