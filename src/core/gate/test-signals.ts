/** Signals in the tests themselves: there are fewer, or they say less. Pure. */
import {
  assertionsIn,
  comparesItself,
  LOGGED,
  narrowed,
  reworded,
  strengthOf,
  vaguer,
  weakened,
} from "./assertions.ts";
import type { Block } from "./blocks.ts";
import { CODE, FIXTURE, type Part, type Signal, shown, signal, stemOf } from "./change.ts";
import { casesIn, cutByCondition, cutShort } from "./compare.ts";
import { fakes } from "./fakes.ts";
import { isNamedTest } from "./judging.ts";
import { goneFrom } from "./missing-names.ts";
import { PLATFORM, ROWS } from "./patterns.ts";
import { dataSignals, lostRow } from "./test-data.ts";

const SKIPS = ROWS.filter((row) => row.kind === "skipped");
/** A skipped test is none. */
const running = (path: string, lines: readonly string[]): string[] =>
  casesIn(path, lines).filter((line) => !SKIPS.some((row) => row.added.test(line)));

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
  if (judging !== "test" || part.file.kind === "deleted" || FIXTURE.test(path)) return [];
  const code = parts.filter((one) => one.judging === null && CODE.test(one.path));
  if (!CODE.test(path)) return code.length > 0 ? dataSignals(part) : [];
  const namesGone = goneFrom(code);
  return blocks.flatMap((block) => {
    const at = block.line;
    const cut = cutShort(block) ?? cutByCondition(block) ?? uncalledIn(block) ?? deferredIn(block);
    const asked = onlyIf(block);
    const same = assertionsIn(block.removed).length > 0 ? block.added.find(comparesItself) : undefined;
    const dropped = droppedIn(block, part).filter((line) => !namesGone([line]));
    const row = lostRow(block, part);
    const unmade = unmadeIn(block);
    const hidden = hiddenBy(block);
    const vague = vaguer(block);
    const said = [...weakened(block), ...narrowed(block)];
    const less = (said.length === 0 && vague ? [vague] : said).filter(({ before }) => !namesGone([before]));
    return [
      ...less.map(({ before, after }) =>
        signal("weakened", path, at, `an assertion says less: ${shown(before)} → ${shown(after)}`),
      ),
      ...(same === undefined ? [] : [signal("hollow", path, at, `both sides are the same: ${shown(same)}`)]),
      ...(asked === null
        ? []
        : [signal("cut", path, at, `it is asserted on a condition now: ${shown(asked)}`)]),
      ...(cut === null
        ? []
        : [signal("cut", path, at, `the lines after it do not run, or not always: ${cut}`)]),
      ...dropped
        .slice(0, 1)
        .map((line) => signal("dropped", path, at, `an assertion is gone, its test stays: ${shown(line)}`)),
      ...(row === null ? [] : [signal("fewer", path, at, `its test has fewer rows of data: ${shown(row)}`)]),
      ...(unmade === null ? [] : [signal("skipped", path, at, `it is no test any more: ${shown(unmade)}`)]),
      ...(hidden === null
        ? []
        : [signal("swallowed", path, at, `a test hides its failures: ${shown(hidden)}`)]),
      ...fakes(block, path, parts),
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
  const gone = new Set(part.removed);
  const lost = assertionsIn(removed).filter((line) => gone.has(line));
  // What was asserted is a condition now.
  const isAsked = added.some((line) => /^\s*if\b/.test(line)) && assertionsIn(added).length < lost.length;
  const isOther =
    added.filter((line) => line.trim() !== "").length > 1 &&
    !added.some((line) => DROPS.test(line) || LOGGED.test(line));
  const isReplaced = !isAsked && (isOther || assertionsIn(added).length > 0);
  return isReplaced || sum("added") >= sum("removed") || casesIn(part.path, removed).length > 0 ? [] : lost;
}

/** The condition under which an assertion stands that stood there without one. */
function onlyIf({ removed, added }: Block): string | null {
  const condition = added.find((line) => /^\s*if\b/.test(line));
  if (condition === undefined || PLATFORM.test(condition) || removed.some((line) => /^\s*if\b/.test(line)))
    return null;
  const depth = (line: string): number => /^\s*/.exec(line)?.[0].length ?? 0;
  const was = new Map(assertionsIn(removed).map((line) => [line.trim(), depth(line)]));
  return assertionsIn(added).some((line) => depth(line) > (was.get(line.trim()) ?? Number.POSITIVE_INFINITY))
    ? condition
    : null;
}

/** The result is thrown away. */
const DROPS = /^\s*(?:(?:let|var|const)\s+)?_\s*:?=|^\s*\(void\)|^\s*void\s/;

/** What starts the tests of a file. */
const STARTS =
  /\bminitest\/autorun\b|\b(?:unittest|pytest|nose)\.main\s*\(|\bdone_testing\b|\bm\.Run\s*\(|\bmocha\.run\b|\brunTests?\s*\(/;
const BASE_OF =
  /^\s*(?:(?:final|public)\s+)*class\s+(\w+)\b.*(?:TestCase|Specification|Spec\b|Minitest::Test|Test::Unit)/;
const HEAD = /\b(?:class|def|function|void|Task|fun|func)\s+(\w*[Tt]est\w*|\w+)\b/;
/** A runner does not see it, or does not wait for it. */
const UNSEEN = /\b(?:private|protected|abstract|internal|async\s+void)\b/;
const SUITE = /^\s*(?:describe|context|suite)\b[.\w]*\s*\(/;
const FUNCTION = /^\s*(?:export\s+)?(?:function\s+\w+\s*\(|(?:const|let|var)\s+\w+\s*=.*=>\s*\{\s*$)/;
/** A nested class of data: a runner takes only nested classes that are not static. */
const NESTED = /\bstatic\b.*\bclass\b/;

/** What the runner finds tests by is taken off. */
function unmadeIn({ removed, added, below }: Block): string | null {
  const last = added.findLast((line) => line.trim() !== "");
  // A comment that ends elsewhere holds what follows.
  if (
    last !== undefined &&
    /^\s*(?:\/\*|=begin|"{3}|'{3})\s*$/.test(last) &&
    below.some((line) => line.trim() !== "")
  ) {
    const marks = added.join("\n").split(last.trim()).length - 1;
    if (marks % 2 === 1) return last;
  }
  if (
    last !== undefined &&
    /^\s*@pytest\.fixture\b/.test(last) &&
    /^\s*(?:async\s+)?def\s+test/.test(below[0] ?? "")
  )
    return last;
  const heads = new Set(
    removed
      .filter((line) => !UNSEEN.test(line) && !NESTED.test(line))
      .flatMap((line) => HEAD.exec(line)?.[1] ?? []),
  );
  const isUnseen = (line: string): boolean => UNSEEN.test(line.replace(/\s(?:#|\/\/).*$/, ""));
  const unseen = added.find((line) => isUnseen(line) && heads.has(HEAD.exec(line)?.[1] ?? ""));
  if (unseen !== undefined) return unseen;
  if (last?.trim() === "private" && below.some((line) => /^\s*def\s+test_/.test(line))) return last;
  if (removed.some((line) => SUITE.test(line)) && !added.some((line) => SUITE.test(line))) {
    const unused = added.find((line) => FUNCTION.test(line));
    if (unused !== undefined) return unused;
  }
  const start = removed.find((line) => STARTS.test(line));
  if (start !== undefined && !added.some((line) => STARTS.test(line))) return start;
  const bases = removed
    .flatMap((line) => BASE_OF.exec(line)?.[1] ?? [])
    .filter((name) => !name.startsWith("Test"));
  return (
    added.find((line) => bases.some((name) => line.includes(`class ${name}`)) && !BASE_OF.test(line)) ?? null
  );
}

/** Whatever is thrown. */
const CAUGHT =
  /^\s*\}?\s*(?:catch\s*(?:\(\s*(?:\w+|(?:final\s+)?\\?(?:\w+\.)*(?:Throwable|\w*Exception|\w*Error)(?:\s+\$?\w+)?)\s*\))?\s*\{?|rescue(?:\s+(?:StandardError|Exception|\w+(?:::\w+)*NotMetError))?(?:\s*=>\s*\w+)?)\s*$/;
const NAMED = /\((?:final\s+)?(?!Exception|RuntimeException|Error|AssertionError)\w+\s+\w+\)/;
const TOLD =
  /\b(?:throw|raise|fail\w*|expect|assert\w*|reject|done|flunk|t\.(?:Error|Fatal)\w*|callback|cb)\b/;

/** Errors of assertions are caught, and the test continues. */
function hiddenBy({ removed, added, above, below }: Block): string | null {
  const at = added.findIndex((line) => CAUGHT.test(line) && !NAMED.test(line));
  if (at === -1 || removed.some((line) => CAUGHT.test(line))) return null;
  const body = [...added.slice(at + 1), ...below];
  const end = body.findIndex((line) => /^\s*(?:\}|end\b)/.test(line));
  const was = new Set(assertionsIn([...above, ...removed]).map((line) => line.trim()));
  const kept = new Set(
    body
      .slice(0, end === -1 ? undefined : end)
      .flatMap((line) => /^\s*([\w.$]+)\s*=\s*\w+\s*;?\s*$/.exec(line)?.[1] ?? []),
  );
  const isAsserted = assertionsIn(body.slice(Math.max(0, end))).some((line) =>
    (line.match(/[\w.$]+/g) ?? []).some((word) => kept.has(word)),
  );
  if (isAsserted) return null;
  const isGuarded = assertionsIn([...above, ...added.slice(0, at)]).some((line) => was.has(line.trim()));
  return isGuarded && !body.slice(0, end === -1 ? undefined : end).some((line) => TOLD.test(line))
    ? (added[at] ?? null)
    : null;
}

/** The same assertions, in a callback that nobody waits for. */
function deferredIn({ removed, added }: Block): string | null {
  const line = added.find((one) => DEFERS.test(one));
  const was = new Set(assertionsIn(removed).map((one) => one.trim()));
  return line !== undefined && assertionsIn(added).some((one) => was.has(one.trim())) ? line.trim() : null;
}
const DEFERS = /^\s*(?:\w+\.)*(?:setTimeout|setInterval|setImmediate|queueMicrotask|nextTick)\s*\(.*\{\s*$/;

/** A function around assertions that nobody calls. */
function uncalledIn({ removed, added, below }: Block): string | null {
  const rest = [...added, ...below];
  return (
    added.find((line, nth) => {
      // A decorator takes it.
      if (/^\s*@\w/.test(added[nth - 1] ?? "")) return false;
      const [, one, other] =
        /^\s+(?:async\s+)?def\s+(\w+)\(|^\s+(?:const|let|var|function)\s+(\w+)\s*(?:=\s*(?:async\s*)?\([^)]*\)\s*=>|\()/.exec(
          line,
        ) ?? [];
      const name = one ?? other;
      if (name === undefined || name.startsWith("test")) return false;
      const isUsed = rest.some((text) => text !== line && new Set(text.match(/\w+/g)).has(name));
      return !isUsed && assertionsIn(removed).length > 0 && assertionsIn(rest).length > 0;
    }) ?? null
  );
}
