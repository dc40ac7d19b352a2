/** The lines of a diff in pieces: with the colours of code, and with marks on the words that are different in a line that was changed. Pure. */
import { diffWordsWithSpace } from "diff";
import { type CodePart, codeParts, languageOf } from "../../../../core/text/code-parts.ts";
import type { PatchFile, PatchLine } from "../../../../core/text/diff.ts";
import { spellHidden } from "../../../../core/text/hidden.ts";

export type Piece = { readonly kind: CodePart["kind"]; readonly text: string; readonly isMarked: boolean };
/** From and to, in characters of the line. */
type Mark = readonly [from: number, to: number];

/** A longer line is shown without colours and marks: nobody reads it by words. */
const LINE_MAX = 600;
/** Of two lines, the shorter one must be in the other one for this share: else they are two lines, not one that was changed. */
const SAME_LEAST = 0.4;

/** For each line of the file its pieces, which together are the line with its hidden characters spelled out. */
export function piecesOf({ path, lines }: Pick<PatchFile, "path" | "lines">): Piece[][] {
  const texts = lines.map(({ text }) => spellHidden(text));
  const marks = marksOf(lines, texts);
  const language = languageOf(path);
  const colours = lines.map((): readonly CodePart[] => []);
  // Each hunk is read once as it was and once as it is: a comment or a text may go over several lines.
  for (const [from, to] of hunksOf(lines))
    for (const gone of ["+", "-"] as const) {
      const rows = range(from, to).filter((i) => lines[i]?.sign !== gone);
      for (const [nth, parts] of coloured(rows, texts, language)) colours[nth] = parts;
    }
  return texts.map((text, i) =>
    cut(colours[i]?.length ? (colours[i] ?? []) : [{ kind: "", text }], marks[i] ?? []),
  );
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

function hunksOf(lines: readonly PatchLine[]): Mark[] {
  const starts = lines.flatMap(({ sign }, i) => (sign === "@" ? [i] : []));
  return starts.map((at, i) => [at + 1, starts[i + 1] ?? lines.length]);
}

function coloured(
  rows: readonly number[],
  texts: readonly string[],
  language: string,
): Map<number, CodePart[]> {
  const found = new Map<number, CodePart[]>();
  const short = rows.filter((i) => (texts[i]?.length ?? 0) <= LINE_MAX);
  let nth = 0;
  for (const { kind, text } of codeParts(short.map((i) => texts[i]).join("\n"), language))
    for (const [i, part] of text.split("\n").entries()) {
      if (i > 0) nth += 1;
      const row = short[nth];
      if (part === "" || row === undefined) continue;
      const parts = found.get(row) ?? [];
      parts.push({ kind, text: part });
      found.set(row, parts);
    }
  return found;
}

/** The nth removed line of a change is compared with the nth added one. */
function marksOf(lines: readonly PatchLine[], texts: readonly string[]): Mark[][] {
  const marks = lines.map((): Mark[] => []);
  for (let i = 0; i < lines.length; ) {
    const middle = skip(lines, i, "-");
    const end = skip(lines, middle, "+");
    for (let n = 0; n < Math.min(middle - i, end - middle); n += 1) {
      const [old, fresh] = [i + n, middle + n];
      const found = wordMarks(texts[old] ?? "", texts[fresh] ?? "");
      if (found) [marks[old], marks[fresh]] = found;
    }
    i = Math.max(end, i + 1);
  }
  return marks;
}

function skip(lines: readonly PatchLine[], from: number, sign: PatchLine["sign"]): number {
  let at = from;
  while (lines[at]?.sign === sign) at += 1;
  return at;
}

function wordMarks(before: string, after: string): [Mark[], Mark[]] | null {
  const longest = Math.max(before.length, after.length);
  if (longest > LINE_MAX) return null;
  const [old, fresh]: [Mark[], Mark[]] = [[], []];
  let [x, y, same] = [0, 0, 0];
  for (const { value, added, removed } of diffWordsWithSpace(before, after)) {
    if (added) fresh.push([y, y + value.length]);
    else if (removed) old.push([x, x + value.length]);
    else same += value.trim().length;
    if (!added) x += value.length;
    if (!removed) y += value.length;
  }
  return same < SAME_LEAST * Math.min(before.trim().length, after.trim().length) ? null : [old, fresh];
}

function cut(parts: readonly CodePart[], marks: readonly Mark[]): Piece[] {
  const edges = marks.flat();
  const pieces: Piece[] = [];
  let at = 0;
  for (const { kind, text } of parts) {
    const end = at + text.length;
    const stops = [at, ...edges.filter((edge) => edge > at && edge < end), end];
    for (const [i, from] of stops.slice(0, -1).entries()) {
      const to = stops[i + 1] as number;
      const isMarked = marks.some(([start, stop]) => start <= from && to <= stop);
      pieces.push({ kind, text: text.slice(from - at, to - at), isMarked });
    }
    at = end;
  }
  return pieces;
}
