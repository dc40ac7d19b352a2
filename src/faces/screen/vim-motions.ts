/** Motions of vim within a line, which is a list of graphemes: where they lead, and what an operator takes with them. */

const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" });
export const graphemes = (text: string): string[] =>
  [...segments.segment(text)].map(({ segment }) => segment);

type Cells = readonly string[];
const kindOf = (cell: string | undefined): "end" | "blank" | "word" | "mark" =>
  cell === undefined ? "end" : /^\s/.test(cell) ? "blank" : /^[\p{L}\p{N}_]/u.test(cell) ? "word" : "mark";

/** The end of the run of its kind, exclusive. */
function runEnd(cells: Cells, at: number): number {
  const kind = kindOf(cells[at]);
  let end = at;
  while (end < cells.length && kindOf(cells[end]) === kind) end += 1;
  return end;
}

function runStart(cells: Cells, at: number): number {
  let start = at;
  while (start > 0 && kindOf(cells[start - 1]) === kindOf(cells[at])) start -= 1;
  return start;
}

const over = (cells: Cells, at: number): number => (kindOf(cells[at]) === "blank" ? runEnd(cells, at) : at);

const STEPS: Readonly<Record<string, (cells: Cells, at: number) => number>> = {
  h: (_, at) => at - 1,
  l: (_, at) => at + 1,
  "0": () => 0,
  "^": (cells) => over(cells, 0),
  $: (cells) => cells.length,
  w: (cells, at) => over(cells, kindOf(cells[at]) === "blank" ? at : runEnd(cells, at)),
  e: (cells, at) => Math.max(at, runEnd(cells, over(cells, at + 1)) - 1),
  b: (cells, at) => {
    let back = at - 1;
    while (back > 0 && kindOf(cells[back]) === "blank") back -= 1;
    return runStart(cells, Math.max(0, back));
  },
};

/** From 0 to the length of the line; null where there is no such place. */
export function motion(cells: Cells, at: number, key: string, count: number): number | null {
  const step = STEPS[key];
  if (step) {
    let to = at;
    for (let i = 0; i < count; i += 1) to = Math.max(0, Math.min(cells.length, step(cells, to)));
    return to;
  }
  const [how = "", ...rest] = key;
  const wanted = rest.join("");
  const by = /[ft]/.test(how) ? 1 : -1;
  let found = at;
  for (let i = 0; i < count; i += 1) {
    do found += by;
    while (found >= 0 && found < cells.length && cells[found] !== wanted);
    if (found < 0 || found >= cells.length) return null;
  }
  return /[tT]/.test(how) ? found - by : found;
}

/** What an operator takes: from, and to, exclusive. */
export function reach(
  cells: Cells,
  at: number,
  key: string,
  count: number,
  op: string,
  to: number,
): readonly [number, number] {
  // `cw` leaves the blanks behind the word.
  if (key === "w" && op === "c" && kindOf(cells[at]) !== "blank") {
    const last = motion(cells, at, "w", count - 1) ?? at;
    return [at, runEnd(cells, last)];
  }
  return to < at ? [to, at] : [at, /^[eft]/.test(key) ? Math.min(cells.length, to + 1) : to];
}

/** The run at the cursor; `isAround`: with the blanks behind it, or before it. */
export function wordAt(cells: Cells, at: number, isAround: boolean): readonly [number, number] {
  const [from, to] = [runStart(cells, at), runEnd(cells, at)];
  if (!isAround) return [from, to];
  if (kindOf(cells[to]) === "blank" || kindOf(cells[at]) === "blank") return [from, runEnd(cells, to)];
  return [from > 0 && kindOf(cells[from - 1]) === "blank" ? runStart(cells, from - 1) : from, to];
}
