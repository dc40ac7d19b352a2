/**
 * Which tasks may not run at the same time: those whose path patterns could name the same file. Pure, and cautious: segments
 * that cannot be compared (brackets, braces) count as overlapping, because a needless wait costs less than a merge conflict.
 *
 * `*` and `?` stay inside a path segment, `**` spans any number of them, and a plain folder covers everything below it.
 */
export const overlapping = (a: readonly string[], b: readonly string[]): boolean =>
  a.some((one) => b.some((other) => meet(read(one), read(other), 0, 0)));

type Pattern = { readonly parts: readonly string[]; readonly folder: boolean };

function read(pattern: string): Pattern {
  const parts = pattern
    .replaceAll("\\", "/")
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  const last = parts.at(-1) ?? "";
  // "src/core" may be a folder; "src/a.ts" and "src/*" are files, unless they end in a slash.
  return { parts, folder: /[\\/]$/.test(pattern) || !/[*?]|.\.\w+$/.test(last) };
}

function meet(a: Pattern, b: Pattern, i: number, j: number): boolean {
  const [x, y] = [a.parts[i], b.parts[j]];
  if (x === undefined && y === undefined) return true;
  if (x === undefined) return a.folder || rest(b, j);
  if (y === undefined) return b.folder || rest(a, i);
  if (x === "**") return meet(a, b, i + 1, j) || meet(a, b, i, j + 1);
  if (y === "**") return meet(a, b, i, j + 1) || meet(a, b, i + 1, j);
  return similar(x, y) && meet(a, b, i + 1, j + 1);
}

const rest = (pattern: Pattern, from: number): boolean =>
  pattern.parts.slice(from).every((part) => part === "**");

const UNCLEAR = /[[\]{}()]/;

/** Whether one name can match both segments. */
function similar(a: string, b: string): boolean {
  if (a === b || UNCLEAR.test(a) || UNCLEAR.test(b)) return true;
  // fits[j]: the part of `a` read so far and the first j characters of `b` can name the same text.
  let fits = new Array<boolean>(b.length + 1).fill(false);
  fits[0] = true;
  for (let j = 1; j <= b.length; j += 1) fits[j] = (fits[j - 1] ?? false) && b[j - 1] === "*";
  for (const c of a) {
    const next = new Array<boolean>(b.length + 1).fill(false);
    next[0] = (fits[0] ?? false) && c === "*";
    for (let j = 1; j <= b.length; j += 1) {
      const d = b[j - 1];
      if (c === "*" || d === "*") next[j] = (fits[j] ?? false) || (next[j - 1] ?? false);
      else next[j] = (fits[j - 1] ?? false) && (c === d || c === "?" || d === "?");
    }
    fits = next;
  }
  return fits[b.length] ?? false;
}
