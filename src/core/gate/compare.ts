/** Comparisons of a file before and after a change that no single line shows: fewer tests, weaker assertions, lower limits. Pure. */
import type { PatchFile } from "../text/diff.ts";

/** Lines that follow each other and are replaced at once, with the lines around them. */
export type Block = {
  readonly removed: readonly string[];
  readonly added: readonly string[];
  readonly above: readonly string[];
  readonly below: readonly string[];
  /** Of the first line, in the present file. */
  readonly line: number;
  /** Blocks of one hunk are near each other. */
  readonly hunk: number;
};

/** Longer lines are data or generated code. */
export const LINE_MAX = 2_000;
const AROUND = 3;

export function blocksOf(file: PatchFile): Block[] {
  const blocks: Block[] = [];
  let hunk = 0;
  for (let at = 0; at < file.lines.length; ) {
    const from = at;
    if (file.lines[at]?.sign === "@") hunk += 1;
    const isPart = (nth: number): boolean => ["+", "-"].includes(file.lines[nth]?.sign ?? "");
    while (isPart(at)) at += 1;
    if (at === from) {
      at += 1;
      continue;
    }
    const part = file.lines.slice(from, at);
    const of = (sign: string): string[] =>
      part.filter((one) => one.sign === sign).map((one) => one.text.slice(0, LINE_MAX));
    const rest = file.lines.slice(at, at + AROUND);
    const end = rest.findIndex((one) => one.sign !== " ");
    const below = rest.slice(0, end === -1 ? AROUND : end).map((one) => one.text);
    const above = file.lines
      .slice(Math.max(0, from - AROUND), from)
      .filter((one) => one.sign === " ")
      .map((one) => one.text);
    const first = part.find((one) => one.sign === "+") ?? part[0];
    blocks.push({ removed: of("-"), added: of("+"), above, below, line: first?.number ?? 0, hunk });
  }
  return blocks;
}

/** The beginning of a test, by the ending of its file. */
const CASES: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\.[cm]?[jt]sx?$|\.vue$|\.svelte$/,
    /(?:^|[^\w.$])(?:it|test|specify|[a-z]\.test|Deno\.test|QUnit\.test)(?:\.\w+)*\s*(?:\(|`)/,
  ],
  [/\.py$/, /^\s*(?:async\s+)?def\s+test\w*\s*\(|^\s*>>> /],
  [/\.go$/, /^func\s+(?:Test|Fuzz|Example)\w*\s*\(|\bt\.Run\s*\(/],
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
const ASSERTION =
  /\b(?:expect|assert\w*|should|refute\w*|verify|XCTAssert\w*|EXPECT_\w+|ASSERT_\w+|CHECK\w*|REQUIRE\w*|must_\w+)\s*[!.(]|\bassert\s|\.should\b|\b(?:require|assert)\.\w+\(|\b[tb]\.(?:Error|Fatal|is|deepEqual|equal|same|true|false|throws|rejects|Fail)\w*\s*\(|\bAssert\.\w|\bexpectations?\b|\bto_not\b|\.to\s+(?:eq|be)/;
const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?![[!])|--|;|<!--|"""|''')/;

const casePattern = (path: string): RegExp | undefined => CASES.find(([ending]) => ending.test(path))?.[1];

const isCode = (line: string): boolean => !COMMENT.test(line);

/** The tests that these lines begin. */
export function casesIn(path: string, lines: readonly string[]): string[] {
  const pattern = casePattern(path);
  return pattern ? lines.filter((line) => isCode(line) && pattern.test(line)) : [];
}

export const assertionsIn = (lines: readonly string[]): string[] =>
  lines.filter((line) => isCode(line) && ASSERTION.test(line));

/** What an assertion says of its value: 2 for "this value", 1 for "a value like this", 0 for "something". The first row counts. */
const STRENGTHS: readonly (readonly [RegExp, number])[] = [
  [/\btypeof\b|\binstanceof\b|\bisinstance\s*\(|!!\w|\breflect\.TypeOf|\btype\(/, 0],
  [
    /\.not\.|\b(?:not_to|to_not)\s+(?!raise)|\bassert_ne!|\b(?:assert_?not_?equals?|refute_equal|notEqual|notStrictEqual|notDeepEqual|NotEqual|NotSame|assertNotSame|isNotEqualTo)\s*\(|\b(?:EXPECT|ASSERT)_[NGL][ETR]\b|\bassert\s+[^=]*(?:!=|[<>]|\snot\s+in\s|\sin\s)|\b(?:toBeGreater|toBeLess|assertGreater|assertLess|isGreater|isLess|assert_operator)\w*|\b(?:approx|toBeCloseTo|closeTo|InDelta|InEpsilon|be_within|assertAlmostEqual\w*|assertEqualsWithDelta)\b|\bassert!\([^=]*[<>]|\b(?:Greater|Less|GreaterOrEqual|LessOrEqual|InRange)\s*\(/,
    1,
  ],
  [
    /\.(?:toBe|toEqual|toStrictEqual|toMatchInlineSnapshot|toMatchSnapshot|toHaveLength|toHaveBeenCalledWith|toHaveBeenCalledTimes|toThrow(?:Error)?)\s*\(\s*[^)\s]|\.(?:to|be|have|deep|been)\.(?:eql?|equals?|calledWith|lengthOf)\b|\b(?:strictEqual|deepEqual|deepStrictEqual|equal|eq|same|is)\s*\(|\bassert(?:_)?(?:Equals?|Same|ArrayEquals|ItemsEqual|CountEqual|DictEqual|ListEqual|Raises|_equal|_eq!|_same|_raise\w*)\b|\bassert\s+[^=!<>]*==|\bassert_(?:eq|ne)!|\b(?:Assert|assert|require)\.(?:AreEqual|Equal|Same|That|Throws\w*|Len|ErrorIs|ErrorContains|EqualError)\b|\bto\s+(?:eq|eql|equal|match_array|contain_exactly)\b|\bmust_equal\b|\b(?:EXPECT|ASSERT)_(?:EQ|STREQ|THROW)\b|\bXCTAssertEqual\b|\bisEqualTo\s*\(|\bcontainsExactly\w*\s*\(/,
    2,
  ],
  [
    /\.(?:toBeDefined|toBeTruthy|toBeFalsy|toBeNull|toBeUndefined|toBeInstanceOf|toHaveBeenCalled|toBeTypeOf|toHaveProperty)\s*\(|\.(?:toThrow)\s*\(\s*\)|\bexpect\.(?:any|anything)\b|\.(?:be|to)\.(?:ok|exist|truthy|a|an)\b|\b(?:assert|t)\.(?:ok|truthy|isOk|exists|isDefined|notThrows|doesNotThrow|pass)\s*\(|^\s*(?:assert|ok)\s*\(|\bassert(?:True|False|IsNotNone|IsInstance|NotNull|IsNone|_true|_not_nil|_nil|!|DoesNotThrow|InstanceOf|Is(?:Int|String|Array|Bool|Float|Object|Iterable|Callable|Numeric)|NotEmpty|_kind_of|_instance_of|_respond_to)\b|\bassert\s+(?:not\s+)?[\w.()[\]]+\s*$|\bassert\s+[^=]*\bis\s+not\s+None|\b(?:Assert|assert|require)\.(?:NotNil|NotNull|True|IsTrue|IsNotNull|NotEmpty|NoError|NotPanics|Pass|IsInstanceOf\w*|IsType|IsAssignableFrom)\b|\b(?:to|must)\s+(?:be_truthy|be_a|be_an|be_present|be_kind_of|respond_to|be\b)|\bbe_truthy\b|\b(?:EXPECT|ASSERT)_(?:TRUE|NO_THROW|NO_FATAL_FAILURE)\b|\bXCTAssert(?:NotNil|True|NoThrow)\b|\bis(?:NotNull|NotEmpty|Present|True)\s*\(\s*\)|\bmust_be\b|\bnot_to\s+raise_error\b/,
    0,
  ],
];

/** A failure that is only printed. */
const LOGGED = /\bt\.Logf?\s*\(|\bconsole\.\w+\s*\(|\bprint(?:ln|f)?!?\s*\(|\bfmt\.Print|^\s*puts\s/;

export function strengthOf(line: string): number | null {
  if (LOGGED.test(line)) return 0;
  if (/\b[tb]\.(?:Error|Fatal)f?\s*\(/.test(line)) return 2;
  const text = line.replace(TEXT, '"#"');
  for (const [pattern, strength] of STRENGTHS) if (pattern.test(text)) return strength;
  return null;
}
const TEXT = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;

const words = (line: string): Set<string> =>
  new Set([...line.matchAll(/[A-Za-z_]\w{2,}/g)].map(([word]) => word));

/** Whether both speak of the same value: most of their shorter list of names is in both. */
function areAlike(one: string, other: string): boolean {
  const [a, b] = [words(one), words(other)];
  const shared = [...a].filter((word) => b.has(word) && !VERBS.test(word)).length;
  return shared >= Math.max(1, Math.ceil((Math.min(a.size, b.size) - 2) / 2));
}
const VERBS =
  /^(?:expect|assert\w*|toBe\w*|toEqual|equal|ok|Assert|require|should|XCTAssert\w*|not|the|self|this|await|True|true)$/;

export type Pair = { readonly before: string; readonly after: string };

/** Assertions that said which value is right, and now say less. */
export const weakened = ({ removed, added }: Block): Pair[] =>
  pairs(removed, added).filter(({ before, after }) => {
    if (before.trim() === after.trim() || strengthOf(before) !== 2) return false;
    const now = strengthOf(after);
    return now === 0 || now === 1 || isWider(before, after);
  });

const TOLERANCE = /,\s*(?:\w+\s*[=:]\s*)?-?\d[\d.e+-]*\w?(?=\s*\)+;?\s*$)/;
const ALTERNATIVE = /\s(?:or|\|\|)\s/;

/** More values pass: there is a tolerance, or an alternative, or the code itself says which value is right. */
function isWider(before: string, after: string): boolean {
  if (after.trim().replace(TOLERANCE, "") === before.trim()) return true;
  if (alternativesIn(after) > alternativesIn(before)) return true;
  const was = bare(before);
  return was !== bare(after) && was === bare(after).replace(/(?<=[,(]\s*|[=]\s)(?!#)[\w.]+\([^()]*\)/g, "#");
}
const alternativesIn = (text: string): number => text.split(ALTERNATIVE).length;

/** A condition of a test under which it fails, that holds for less: "if got != 3 && got != -1". */
export const narrowed = ({ removed, added }: Block): Pair[] =>
  removed.flatMap((before) => {
    const [, condition] = /^\s*if\s*\(?(.+?)\)?\s*[{:]?\s*$/.exec(before) ?? [];
    const after =
      condition &&
      added.find((line) => line.includes(`${condition} && `) || line.includes(`${condition} and `));
    return after ? [{ before, after }] : [];
  });

/** Assertions of which only the literals differ. */
export const reworded = ({ removed, added }: Block): Pair[] =>
  pairs(removed, added).filter(
    ({ before, after }) => bare(before) === bare(after) && before.trim() !== after.trim(),
  );

const bare = (line: string): string =>
  line
    .replace(
      /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|-?\b\d[\w.]*\b|\b(?:true|false|null|nil|None|True|False|undefined)\b/g,
      "#",
    )
    .trim();

function pairs(removed: readonly string[], added: readonly string[]): Pair[] {
  const left = added.filter((line) => isCode(line) && (ASSERTION.test(line) || LOGGED.test(line)));
  return assertionsIn(removed).flatMap((before) => {
    const at = left.findIndex((after) => areAlike(before, after));
    return at === -1 ? [] : [{ before, after: left.splice(at, 1)[0] ?? "" }];
  });
}

/** A statement that ends a test before the lines that follow it at the same depth. Null: there is none. */
export function cutShort({ added, below }: Block): string | null {
  const last = added.findLast((line) => line.trim() !== "");
  const end =
    /^(\s+)(?:return|return None|return nil|return Ok\(\(\)\)|return true|next|done\(\); return)\s*;?\s*$/.exec(
      last ?? "",
    );
  const next = below.find((line) => line.trim() !== "");
  if (!end || next === undefined || last === undefined) return null;
  const depth = /^\s*/.exec(next)?.[0];
  return depth === end[1] &&
    !/^\s*(?:[})\]]|end\b|else|case|default|elif|except|finally|rescue|def |func )/.test(next)
    ? last.trim()
    : null;
}

const LIMIT =
  /["']?(\b(?:lines|branches|functions|statements|fail_under|fail-under|cov-fail-under|minimum_coverage|minimum|threshold|thresholds?|target|coverage|min_coverage|minCoverage|covered-ratio|min-lines|msi|minMsi|break|high|low|global)\b)["']?\s*[:=(>\s]\s*["']?(\d+(?:\.\d+)?)/gi;
const CEILING =
  /["']?(\bmax[-_]?warnings|max[-_]?line[-_]?length|maxWarnings|max-complexity|max_?complexity|tolerance|allowed_?failures\b)["']?\s*[:=(\s]\s*["']?(\d+(?:\.\d+)?)/gi;

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
    lines.flatMap((line) =>
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
