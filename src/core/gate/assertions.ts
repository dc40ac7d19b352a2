/** What an assertion says, and whether another one in its place says less. Pure. */
import type { Block } from "./blocks.ts";

const ASSERTION =
  /\b(?:expect|assert\w*|should|refute\w*|verify|XCTAssert\w*|EXPECT_\w+|ASSERT_\w+|CHECK\w*|REQUIRE\w*|must_\w+)\s*[!.(]|\bassert\s|\b(?:assert|refute)_\w+\s|\.should\b|\b(?:require|assert)\.\w+\(|\b[tb]\.(?:Error|Fatal|is|deepEqual|equal|same|true|false|throws|rejects|Fail)\w*\s*\(|\bAssert\.\w|\bexpectations?\b|\bto_not\b|\.to\s+(?:eq|be)/;
const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?![[!])|--|;|<!--|"""|''')/;

export const isCode = (line: string): boolean => !COMMENT.test(line);

export const assertionsIn = (lines: readonly string[]): string[] =>
  lines.filter((line) => isCode(line) && ASSERTION.test(line));

/** What an assertion says of its value: 2 for "this value", 1 for "a value like this", 0 for "something". The first row counts. */
const STRENGTHS: readonly (readonly [RegExp, number])[] = [
  [/\bdebug_assert(?:_eq|_ne)?!/, 0],
  // That a comparison holds, and not which value is right.
  [
    /(?:[<>]|!=|\.includes\()[^,]*,\s*(?:true|True)\s*\)|\(\s*(?:true|True)\s*,[^,]*(?:[<>]|!=)|(?:[<>]|!=|\.includes\().*\)\.(?:toBe|toEqual|toStrictEqual)\(true\)/,
    1,
  ],
  [
    /^\s*(?:assertThat|expect)\((?:[^(),]|\([^()]*\))*\)\s*;\s*$|\bexpect\.(?:any|anything)\(|\bIs\.(?:Not\.(?:Null|Empty)|InstanceOf|TypeOf|AssignableTo)\b|\bisInstanceOf\(|\btypeof\b|\binstanceof\b|\bisinstance\s*\(|!!\w|\breflect\.TypeOf|\btype\(/,
    0,
  ],
  [
    /\.not\.|\bexpect\(\s*\[.*\]\s*\)\.(?:toContain|to\.(?:include|contain))|\.toBeOneOf\(|\bIs\.(?:Not|(?:Greater|Less)Than\w*|AtLeast|AtMost|InRange|Positive|Negative)\b|\b(?:not_to|to_not)\s+(?!raise)|\bassert_ne!|\b(?:assert_?not_?equals?|refute_equal|notEqual|notStrictEqual|notDeepEqual|NotEqual|NotSame|assertNotSame|isNotEqualTo)\s*\(|\b(?:EXPECT|ASSERT)_[NGL][ETR]\b|\bassert\s+[^=]*(?:!=|[<>]|\snot\s+in\s|\sin\s)|\b(?:toBeGreater|toBeLess|assertGreater|assertLess|isGreater|isLess|assert_operator)\w*|\b(?:approx|toBeCloseTo|closeTo|InDelta|InEpsilon|be_within|assertAlmostEqual\w*|assertEqualsWithDelta)\b|\bassert!\([^=]*[<>]|\b(?:Greater|Less|GreaterOrEqual|LessOrEqual|InRange)\s*\(/,
    1,
  ],
  [
    /\.(?:toBe|toEqual|toStrictEqual|toMatchInlineSnapshot|toMatchSnapshot|toHaveLength|toHaveBeenCalledWith|toHaveBeenCalledTimes|toThrow(?:Error)?)\s*\(\s*[^)\s]|\.(?:to|be|have|deep|been)\.(?:eql?|equals?|calledWith|lengthOf)\b|\b(?:strictEqual|deepEqual|deepStrictEqual|equal|eq|same|is)\s*\(|\bassert(?:_)?(?:Equals?|Same|ArrayEquals|ItemsEqual|CountEqual|DictEqual|ListEqual|Raises|_equal|_eq!|_same|_raise\w*)\b|\bassert\s+[^=!<>]*==|\bassert_(?:eq|ne)!|\b(?:Assert|assert|require)\.(?:AreEqual|Equal|Same|That|Throws\w*|Len|ErrorIs|ErrorContains|EqualError)\b|\bto\s+(?:eq|eql|equal|match_array|contain_exactly)\b|\bmust_equal\b|\b(?:EXPECT|ASSERT)_(?:EQ|STREQ|THROW)\b|\bXCTAssertEqual\b|\bisEqualTo\s*\(|\bcontainsExactly\w*\s*\(/,
    2,
  ],
  [
    /\.(?:toBeDefined|toBeTruthy|toBeFalsy|toBeNull|toBeUndefined|toBeInstanceOf|toHaveBeenCalled|toBeTypeOf|toHaveProperty)\s*\(|\.(?:toThrow)\s*\(\s*\)|\.(?:be|to)\.(?:ok|exist|truthy|a|an)\b|\b(?:assert|t)\.(?:ok|truthy|isOk|exists|isDefined|notThrows|doesNotThrow|pass)\s*\(|^\s*(?:assert|ok)\s*\(|\bassert(?:True|False|IsNotNone|IsInstance|NotNull|IsNone|_true|_not_nil|_nil|!|DoesNotThrow|InstanceOf|Is(?:Int|String|Array|Bool|Float|Object|Iterable|Callable|Numeric)|NotEmpty|_kind_of|_instance_of|_respond_to)\b|\bassert\s+(?:not\s+)?[^=!<>]+$|\bassert\s+[^=]*\bis\s+not\s+None|\b(?:Assert|assert|require)\.(?:NotNil|NotNull|True|IsTrue|IsNotNull|NotEmpty|NoError|NotPanics|Pass|IsInstanceOf\w*|IsType|IsAssignableFrom)\b|\b(?:to|must)\s+(?:be_truthy|be_a|be_an|be_present|be_kind_of|respond_to|be\b)|\bbe_truthy\b|\b(?:EXPECT|ASSERT)_(?:TRUE|NO_THROW|NO_FATAL_FAILURE)\b|\bXCTAssert(?:NotNil|True|NoThrow)\b|\bis(?:NotNull|NotEmpty|Present|True)\s*\(\s*\)|\brefute_(?:nil|empty)\b|\bmust_be\b|\bnot_to\s+raise_error\b/,
    0,
  ],
];

/** A failure that is only printed. */
export const LOGGED = /\bt\.Logf?\s*\(|\bconsole\.\w+\s*\(|\bprint(?:ln|f)?!?\s*\(|\bfmt\.Print|^\s*puts\s/;

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
    if (before.trim() === after.trim()) return false;
    if (isLooser(before, after) || isAnyError(before, after) || isUnawaited(before, after)) return true;
    if (strengthOf(before) !== 2) return false;
    const now = strengthOf(after);
    return now === 0 || now === 1 || isWider(before, after);
  });

const TOLERANCE = /,\s*(?:\w+\s*[=:]\s*)?-?\d[\d.e+-]*\w?(?=\s*\)+;?\s*$)/;
/** A further argument of the code itself is none. */
function withoutTolerance(line: string): string {
  const at = TOLERANCE.exec(line)?.index ?? 0;
  let open = at;
  for (let depth = 1; open > 0 && depth > 0; ) {
    open -= 1;
    if (line[open] === ")") depth += 1;
    else if (line[open] === "(") depth -= 1;
  }
  return at > 0 && /(?:assert|equal|same|close|delta|\bis\b|EQ\b)\w*!?\s*$/i.test(line.slice(0, open))
    ? line.replace(TOLERANCE, "")
    : line;
}
const WITHIN = /\.[Ww]ithin\([^()]*\)/;

/** In the place of a literal the value is calculated. */
function isComputed(before: string, after: string): boolean {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const head = before.slice(0, at);
  const start = Math.max(head.lastIndexOf("("), head.lastIndexOf(","), head.lastIndexOf("=")) + 1;
  const [was, is] = [before.slice(start), after.slice(start)];
  return (
    start > 0 &&
    /^\s*#\s*[);]*$/.test(bare(was)) &&
    !/^\s*#/.test(bare(is)) &&
    /=>|[a-z_)\]]\w*\s*\(/i.test(is)
  );
}

/** Both sides of a comparison are the same text, whatever it is. */
export function comparesItself(line: string): boolean {
  if (!ASSERTION.test(line)) return false;
  const [, left, right] =
    /\bexpect\((.+)\)\.(?:to(?:Be|Equal|StrictEqual)|to\.(?:\w+\.)*(?:equal|eql|eq))\((.+)\)/.exec(line) ??
    [];
  if (left !== undefined) return left.trim() === right?.trim();
  const [first = "", second] = /\bassert\s/.test(line) ? line.split("==") : [];
  if (second !== undefined)
    return (
      first.slice(first.indexOf("assert") + "assert".length).trim() === (second.split(",")[0] ?? "").trim()
    );
  const inner = /[Ee]q(?:ual)?s?!?\w*\s*\((.+)\)\s*;?\s*$|[Ss]ame\s*\((.+)\)\s*;?\s*$/.exec(line);
  const args = argumentsIn(inner?.[1] ?? inner?.[2] ?? "");
  return args.some((one, nth) => one !== "" && one === args[nth + 1]);
}

function argumentsIn(text: string): string[] {
  const found = [""];
  let depth = 0;
  for (const letter of text) {
    if ("([{".includes(letter)) depth += 1;
    else if (")]}".includes(letter)) depth -= 1;
    if (letter === "," && depth === 0) found.push("");
    else found[found.length - 1] += letter;
  }
  return found.map((one) => one.trim());
}

const ALTERNATIVE = /\s(?:or|\|\|)\s/;

/** Fewer assertions name a value, and more of them say only that there is one. */
export function vaguer({ removed, added }: Block): Pair | null {
  const of = (lines: readonly string[], strength: number): string[] =>
    assertionsIn(lines).filter((line) => strengthOf(line) === strength);
  const [before, after] = [of(removed, 2), of(added, 0)];
  return before.length > of(added, 2).length && after.length > of(removed, 0).length
    ? { before: before[0] ?? "", after: after[0] ?? "" }
    : null;
}

const TOLERANT =
  /\b(?:in_delta|InDelta|in_epsilon|InEpsilon|close_?to|toBeCloseTo|approx|within|WithDelta|AlmostEqual\w*|delta|abs|rel|places|precision|tolerance)\b/i;
/** Fewer of them let more pass. */
const DIGITS = /toBeCloseTo|places|precision|AlmostEqual/i;

/** The same assertion with a larger tolerance. */
function isLooser(before: string, after: string): boolean {
  if (!TOLERANT.test(after) || bare(before) !== bare(after)) return false;
  const last = (line: string): number => Number(line.match(/\d+(?:\.\d+)?/g)?.at(-1) ?? 0);
  return DIGITS.test(after) ? last(after) < last(before) : last(after) > last(before);
}

/** Errors of all classes. */
const BASE_ERROR =
  /\b(?:Exception|BaseException|Throwable|StandardError|RuntimeException|Error|AnyException)\b/;
const RAISES =
  /\b(?:raises|assertRaises|assert_raises|assertThrows|expectException|toThrow\w*|raise_error|Throws\w*|rejects)\b/i;
const isAnyError = (before: string, after: string): boolean =>
  RAISES.test(after) && BASE_ERROR.test(after) && !BASE_ERROR.test(before) && RAISES.test(before);

/** Nobody waits for what it says. */
const isUnawaited = (before: string, after: string): boolean =>
  /^\s*(?:await|return)\s/.test(before) && before.trim().replace(/^(?:await|return)\s+/, "") === after.trim();

/** More values pass: there is a tolerance, or an alternative, or the code itself says which value is right. */
function isWider(before: string, after: string): boolean {
  const exact = withoutTolerance(after.trim());
  if (exact === before.trim() || (exact !== after.trim() && bare(exact) === bare(before))) return true;
  if (after.trim().replace(WITHIN, "") === before.trim() || isComputed(before, after)) return true;
  if (alternativesIn(after) > alternativesIn(before)) return true;
  const was = bare(before);
  return was !== bare(after) && was === bare(after).replace(/(?<=[,(]\s*|[=]\s)(?!#)[\w.]+\([^()]*\)/g, "#");
}
const alternativesIn = (text: string): number => text.split(ALTERNATIVE).length;

const FAILS = /\b(?:t|b)\.(?:Error|Fatal|Fail)|\b(?:throw|raise|fail\w*|flunk|panic|exit|assert\w*)\b/;

/** A condition of a test under which it fails, that holds for less: "if got != 3 && got != -1". */
export const narrowed = ({ removed, added, below }: Block): Pair[] =>
  [...added, ...below].some((line) => FAILS.test(line)) ? narrowerIn(removed, added) : [];

/** The value that is wanted is that of the code: "got != want" became "got != Sum(1, 2)". */
const WANTED = /^(\s*if\b.*(?:!=|!==)\s*)([^{]+?)\s*\{?\s*$/;
const isOfCode = (before: string, after: string): boolean => {
  const [, head, value = ""] = WANTED.exec(before) ?? [];
  const [, twin, call = ""] = WANTED.exec(after) ?? [];
  return head !== undefined && head === twin && !value.includes("(") && call.includes("(");
};

const narrowerIn = (removed: readonly string[], added: readonly string[]): Pair[] =>
  removed.flatMap((before) => {
    const called = added.find((after) => isOfCode(before, after));
    if (called !== undefined) return [{ before, after: called }];
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

/** Assertions among which the twin of one is looked for: a large file is not compared line by line with itself. */
const NEAR = 40;

/** An assertion that continues in the next lines, as a formatter writes it, is one line. */
function whole(lines: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    let text = lines[at] ?? "";
    const goesOn = /\(\s*$/.test(text) && ASSERTION.test(text);
    for (let more = 1; goesOn && more <= LINES_MAX && openIn(text) > 0 && at + 1 < lines.length; more += 1) {
      at += 1;
      text = `${text.trimEnd()}${(lines[at] ?? "").trim()}`;
    }
    found.push(goesOn ? text.replace(/^(\s*assert\s)\((.*)\)$/, "$1$2").replace(/,\)/g, ")") : text);
  }
  return found;
}
const LINES_MAX = 6;
const openIn = (text: string): number => text.split(/[([{]/).length - text.split(/[)\]}]/).length;

function pairs(removed: readonly string[], added: readonly string[]): Pair[] {
  const left = whole(added).filter((line) => isCode(line) && (ASSERTION.test(line) || LOGGED.test(line)));
  return assertionsIn(whole(removed)).flatMap((before) => {
    const at = left.slice(0, NEAR).findIndex((after) => areAlike(before, after));
    return at === -1 ? [] : [{ before, after: left.splice(at, 1)[0] ?? "" }];
  });
}
