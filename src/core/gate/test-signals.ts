/** Signals in the tests themselves: there are fewer, or they say less. Pure. */
import { CODE, FIXTURE, type Part, type Signal, shown, signal, stemOf } from "./change.ts";
import {
  assertionsIn,
  type Block,
  casesIn,
  cutShort,
  narrowed,
  reworded,
  strengthOf,
  weakened,
} from "./compare.ts";
import { isNamedTest } from "./judging.ts";
import { ROWS } from "./patterns.ts";

const SKIPS = ROWS.filter((row) => row.kind === "skipped");
/** A skipped test is none. */
const running = (path: string, lines: readonly string[]): string[] =>
  casesIn(path, lines).filter((line) => !SKIPS.some((row) => row.added.test(line)));

const DEFINED =
  /\b(?:function|def|fn|func|class|struct|interface|type|trait|enum|module|const|let|var|val|void|static|public|record)\s+(?:\([^)]*\)\s*)?(?:self\.)?([A-Za-z_]\w{2,})/g;
const definedIn = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => [...line.matchAll(DEFINED)].map(([, name = ""]) => name));

/** Tests that are there no more, over all files: what moved or was split is no loss, nor what went with the code that it tested. */
export function testSignals(parts: readonly Part[]): Signal[] {
  const code = parts.filter((one) => one.judging === null);
  const isGone = (path: string): boolean =>
    code.some((one) => one.file.kind === "deleted" && stemOf(one.path) === stemOf(path));
  const namesGone = goneFrom(code);
  const counts = parts
    .filter(
      (part) =>
        (part.judging === "test" || /\.rs$/.test(part.path)) &&
        !FIXTURE.test(part.path) &&
        !isGone(part.path),
    )
    .map((part) => {
      const lost = casesIn(part.path, part.removed).length - running(part.path, part.added).length;
      return { part, lost: lost - part.blocks.filter((one) => isHollow(part.path, one)).length };
    });
  // A runner finds tests by the names of files.
  const isNamed = counts.some(({ part, lost }) => lost > 0 && isNamedTest(part.path));
  const total = counts
    .filter(({ part, lost }) => lost > 0 || !isNamed || isNamedTest(part.path))
    .reduce((sum, { lost }) => sum + lost, 0);
  if (total <= 0) return [];
  return counts
    .filter(
      ({ part, lost }) => lost > 0 && !namesGone(part.judging === "test" ? part.removed : casesBelow(part)),
    )
    .map(({ part: { path, file }, lost }) =>
      file.kind === "deleted"
        ? signal("deleted", path, null, `a file with ${lost} ${lost === 1 ? "test" : "tests"} is deleted`)
        : signal("fewer", path, null, `${lost} fewer ${lost === 1 ? "test" : "tests"} than before`),
    );
}

/** Whether lines name what the code does not define any more. */
function goneFrom(code: readonly Part[]): (lines: readonly string[]) => boolean {
  const still = new Set(definedIn(code.flatMap((one) => one.added)));
  const gone = new Set(definedIn(code.flatMap((one) => one.removed)).filter((name) => !still.has(name)));
  return (lines) =>
    gone.size > 0 && lines.some((line) => (line.match(/\w+/g) ?? []).some((word) => gone.has(word)));
}

/** The head of a test goes, and nothing of what it did: it was empty, or joins the test above. */
const isHollow = (path: string, { removed, added }: Block): boolean =>
  added.every((line) => line.trim() === "") &&
  casesIn(path, removed).length === 1 &&
  removed.filter(
    (line) =>
      !/^\W*$|^\s*(?:end|#\[test\]|@Test|func\b.*\{|fn\b.*\{|.*\bvoid\b.*)\s*$/.test(line) &&
      casesIn(path, [line]).length === 0,
  ).length === 0 &&
  removed.some((line) => /^\s*(?:[})]|end\b)/.test(line));

/** Of a source with tests in it: the removed lines from the first test on. */
function casesBelow({ path, removed }: Part): string[] {
  const first = casesIn(path, removed)[0] ?? "";
  return removed.slice(removed.indexOf(first));
}

export function assertionSignals(part: Part, parts: readonly Part[]): Signal[] {
  const { path, judging, blocks } = part;
  if (judging !== "test" || part.file.kind === "deleted" || !CODE.test(path) || FIXTURE.test(path)) return [];
  const code = parts.filter((one) => one.judging === null && CODE.test(one.path));
  const namesGone = goneFrom(code);
  return blocks.flatMap((block) => {
    const at = block.line;
    const cut = cutShort(block);
    const dropped = droppedIn(block, part).filter((line) => !namesGone([line]));
    const row = fewerRows(block);
    const unmade = unmadeIn(block);
    const hidden = hiddenBy(block);
    const less = [...weakened(block), ...narrowed(block)].filter(({ before }) => !namesGone([before]));
    return [
      ...less.map(({ before, after }) =>
        signal("weakened", path, at, `an assertion says less: ${shown(before)} → ${shown(after)}`),
      ),
      ...(cut === null ? [] : [signal("cut", path, at, `the lines after it never run: ${cut}`)]),
      ...dropped
        .slice(0, 1)
        .map((line) => signal("dropped", path, at, `an assertion is gone, its test stays: ${shown(line)}`)),
      ...(row === null ? [] : [signal("fewer", path, at, `its test has fewer rows of data: ${shown(row)}`)]),
      ...(unmade === null ? [] : [signal("skipped", path, at, `it is no test any more: ${shown(unmade)}`)]),
      ...(hidden === null
        ? []
        : [signal("swallowed", path, at, `a test hides its failures: ${shown(hidden)}`)]),
      ...fakes(block, path),
      ...reworded(block).map(({ before, after }) =>
        signal(
          "expected",
          path,
          at,
          `an expected value is another one${code.length > 0 ? "" : ", with no change of the code"}: ${shown(before)} → ${shown(after)}`,
          true,
        ),
      ),
    ];
  });
}

/** The assertions of a block in whose place nothing came, neither there nor near it. */
function droppedIn({ removed, added, hunk }: Block, part: Part): string[] {
  const near = part.blocks.filter((one) => one.hunk === hunk);
  const sum = (of: "removed" | "added"): number =>
    near.flatMap((one) => assertionsIn(one[of])).filter((line) => strengthOf(line) !== 0 || of === "removed")
      .length;
  const lost = assertionsIn(removed).filter((line) => part.removed.includes(line));
  const isReplaced = added.filter((line) => line.trim() !== "").length > 1 || assertionsIn(added).length > 0;
  return isReplaced || sum("added") >= sum("removed") || casesIn(part.path, removed).length > 0 ? [] : lost;
}

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
const headOf = (line: string): string => line.trim().split(/[[{]/)[0] ?? "";

const BASE_OF = /^\s*class\s+(\w+)\b.*(?:TestCase|Specification|Spec\b)/;

/** What the runner finds tests by is taken off. */
function unmadeIn({ removed, added, below }: Block): string | null {
  const last = added.findLast((line) => line.trim() !== "");
  // A comment that ends elsewhere holds what follows.
  if (
    last !== undefined &&
    /^\s*(?:\/\*|=begin|"{3}|'{3})\s*$/.test(last) &&
    below.some((line) => line.trim() !== "")
  ) {
    const twins = added.filter((line) => line.trim() === last.trim()).length;
    if (twins % 2 === 1) return last;
  }
  if (
    last !== undefined &&
    /^\s*@pytest\.fixture\b/.test(last) &&
    /^\s*(?:async\s+)?def\s+test/.test(below[0] ?? "")
  )
    return last;
  const bases = removed
    .flatMap((line) => BASE_OF.exec(line)?.[1] ?? [])
    .filter((name) => !name.startsWith("Test"));
  return (
    added.find((line) => bases.some((name) => line.includes(`class ${name}`)) && !BASE_OF.test(line)) ?? null
  );
}

/** Whatever is thrown. */
const CAUGHT =
  /^\s*\}?\s*(?:catch\s*(?:\(\s*(?:\w+|(?:final\s+)?\\?(?:Throwable|\w*Exception|\w*Error)\s+\$?\w+)\s*\))?\s*\{|rescue(?:\s+(?:StandardError|Exception|\w+(?:::\w+)*NotMetError))?(?:\s*=>\s*\w+)?)\s*$/;
const NAMED = /\((?:final\s+)?(?!Exception|RuntimeException|Error|AssertionError)\w+\s+\w+\)/;
const TOLD =
  /\b(?:throw|raise|fail\w*|expect|assert\w*|reject|done|flunk|t\.(?:Error|Fatal)\w*|callback|cb)\b/;

/** Errors of assertions are caught, and the test goes on. */
function hiddenBy({ removed, added, above, below }: Block): string | null {
  const at = added.findIndex((line) => CAUGHT.test(line) && !NAMED.test(line));
  if (at === -1 || removed.some((line) => CAUGHT.test(line))) return null;
  const body = [...added.slice(at + 1), ...below];
  const end = body.findIndex((line) => /^\s*(?:\}|end\b)/.test(line));
  const was = new Set(assertionsIn([...above, ...removed]).map((line) => line.trim()));
  const isGuarded = assertionsIn([...above, ...added.slice(0, at)]).some((line) => was.has(line.trim()));
  return isGuarded && !body.slice(0, end === -1 ? undefined : end).some((line) => TOLD.test(line))
    ? (added[at] ?? null)
    : null;
}

const SOURCE_OF =
  /\bfrom\s+['"]([^'"]+)['"]|\brequire\(\s*['"]([^'"]+)['"]|^\s*from\s+([\w.]+)\s+import|^\s*import\s+([\w.]+)/;
const FAKE = /(?:^|[./_-])(?:fakes?|mocks?|__mocks__|stubs?|dummy|dummies|fixtures?)(?:[./_-]|$)/i;

/** A mock of a module, or a name that is set in one: the groups hold its name. */
const MOCKED =
  /\b(?:vi|jest|mock|td|rewiremock|proxyquire)\.?(?:mock|doMock|replace|unstable_mockModule|module)?\(\s*['"]([^'"]+)['"]|\bpatch(?:\.object)?\(\s*['"]?([\w.]+)|\bmonkeypatch\.setattr\(\s*['"]?([\w.]+)|\bsinon\.(?:stub|replace)\(\s*(\w+)|^\s*([\w.]+)\.\w+\s*=\s*(?:lambda\b|(?:mock\.)?(?:Magic)?Mock\(|(?:vi|jest)\.fn)/;

/** The module under test is taken from elsewhere, or replaced. */
function fakes({ removed, added }: Block, path: string): Signal[] {
  const mocked = added.flatMap((line) =>
    (MOCKED.exec(line) ?? []).slice(1).filter((name) => name !== undefined),
  );
  const own = mocked.filter((name) => name.split(/[/.]/).some((part) => part.toLowerCase() === stemOf(path)));
  if (own.length > 0) return [signal("fake", path, null, `its subject is replaced: ${own[0]}`)];
  const of = (lines: readonly string[]) =>
    lines.flatMap((line) => {
      const [, ...names] = SOURCE_OF.exec(line) ?? [];
      const name = names.find((one) => one !== undefined);
      return name === undefined ? [] : [name];
    });
  const was = of(removed);
  return of(added)
    .filter((name) => FAKE.test(name) && was.some((one) => !FAKE.test(one) && stemOf(one) === stemOf(path)))
    .map((name) => signal("fake", path, null, `its subject is now imported from ${name}`));
}
