/** The differences between two texts, line by line. Pure. */
import { diffLines } from "diff";

export type DiffLine = { readonly sign: "+" | "-" | " " | "@"; readonly text: string };
type Part = { readonly sign: "+" | "-" | " "; readonly texts: readonly string[] };

const AROUND = 3;
/** Changed lines up to which the shortest difference is looked for: the time grows with their square. */
const EDITS_MAX = 1_000;

export function changed(before: string, after: string): DiffLine[] {
  const lines: DiffLine[] = [];
  const parts = partsOf(before, after);
  for (const [i, { sign, texts }] of parts.entries()) {
    if (sign !== " " || texts.length <= AROUND * 2 + 1) {
      for (const text of texts) lines.push({ sign, text });
      continue;
    }
    const head = i === 0 ? [] : texts.slice(0, AROUND);
    const tail = i === parts.length - 1 ? [] : texts.slice(-AROUND);
    lines.push(...head.map((text) => ({ sign: " ", text }) as const));
    lines.push({ sign: "@", text: `${texts.length - head.length - tail.length} lines unchanged` });
    lines.push(...tail.map((text) => ({ sign: " ", text }) as const));
  }
  return lines;
}

function partsOf(before: string, after: string): Part[] {
  const found = diffLines(ended(before), ended(after), { maxEditLength: EDITS_MAX });
  if (!found) return linear(linesOf(before), linesOf(after));
  return found.map(({ value, added, removed }) => ({
    sign: added ? "+" : removed ? "-" : " ",
    texts: linesOf(value),
  }));
}

/** A text that ends without a line break has the same last line as one with it. */
const ended = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/**
 * In linear time, for texts that differ much: lines that are in both stay, in the order of the new text, as far as they are behind
 * the last one that stayed. A line that is in both texts at the same place of the order is never shown as changed.
 */
function linear(before: readonly string[], after: readonly string[]): Part[] {
  const places = new Map<string, number[]>();
  for (const [i, line] of before.entries()) {
    const known = places.get(line);
    if (known) known.push(i);
    else places.set(line, [i]);
  }
  const stays = increasing(uniquePairs(places, after));
  const parts: { readonly sign: Part["sign"]; readonly texts: string[] }[] = [];
  const add = (sign: Part["sign"], texts: readonly string[]): void => {
    if (texts.length === 0) return;
    if (parts.at(-1)?.sign !== sign) parts.push({ sign, texts: [] });
    for (const text of texts) parts.at(-1)?.texts.push(text);
  };
  let [old, fresh] = [0, 0];
  const upTo = (oldEnd: number, freshEnd: number): void => {
    // Equal lines around a line that stays, also where they are in the text several times.
    let head = 0;
    while (old + head < oldEnd && fresh + head < freshEnd && before[old + head] === after[fresh + head])
      head += 1;
    add(" ", before.slice(old, old + head));
    let tail = 0;
    const most = Math.min(oldEnd - old, freshEnd - fresh) - head;
    while (tail < most && before[oldEnd - 1 - tail] === after[freshEnd - 1 - tail]) tail += 1;
    add("-", before.slice(old + head, oldEnd - tail));
    add("+", after.slice(fresh + head, freshEnd - tail));
    add(" ", before.slice(oldEnd - tail, oldEnd));
    [old, fresh] = [oldEnd, freshEnd];
  };
  for (const [oldAt, freshAt] of stays) upTo(oldAt, freshAt);
  upTo(before.length, after.length);
  return parts;
}

type Pair = readonly [old: number, fresh: number];

/** Lines that are once in each text, in the order of the new one. */
function uniquePairs(places: ReadonlyMap<string, readonly number[]>, after: readonly string[]): Pair[] {
  const counts = new Map<string, number>();
  for (const line of after) counts.set(line, (counts.get(line) ?? 0) + 1);
  return after.flatMap((line, fresh): Pair[] => {
    const [old, second] = places.get(line) ?? [];
    return old !== undefined && second === undefined && counts.get(line) === 1 ? [[old, fresh]] : [];
  });
}

/** The longest part of the pairs in which both places grow. */
function increasing(pairs: readonly Pair[]): Pair[] {
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [i, [old]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] as number] as Pair)[0] < old) low = middle + 1;
      else high = middle;
    }
    previous[i] = low === 0 ? -1 : (ends[low - 1] as number);
    ends[low] = i;
  }
  const found: Pair[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] as number) found.push(pairs[at] as Pair);
  return found.reverse();
}
