/** Comparisons of a file before and after a change: fewer tests, tests that end early, lower limits. Pure. */
import { assertionsIn, isCode, type Pair } from "./assertions.ts";
import type { Block } from "./blocks.ts";

/** The beginning of a test, by the ending of its file. */
const CASES: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\.[cm]?[jt]sx?$|\.vue$|\.svelte$/,
    /(?:^|[^\w.$])(?:it|test|specify|[a-z]\.test|Deno\.test|QUnit\.test)(?:\.\w+)*\s*(?:\(|`)/,
  ],
  [/\.py$/, /^\s*(?:async\s+)?def\s+test\w*\s*\(|^\s*>>> /],
  [/\.go$/, /^func\s+(?:Test|Fuzz|Example)(?![a-z])\w*\s*\(|\bt\.Run\s*\(/],
  [/\.rs$/, /#\[(?:\w+::)*(?:test|rstest|case|test_case|quickcheck|proptest)\b/],
  [
    /\.(?:java|kts?|scala|groovy|cs|fs|vb)$/,
    /@(?:Test|ParameterizedTest|RepeatedTest|Property|TestFactory)\b|\[(?:Fact|Theory|Test|TestMethod|TestCase|DataRow|InlineData)\b|^\s*(?:test|it|should)\s*\(\s*"/,
  ],
  [
    /\.rb$|\.cr$/,
    /^\s*(?:it|specify|test|scenario|example|its)\s*[('"{]|^\s*(?:it|specify|example)\s+do\b|^\s*(?:it|test|specify|scenario)\s+['"]|^\s*def\s+test_/,
  ],
  [/\.php$/, /\bfunction\s+test\w*\s*\(|#\[Test\]|@test\b|^\s*(?:it|test)\s*\(/],
  [
    /\.(?:c|cc|cpp|h|hpp)$/,
    /^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TEST_CASE|SCENARIO|BOOST_AUTO_TEST_CASE|START_TEST)\s*\(/,
  ],
  [
    /\.(?:swift|exs?|dart|zig|hs|lua|jl|ml)$/,
    /\bfunc\s+test\w*\s*\(|@Test\b|^\s*(?:test|it|testWidgets)\s*[("]|^\s*test\s+"|@testset|@test\b/,
  ],
  [/\.(?:bats|sh|feature|t)$/, /^@test\s|^\s*test_\w+\s*\(\)|^\s*Scenario/],
];
const casePattern = (path: string): RegExp | undefined => CASES.find(([ending]) => ending.test(path))?.[1];

/** The tests that these lines begin. */
export function casesIn(path: string, lines: readonly string[]): string[] {
  const pattern = casePattern(path);
  return pattern ? lines.filter((line) => isCode(line) && pattern.test(line)) : [];
}

/** A statement that ends a test, or a loop of it, before the lines that follow it at the same depth. Null: there is none. */
export function cutShort({ added, below }: Block): string | null {
  const last = added.findLast((line) => line.trim() !== "");
  const next = below.find((line) => line.trim() !== "");
  if (next === undefined || last === undefined) return null;
  const [, depth] = ENDS_HERE.exec(last) ?? [];
  return depth !== undefined &&
    !CONDITIONAL.test(last) &&
    /^\s*/.exec(next)?.[0] === depth &&
    !BEGINS_OTHER.test(next)
    ? last.trim()
    : null;
}
/** Whole: it does not continue in the next line. */
const ENDS_HERE =
  /^(\s+)(?:return\b(?:.*[\w)\]}"'`])?|break|continue|next|done\(\)|(?:raise|throw)\b.*[\w)"'])\s*;?\s*$/;
const CONDITIONAL = /\s(?:if|unless)\s/;
const BEGINS_OTHER =
  /^\s*(?:[})\]#.?:&|+*/-]|<\/|end\b|(?:else|case|default|elif|except|finally|rescue|ensure|when|in|catch)\b|def |func |fn |function |class |async |@|\w+:\s*$|(?:public|private|protected|static|export)\b)/;

/** A condition under which a test ends before assertions that follow at the same depth. Null: there is none. */
export function cutByCondition({ added, below }: Block): string | null {
  const lines = [...added, ...below];
  const at = added.findIndex(
    (line, nth) => ENDS_IF.test(line) || (OPENS_IF.test(line) && ENDS.test(added[nth + 1] ?? "")),
  );
  const cut = added[at];
  if (cut === undefined) return null;
  const depth = /^\s*/.exec(cut)?.[0];
  const rest = lines.slice(at + 1);
  const end = rest.findIndex(
    (line) => line.trim() !== "" && (/^\s*/.exec(line)?.[0].length ?? 0) < (depth?.length ?? 0),
  );
  const same = rest.slice(0, end === -1 ? undefined : end).filter((line) => /^\s*/.exec(line)?.[0] === depth);
  return assertionsIn(same).some((line) => !added.includes(line)) ? cut.trim() : null;
}
const OPENS_IF = /^\s*if\b.*[{:]\s*$/;
const ENDS = /^\s*(?:return|continue)\s*;?\s*$/;
const ENDS_IF =
  /^\s*if\b.*[):]\s*\{?\s*(?:return|continue)\s*;?\s*\}?\s*$|^\s*(?:return|next)\s+(?:if|unless)\b/;

const LIMIT =
  /["']?(\b(?:lines|branches|functions|statements|fail_under|fail-under|cov-fail-under|minimum_coverage|minimum|threshold|thresholds?|target|coverage|min_coverage|minCoverage|covered-ratio|min-lines|msi|minMsi|break|high|low|global|(?<=--|^\s*)level)\b)["']?\s*[:=(>\s]\s*["']?(\d+(?:\.\d+)?)/gi;
const CEILING =
  /["']?(\bmax[-_]?warnings|maxWarnings|max-complexity|max_?complexity|tolerance|allowed_?failures\b)["']?\s*[:=(\s]\s*["']?(\d+(?:\.\d+)?)/gi;

/** Limits that are lower (a coverage) or higher (a number of warnings) than they were, or that are gone. */
export function lowered(removed: readonly string[], added: readonly string[]): Pair[] {
  return [
    ...moved(
      removed,
      added,
      (line) => line.matchAll(LIMIT),
      (before, after) => after < before,
    ),
    ...moved(
      removed,
      added,
      (line) => line.matchAll(CEILING),
      (before, after) => after > before,
    ),
  ];
}

function moved(
  removed: readonly string[],
  added: readonly string[],
  numbersIn: (line: string) => Iterable<RegExpExecArray>,
  isWorse: (before: number, after: number) => boolean,
): Pair[] {
  const of = (lines: readonly string[]) =>
    lines
      .filter(isCode)
      .flatMap((line) =>
        [...numbersIn(line)].map(([, name = "", value]) => ({ line, name, value: Number(value) })),
      );
  const now = of(added);
  return of(removed).flatMap(({ line, name, value }) => {
    const at = now.findIndex((one) => one.name === name);
    if (at === -1) return name === "target" ? [] : [{ before: line.trim(), after: "" }];
    const [after] = now.splice(at, 1);
    return after && isWorse(value, after.value) ? [{ before: line.trim(), after: after.line.trim() }] : [];
  });
}
