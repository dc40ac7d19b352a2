/**
 * Patterns of deny rules as a search on the disk, so that a sandbox can cover the files that they close. A pattern is relative to a
 * checkout of the project, or absolute.
 */
import { pathPattern, spelledPath } from "./path-pattern.ts";
import { isWithin, relativeTo } from "./paths.ts";

/** The patterns of the rules that close files to commands. */
export type ClosedPatterns = { readonly read: readonly string[]; readonly write: readonly string[] };

export type ClosedSearch = {
  /** The folder to look in: absolute, or relative to each checkout; "" is the checkout itself. */
  readonly start: string;
  /** The greatest depth of a match below `start`; 0: `start` itself. */
  readonly depth: number;
  /** Under another folder the same file would no longer be closed. */
  readonly isPlaced: boolean;
  /** Whether a path is closed; for a folder, all files in it. `path` begins like `start`. */
  covers(path: string, isFolder: boolean): boolean;
};

/** `project` and `home`: absolute, without links. */
export function closedSearch(match: string, project: string, home: string): ClosedSearch {
  const whole = match
    .replace(/^~(?=\/)/, home)
    .replace(/^(?:\.\/)+/, "")
    .replace(/(?<=.)\/+$/, "");
  const pattern = whole.startsWith("/") && isWithin(project, whole) ? relativeTo(project, whole) : whole;
  const parts = pattern.split("/");
  const wild = parts.findIndex((part) => /[*?[{\\]/.test(part));
  const fixed = wild === -1 ? parts : parts.slice(0, wild);
  const rest = wild === -1 ? [] : parts.slice(wild);
  const isWhole = rest.at(-1) === "**";
  // `x/**` closes the folder x itself, so the search ends there.
  const levels = isWhole ? rest.slice(0, -1) : rest;
  const isDeep = levels.some((part) => part.includes("**")) || /\{[^}]*\//.test(pattern);
  const paths = pathPattern(pattern);
  const last = parts.at(-1) ?? "";
  const isNamed = !/[*?[{]/.test(last);
  return {
    start: fixed.join("/") || (pattern.startsWith("/") ? "/" : ""),
    depth: isDeep ? Number.POSITIVE_INFINITY : levels.length,
    isPlaced: !/^\*\*\/[^/]+(?:\/\*\*)?$/.test(pattern),
    covers: (path, isFolder) =>
      isFolder
        ? (isWhole && paths.test(`${path}/`)) ||
          ((isNamed || path.endsWith(`/${spelledPath(last)}`)) && paths.test(path))
        : paths.test(path),
  };
}
