/** Finds out whether the build can be used as it is. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "..");

/** The build also depends on them: the packages and how the bundle is made. */
const SETTINGS = ["package.json", "package-lock.json", "tsdown.config.ts"];

/** Whether `file`, a path below the root of this clone, is newer than every source. */
export function isFresh(file: string): boolean {
  const path = join(ROOT, file);
  if (!existsSync(path)) return false;
  const built = statSync(path).mtimeMs;
  const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
  const used = sources.filter((source) => !source.endsWith(".test.ts")).map((source) => join("src", source));
  return [...SETTINGS, ...used].every(
    (source) => (statSync(join(ROOT, source), { throwIfNoEntry: false })?.mtimeMs ?? 0) < built,
  );
}
