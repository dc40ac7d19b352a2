/** The number of test cases that a gate ran, as its runner says it. Pure. */
import { plainText } from "../text/plain-text.ts";

/** A line of a summary, the numbers in it that are cases that ran, and those to take off. The first row that knows a line counts. */
type Row = readonly [line: RegExp, ran: RegExp, off?: RegExp];
const ROWS: readonly Row[] = [
  [/^(?:#|ℹ) tests \d+$/, /(\d+)/g], // node, TAP
  [/^(?:#|ℹ) (?:skipped|todo) \d+$/, /$^/g, /(\d+)/g],
  [/^\s*Tests:? {2,}.*\d+ (?:passed|failed|skipped|todo|total)/, /(\d+) (?:passed|failed)/g], // vitest, jest
  [/^test result: /, /(\d+) (?:passed|failed)/g], // cargo
  [/^(?:ok|FAILED) \| \d+ passed/, /(\d+) (?:passed|failed)/g], // deno
  [/^Ran \d+ tests? (?:in|across) /, /Ran (\d+)/g], // unittest, bun
  [/^(?:OK|FAILED) \(.*skipped=\d+/, /$^/g, /skipped=(\d+)/g],
  [/^\d+ runs, \d+ assertions/, /(\d+) runs/g, /(\d+) skips/g], // minitest
  [/^\d+ (?:examples?|tests?), \d+ failures?/, /^(\d+)/g, /(\d+) (?:pending|skipped|excluded)/g], // rspec, ExUnit
  [/^OK \(\d+ tests?, /, /(\d+) test/g], // phpunit
  [/^Tests: \d+, Assertions: /, /Tests: (\d+)/g, /(?:Skipped|Incomplete): (\d+)/g],
  [/Tests run: \d+, (?!.*Time elapsed)/, /Tests run: (\d+)/g, /Skipped: (\d+)/g], // surefire
  [/^(?:Passed|Failed)! +- Failed:/, /(?:Passed|Failed): +(\d+)/g], // dotnet
  [/tests passed, \d+ tests failed out of \d+/, /out of (\d+)/g], // ctest
  [/^\[=+\] \d+ tests? from .* ran\./, /\] (\d+)/g], // googletest
  [
    /^=*\s*(?:\d+ \w+, )*\d+ (?:passed|failed|errors?|skipped|xfailed)\b.* in [\d.]+s/,
    /(\d+) (?:passed|failed|error)/g,
  ], // pytest
  [/^\s*\d+ (?:passing|failing)\b/, /^\s*(\d+)/g], // mocha
  [/^\s*\d+ (?:passed|failed|tests? passed) ?\(?/, /^\s*(\d+)/g], // playwright, ava
];
/** Lines that stand for one case each, where no summary does. */
const SINGLE: readonly RegExp[] = [
  /^\s*--- (?:PASS|FAIL): /, // go test -v
  /^ok\s+\S+\s+(?:[\d.]+s|\(cached\))(?!.*\[no tests to run\])/, // go test: packages
  /^(?:not )?ok \d+\b(?!.* # (?:SKIP|TODO))/i, // TAP
];
const NONE =
  /^=*\s*no tests ran\b|^No tests (?:executed|found)|^running 0 tests$|\[no tests? (?:files|to run)\]/i;

/** A summary is no longer than that. */
const LINE_MAX = 1_000;

/** Null: the output does not say it. */
export function casesRun(output: string): number | null {
  const lines = plainText(output)
    .split("\n")
    .map((line) => line.slice(0, LINE_MAX).trimEnd());
  const sum = (line: string, of: RegExp): number => {
    let found = 0;
    line.replace(of, (_, number) => {
      found += Number(number);
      return "";
    });
    return found;
  };
  let total: number | null = null;
  for (const line of lines) {
    const row = ROWS.find(([known]) => known.test(line));
    if (row) total = (total ?? 0) + sum(line, row[1]) - (row[2] ? sum(line, row[2]) : 0);
  }
  if (total !== null) return Math.max(0, total);
  for (const single of SINGLE) {
    const found = lines.filter((line) => single.test(line)).length;
    if (found > 0) return found;
  }
  return lines.some((line) => NONE.test(line)) ? 0 : null;
}

/** A run of half of the cases of the target, or less, judges nothing. */
export const isHollowRun = (ran: number | null, before: number): boolean => (ran ?? 0) * 2 <= before;
