/** The lines of a file that an edit most likely meant, for an edit whose text is not in it. Its time and its size are limited. */
import { cutEnd } from "../../core/text/valid.ts";

const SHOWN = 12;
const LINE_CHARS = 300;
/** The characters of one line that are compared. */
const COMPARED_CHARS = 160;
const LIKE = 0.5;
const WHILE_MS = 250;
/** Places that are compared as a whole, and the lines of each. */
const PLACES = 12;
const PLACE_LINES = 30;

/** A sentence with the lines and their numbers: the same text with other white space, or the place that is most like `old`. */
export function nearestLines(text: string, old: string): string {
  const lines = text.split(/\r?\n/);
  const wanted = old.split(/\r?\n/).map(squeeze);
  while (wanted.length > 1 && wanted[0] === "") wanted.shift();
  while (wanted.length > 1 && wanted.at(-1) === "") wanted.pop();
  const squeezed = lines.map(squeeze);
  const same = squeezed.findIndex((_, i) => wanted.every((line, j) => squeezed[i + j] === line));
  if (same !== -1)
    return `With other white space it is at line ${same + 1}:\n${numbered(lines, same, wanted.length)}`;
  const best = mostAlike(squeezed, wanted);
  if (best === null) return "Nothing in it is similar. Read the file again.";
  return `Most like it is line ${best + 1}:\n${numbered(lines, best, wanted.length)}`;
}

/** The longest line of `wanted` finds places; those are compared as a whole. */
function mostAlike(lines: readonly string[], wanted: readonly string[]): number | null {
  const until = Date.now() + WHILE_MS;
  const key = wanted.reduce((best, line, at) => (line.length > (wanted[best]?.length ?? 0) ? at : best), 0);
  const found: { readonly at: number; readonly score: number }[] = [];
  for (const [at, line] of lines.entries()) {
    if (at % 256 === 0 && Date.now() > until) break;
    const score = likeness(line, wanted[key] ?? "");
    if (score > LIKE) found.push({ at: Math.max(0, at - key), score });
  }
  found.sort((a, b) => b.score - a.score);
  const several = wanted.slice(0, PLACE_LINES);
  const whole = found.slice(0, PLACES).map(({ at, score }) => {
    const scores = several.map((line, i) => likeness(lines[at + i] ?? "", line));
    return { at, score: score + scores.reduce((sum, one) => sum + one, 0) / several.length };
  });
  return (
    whole.reduce<(typeof whole)[number] | null>(
      (best, one) => (best && best.score >= one.score ? best : one),
      null,
    )?.at ?? null
  );
}

const squeeze = (line: string): string => line.trim().replace(/\s+/g, " ");

function numbered(lines: readonly string[], from: number, count: number): string {
  const shown = lines.slice(from, from + Math.min(count, SHOWN));
  return shown.map((line, i) => `${from + i + 1}\t${cutEnd(line, LINE_CHARS)}`).join("\n");
}

/** The share of common pairs of letters, 0 to 1. */
function likeness(long: string, other: string): number {
  const [a, b] = [long.slice(0, COMPARED_CHARS), other.slice(0, COMPARED_CHARS)];
  if (a === b) return 1;
  if (a === "" || b === "" || Math.max(a.length, b.length) > 3 * Math.min(a.length, b.length)) return 0;
  const pairs = new Map<string, number>();
  for (let i = 0; i < b.length - 1; i += 1)
    pairs.set(b.slice(i, i + 2), (pairs.get(b.slice(i, i + 2)) ?? 0) + 1);
  let shared = 0;
  for (let i = 0; i < a.length - 1; i += 1) {
    const left = pairs.get(a.slice(i, i + 2)) ?? 0;
    if (left > 0) {
      shared += 1;
      pairs.set(a.slice(i, i + 2), left - 1);
    }
  }
  return (2 * shared) / Math.max(1, a.length + b.length - 2);
}
