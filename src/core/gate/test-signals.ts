/** Signals in the tests themselves: there are fewer, or they say less. Pure. */
import { CODE, FIXTURE, type Part, type Signal, shown, signal, stemOf } from "./change.ts";
import { assertionsIn, type Block, casesIn, cutShort, reworded, weakened } from "./compare.ts";
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
  const still = new Set(definedIn(code.flatMap((one) => one.added)));
  const gone = new Set(definedIn(code.flatMap((one) => one.removed)).filter((name) => !still.has(name)));
  const namesGone = (lines: readonly string[]): boolean =>
    gone.size > 0 && lines.some((line) => (line.match(/\w+/g) ?? []).some((word) => gone.has(word)));
  const counts = parts
    .filter(
      (part) =>
        (part.judging === "test" || /\.rs$/.test(part.path)) &&
        !FIXTURE.test(part.path) &&
        !isGone(part.path),
    )
    .map((part) => {
      const lost = casesIn(part.path, part.removed).length - running(part.path, part.added).length;
      return { part, lost };
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

/** Of a source with tests in it: the removed lines from the first test on. */
function casesBelow({ path, removed }: Part): string[] {
  const first = casesIn(path, removed)[0] ?? "";
  return removed.slice(removed.indexOf(first));
}

export function assertionSignals(part: Part, parts: readonly Part[]): Signal[] {
  const { path, judging, blocks } = part;
  if (judging !== "test" || part.file.kind === "deleted" || !CODE.test(path) || FIXTURE.test(path)) return [];
  const withCode = parts.some((one) => one.judging === null && CODE.test(one.path));
  return blocks.flatMap((block) => {
    const at = block.line;
    const cut = cutShort(block);
    return [
      ...weakened(block).map(({ before, after }) =>
        signal("weakened", path, at, `an assertion says less: ${shown(before)} → ${shown(after)}`),
      ),
      ...(cut === null ? [] : [signal("cut", path, at, `the lines after it never run: ${cut}`)]),
      ...(isDropped(block, part)
        ? [
            signal(
              "dropped",
              path,
              at,
              `an assertion is gone, its test stays: ${shown(assertionsIn(block.removed)[0] ?? "")}`,
            ),
          ]
        : []),
      ...fakes(block, path),
      ...reworded(block).map(({ before, after }) =>
        signal(
          "expected",
          path,
          at,
          `an expected value is another one${withCode ? "" : ", with no change of the code"}: ${shown(before)} → ${shown(after)}`,
          true,
        ),
      ),
    ];
  });
}

/** Only assertions went, and nothing came in their place. */
function isDropped({ removed, added }: Block, part: Part): boolean {
  const lost = removed.filter((line) => line.trim() !== "");
  const assertions = assertionsIn(lost).filter((line) => part.removed.includes(line));
  return (
    assertions.length > 0 &&
    added.every((line) => line.trim() === "") &&
    casesIn(part.path, lost).length === 0 &&
    lost.length === assertions.length
  );
}

const SOURCE_OF =
  /\bfrom\s+['"]([^'"]+)['"]|\brequire\(\s*['"]([^'"]+)['"]|^\s*from\s+([\w.]+)\s+import|^\s*import\s+([\w.]+)/;
const FAKE = /(?:^|[./_-])(?:fakes?|mocks?|__mocks__|stubs?|dummy|dummies|fixtures?)(?:[./_-]|$)/i;

/** The module under test is taken from elsewhere. */
function fakes({ removed, added }: Block, path: string): Signal[] {
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
