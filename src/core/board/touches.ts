/**
 * Finds tasks that may not run at the same time: those whose path patterns could name the same file. Pure, and cautious: segments
 * that cannot be compared (brackets, braces) count as overlapping, because a needless wait costs less than a merge conflict.
 *
 * `*` and `?` stay inside a path segment, `**` spans any number of them, and a plain folder covers everything below it.
 */
export const overlapping = (a: readonly string[], b: readonly string[]): boolean =>
  a.some((one) => b.some((other) => meet(read(one), read(other), "**", similar)));

/** The segments of a pattern. A folder ends in `**`: it covers what is below it. */
function read(pattern: string): string[] {
  const parts = pattern
    .replaceAll("\\", "/")
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  const last = parts.at(-1) ?? "";
  // "src/core" may be a folder; "src/a.ts" and "src/*" are files, unless they end in a slash.
  const isFolder = /[\\/]$/.test(pattern) || !/[*?]|.\.\w+$/.test(last);
  return isFolder ? [...parts, "**"] : parts;
}

const UNCLEAR = /[[\]{}()]/;
const WILD = /[*?]/;

/** Whether one name can match both segments. */
const similar = (a: string, b: string): boolean =>
  a === b ||
  UNCLEAR.test(a) ||
  UNCLEAR.test(b) ||
  (WILD.test(a + b) && meet([...a], [...b], "*", (c, d) => c === d || c === "?" || d === "?"));

/** Whether one list can match both patterns; `any` in a pattern is any number of items. Its cost is the product of the lengths. */
function meet(
  a: readonly string[],
  b: readonly string[],
  any: string,
  alike: (x: string, y: string) => boolean,
): boolean {
  // fits[j]: the part of `a` read so far and the first j items of `b` can match the same list.
  let fits: (boolean | undefined)[] = [true];
  b.forEach((y, j) => {
    fits.push(fits[j] && y === any);
  });
  for (const x of a) {
    const next = [fits[0] && x === any];
    b.forEach((y, j) => {
      next.push(x === any || y === any ? fits[j + 1] || next[j] : fits[j] && alike(x, y));
    });
    fits = next;
  }
  return fits.at(-1) === true;
}
