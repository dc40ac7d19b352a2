/** Signals that a single line shows. Pure. */

import { assertionsIn } from "./assertions.ts";
import { type Block, LINE_MAX } from "./blocks.ts";
import { CODE, FIXTURE, lineOf, type Part, type Signal, type SignalKind, shown, signal } from "./change.ts";
import { casesIn } from "./compare.ts";
import { type Kind, PLATFORM, ROWS, type Row, SAYS } from "./patterns.ts";

const COMMENT =
  /^\s*(?:\/\/(?!go:build|\s*(?:@ts-|eslint|nolint|istanbul|c8|v8|\+build|pylint|rubocop|phpcs))|\*(?!\/|\s*@(?:requires|group|doesNot))|#(?![[!]|\s*(?:type:|mypy|flake8|ruff|pylint|rubocop|define|if\b))|<!--)/;
const CALL_LINES = 3;
const CONDITION = /^\s*(?:\}?\s*else\s+)?(?:if|unless|when|switch|case)\b/;
/** A test that is always skipped is skipped here, too, whatever its reason says. */
const CONDITIONAL =
  /\b(?:if|unless|when|case)\b|skip_?(?:if|unless)|runIf|importorskip|assum|\s\?\s|&&|\|\||\bskip:\s*\w|(?:Enabled|Disabled)(?:On|For|If)|go:build/i;
/** What a new test does to itself takes nothing from those that were there. */
const OF_TESTS: readonly SignalKind[] = ["skipped", "hollow", "swallowed"];

export function lineSignals(part: Part): Signal[] {
  const { path, file, removed, where } = part;
  // The settings of a new part of the project judge nothing that was there; see shadows().
  const isNewJudge =
    file.kind === "new" && ["settings", "pipeline"].includes(where) && !path.endsWith(".gitattributes");
  if ((where === "code" && !CODE.test(path)) || FIXTURE.test(path) || isNewJudge) return [];
  const inOld = file.kind === "new" ? [] : part.blocks.filter((one) => !isFresh(path, one));
  const linesOf = (blocks: readonly Block[]): Set<string> => new Set(blocks.flatMap((one) => one.added));
  const old = linesOf(inOld);
  // An error that a helper ignores while it cleans up hides no failure.
  const around = linesOf(
    inOld.filter(({ added, above, below }) => assertionsIn([...above, ...added, ...below]).length > 0),
  );
  const counts = (kind: Kind, line: string): boolean =>
    !OF_TESTS.includes(kind) || (kind === "swallowed" ? around : old).has(line);
  const pairs = part.blocks.flatMap(({ added }) =>
    added.slice(1).map((line, nth) => `${added[nth]} ${line.trim()}`.slice(0, LINE_MAX)),
  );
  /** A call continues in the next lines: "@pytest.mark.skipif(" and the system below it. */
  const whole = (line: string): string => {
    if (!/\(\s*$/.test(line)) return line;
    const at = part.added.indexOf(line);
    return part.added.slice(at, at + CALL_LINES).join(" ");
  };
  /** With the condition above it. */
  const conditioned = (line: string): string => {
    const before = part.added[part.added.indexOf(line) - 1] ?? "";
    return CONDITION.test(before) ? `${before} ${whole(line)}` : whole(line);
  };
  const isHarmless = (row: Row, line: string): boolean => {
    if (row.unless !== PLATFORM) return row.unless?.test(whole(line)) ?? false;
    const text = conditioned(line);
    return CONDITIONAL.test(text) && PLATFORM.test(text);
  };
  return ROWS.filter((row) => row.where.includes(where)).flatMap((row) => {
    const isOne = (line: string): boolean =>
      row.added.test(line) && !COMMENT.test(line) && !isHarmless(row, line);
    const single = part.added.filter((line) => isOne(line) && counts(row.kind, line));
    // "def __eq__(self, other):" and "return True" on a line of its own.
    const isPair = single.length === 0 && row.kind === "harness" && pairs.some(isOne);
    const now = isPair ? pairs.filter(isOne) : single;
    if (now.length <= removed.filter(isOne).length) return [];
    return now
      .slice(-1)
      .map((line) => signal(row.kind, path, lineOf(part, line), `${SAYS[row.kind]}: ${shown(line)}`));
  });
}

/** Lines that only add tests. */
const isFresh = (path: string, { removed, added }: Block): boolean =>
  removed.every((line) => line.trim() === "") && casesIn(path, added).length > 0;
