/** The data of tests: rows and lists of inputs that get fewer. Pure. */
import type { Block } from "./blocks.ts";
import { type Part, type Signal, shown, signal } from "./change.ts";

/** A row of a test that is gone, or a list that is shorter. */
export const lostRow = (block: Block, part: Part): string | null =>
  fewerRows(block) ?? fewerCases(block, part);

/** Rows of a file of data that are gone, or are other ones. */
export const dataSignals = (part: Part): Signal[] =>
  part.blocks.flatMap((block) => {
    const row = fewerCases(block, part);
    const says = row === null ? "data of the tests is another" : `the tests have fewer rows: ${shown(row)}`;
    return block.removed.length === 0
      ? []
      : [signal(row === null ? "expected" : "fewer", part.path, block.line, says, row === null)];
  });

const DATA =
  /\.(?:each|for|with)\s*\(|parametrize\s*\(|@(?:CsvSource|ValueSource|DataProvider|TestWith)|^\s*(?:where|cases|tests|table)\b.*[[{]/;

/** A list of the inputs of a test that is shorter. */
function fewerRows({ removed, added }: Block): string | null {
  const size = (line: string): number => line.split(/[,|]/).length;
  const before = removed.filter((line) => DATA.test(line));
  const after = added.filter((line) => DATA.test(line));
  const at = before.findIndex((line, nth) => {
    const now = after[nth];
    return now !== undefined && headOf(now) === headOf(line) && size(now) < size(line);
  });
  return at === -1 ? null : (after[at] ?? null);
}

/** A row of a table of cases. */
const ROW = /^\s*(?:(?:yield\s+)?(?:[[({]|&?\w*\{).+[\])}]|(["']).*,.*\1)\s*,?;?\s*$/;
const NARROWS = /\.(?:slice|filter|take|first|skip|drop|head|tail|limit)\s*\(|\[\d*:\d*\]/g;
const LOOP = /\b(?:for|each|forEach|parametrize|range|foreach)\b/;

/** Rows of data that are gone, with nothing in their place; or a loop that takes only some of them. */
function fewerCases(block: Block, part: Part): string | null {
  const rows = (lines: readonly string[]): string[] =>
    lines.filter((line) => ROW.test(line) && !/\b(?:import|require)\b/.test(line));
  const [lost, came] = [rows(block.removed), rows(block.added)];
  const isData =
    lost.length > came.length && block.removed.every((line) => line.trim() === "" || ROW.test(line));
  if (isData && rows(part.removed).length > rows(part.added).length) return lost[0] ?? null;
  const times = (lines: readonly string[]): number =>
    lines.flatMap((line) => line.match(NARROWS) ?? []).length;
  const [before, after] = [block.removed, block.added].map((lines) =>
    lines.filter((line) => LOOP.test(line)),
  );
  return before && after && before.length > 0 && times(after) > times(before) ? (after[0] ?? null) : null;
}

const headOf = (line: string): string => line.trim().split(/[[{]/)[0] ?? "";
