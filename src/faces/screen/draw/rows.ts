/**
 * The bytes that turn the rows on a terminal into others, few of them: rows that moved are scrolled by the terminal (DECSTBM, and
 * line feeds, which every terminal knows), and of a row that changed only the changed columns are written.
 */
import { visibleWidth } from "@earendil-works/pi-tui";

const RESET = "\x1b[0m";
const LINK_END = "\x1b]8;;\x07";
/** Unchanged columns that are written again, because going to a place costs as much. */
const GAP = 7;
/** The cost of a scroll, in bytes: it must save more. */
const SCROLL_COST = 24;

const NARROW_MAX = 5_000;

/** The character in a column, and the sequences that set its looks. */
type Cell = { readonly text: string; readonly style: string };

/** `was`: the shown rows of the terminal. Both without the mark of the cursor and not wider than the terminal. */
export function changedRows(was: readonly string[], now: readonly string[]): string {
  const scroll = scrollBetween(was, now);
  const shown = scroll === null ? was : scrolled(was, scroll);
  const written = now.map((line, row) =>
    line === shown[row] ? "" : changedColumns(shown[row] ?? "", line, row),
  );
  return (scroll === null ? "" : scrollBytes(scroll)) + written.join("");
}

/** Over rows of which nothing is known. */
export const wholeRows = (now: readonly string[]): string => now.map(wholeRow).join("");

const wholeRow = (line: string, row: number): string =>
  `${goTo(row, 0)}\x1b[2K${line}${line === "" ? "" : RESET + LINK_END}`;

export const goTo = (row: number, column: number): string => `\x1b[${row + 1};${column + 1}H`;

/** Rows `from` to `to`, both included, move up by `by`; a negative number moves them down. */
type Scroll = { readonly from: number; readonly to: number; readonly by: number };

/** The move that saves the most bytes, or null. */
function scrollBetween(was: readonly string[], now: readonly string[]): Scroll | null {
  const places = new Map<string, number[]>();
  for (const [row, line] of was.entries())
    if (line.trim() !== "") places.set(line, [...(places.get(line) ?? []), row]);
  const shifts = new Set<number>();
  for (const [row, line] of now.entries())
    if (line !== was[row]) for (const place of places.get(line) ?? []) shifts.add(place - row);
  let best: (Scroll & { readonly saved: number }) | null = null;
  for (const by of shifts) {
    let run: { from: number; saved: number } | null = null;
    for (let row = 0; row <= now.length; row += 1) {
      const line = now[row];
      const fits = line !== undefined && row + by >= 0 && row + by < was.length && line === was[row + by];
      if (fits) {
        run ??= { from: row, saved: 0 };
        if (line !== was[row]) run.saved += line.length;
        // It would have stayed as it is; it moves along.
        continue;
      }
      if (run) {
        const last = row - 1;
        const scroll = { from: Math.min(run.from, run.from + by), to: Math.max(last, last + by), by };
        const lost = lostBy(scroll, was, now);
        const saved = run.saved - lost - SCROLL_COST - Math.abs(by);
        if (saved > 0 && saved > (best?.saved ?? 0)) best = { ...scroll, saved };
      }
      run = null;
    }
  }
  return best && { from: best.from, to: best.to, by: best.by };
}

/** The characters that stood right already and are empty after the move. */
function lostBy({ from, to, by }: Scroll, was: readonly string[], now: readonly string[]): number {
  let lost = 0;
  const [first, last] = by > 0 ? [to - by + 1, to] : [from, from - by - 1];
  for (let row = first; row <= last; row += 1) if (was[row] === now[row]) lost += now[row]?.length ?? 0;
  return lost;
}

function scrolled(was: readonly string[], { from, to, by }: Scroll): string[] {
  return was.map((line, row) => {
    if (row < from || row > to) return line;
    const source = row + by;
    return source < from || source > to ? "" : (was[source] ?? "");
  });
}

function scrollBytes({ from, to, by }: Scroll): string {
  const region = `\x1b[${from + 1};${to + 1}r`;
  const moves = by > 0 ? goTo(to, 0) + "\n".repeat(by) : goTo(from, 0) + "\x1bM".repeat(-by);
  return `${region}${moves}\x1b[r`;
}

/** The changes of one row. A row with a character that is not one column wide is written whole: terminals do not agree about all of them. */
function changedColumns(was: string, now: string, row: number): string {
  const before = cellsOf(was);
  const after = cellsOf(now);
  if (!before || !after) return wholeRow(now, row);
  let output = "";
  let style = "";
  /** Columns that stay, behind what was written last; null before the first. */
  let skipped: Cell[] | null = null;
  const put = (cell: Cell): void => {
    if (cell.style !== style) output += (style === "" ? "" : resetOf(style)) + cell.style;
    style = cell.style;
    output += cell.text;
  };
  for (const [column, cell] of after.entries()) {
    const there = before[column];
    if (there?.text === cell.text && there.style === cell.style) {
      skipped?.push(cell);
      continue;
    }
    if (skipped && skipped.length <= GAP && skipped.every((one) => one.style === style)) skipped.forEach(put);
    else output += goTo(row, column);
    skipped = [];
    put(cell);
  }
  if (style !== "") output += resetOf(style);
  if (before.length > after.length) output += `${skipped?.length === 0 ? "" : goTo(row, after.length)}\x1b[K`;
  return output;
}

const resetOf = (style: string): string => RESET + (style.includes("\x1b]8;") ? LINK_END : "");

const PART = new RegExp(
  [
    "(?<sgr>\\x1b\\[[\\d;:]*m)",
    "(?<link>\\x1b\\]8;[^\\x07\\x1b]*(?:\\x07|\\x1b\\\\))",
    "(?<other>\\x1b(?:\\[[\\d;?<>=]*[ -/]*[@-~]|\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)?|.))",
    "(?<text>[^\\x1b]+)",
  ].join("|"),
  "gs",
);

/** One a column; null where a character takes more or less than one. */
function cellsOf(line: string): Cell[] | null {
  const cells: Cell[] = [];
  const set = new Map<string, string>();
  let link = "";
  let style = "";
  for (const { groups } of line.matchAll(PART)) {
    const { sgr, link: found, text = "" } = groups ?? {};
    if (sgr !== undefined) applySgr(set, sgr.slice(2, -1));
    else if (found !== undefined) link = found.replace("\x1b\\", "\x07") === LINK_END ? "" : found;
    style = [...set.values()].join("") + link;
    for (const character of text) {
      if (!isNarrow(character)) return null;
      cells.push({ text: character, style });
    }
  }
  return cells;
}

const narrow = new Map<string, boolean>();

function isNarrow(character: string): boolean {
  if (character >= " " && character <= "~") return true;
  const known = narrow.get(character);
  if (known !== undefined) return known;
  const found = visibleWidth(character) === 1 && !/\p{Extended_Pictographic}|\p{M}|\p{Cf}/u.test(character);
  if (narrow.size < NARROW_MAX) narrow.set(character, found);
  return found;
}

/** The codes that each code ends; those of one group replace each other. */
const ENDS: Readonly<Record<number, readonly string[]>> = {
  22: ["1", "2"],
  23: ["3"],
  24: ["4"],
  25: ["5"],
  27: ["7"],
  28: ["8"],
  29: ["9"],
  39: ["fg"],
  49: ["bg"],
  55: ["53"],
  59: ["ul"],
};
const LONG: Readonly<Record<number, string>> = { 38: "fg", 48: "bg", 58: "ul" };

function applySgr(set: Map<string, string>, codes: string): void {
  const list = codes === "" ? ["0"] : codes.split(";");
  for (let i = 0; i < list.length; i += 1) {
    const word = list[i] ?? "";
    const code = Number.parseInt(word, 10) || 0;
    const put = (group: string, text: string): void => {
      set.delete(group);
      set.set(group, `\x1b[${text}m`);
    };
    const group = LONG[code];
    if (code === 0) set.clear();
    else if (ENDS[code]) for (const one of ENDS[code]) set.delete(one);
    else if (group !== undefined) {
      const length = word.includes(":") ? 1 : list[i + 1] === "5" ? 3 : 5;
      put(group, list.slice(i, i + length).join(";"));
      i += length - 1;
    } else if ((code >= 30 && code < 38) || (code >= 90 && code < 98)) put("fg", word);
    else if ((code >= 40 && code < 48) || (code >= 100 && code < 108)) put("bg", word);
    else put(String(code === 21 ? 4 : code), word);
  }
}
