/**
 * The signals in a change that it makes its own judge see less: tests that do not run, failures that do not count, a gate that runs
 * something else. A signal asks for a second look; it proves nothing. Pure but for the reading of files.
 */
import {
  type Change,
  CODE,
  FIXTURE,
  lineOf,
  type Part,
  partsOf,
  type Signal,
  type SignalKind,
  shown,
  signal,
} from "./change.ts";
import { lowered } from "./compare.ts";
import { gateParts } from "./gate-script.ts";
import { shadows } from "./judging.ts";
import { lineSignals } from "./line-signals.ts";
import { snapshotSignals } from "./snapshots.ts";
import { assertionSignals, testSignals } from "./test-signals.ts";

const SIGNALS_MAX = 40;
const OF_TESTS_ALONE: readonly SignalKind[] = [
  "skipped",
  "hollow",
  "swallowed",
  "deleted",
  "fewer",
  "dropped",
  "weakened",
  "cut",
  "fake",
];

export async function signalsOf(change: Change): Promise<Signal[]> {
  const parts = partsOf(change);
  const found = [
    ...(await gateSignals(change, parts)),
    ...parts.flatMap((part) => lineSignals(part)),
    ...testSignals(parts),
    ...parts.flatMap((part) => assertionSignals(part, parts)),
    ...(await snapshotSignals(change, parts)),
  ];
  // A change of tests alone hides no fault of its own: the code is that of the base.
  const hasCode = parts.some((one) => one.judging === null && CODE.test(one.path));
  const seen = new Set<string>();
  return found
    .map((one) => (!hasCode && OF_TESTS_ALONE.includes(one.kind) ? { ...one, isNote: true } : one))
    .filter(({ kind, path, line }) => {
      const key = `${kind} ${path} ${line}`;
      return !seen.has(key) && seen.add(key);
    })
    .sort((a, b) => Number(a.isNote) - Number(b.isNote))
    .slice(0, SIGNALS_MAX);
}

async function gateSignals({ gate, before, after }: Change, parts: readonly Part[]): Promise<Signal[]> {
  const judging = parts.filter((part) => part.judging !== null);
  const [was, is] = [await gateParts(gate, before), await gateParts(gate, after)];
  const changed = [...was].filter(([key, text]) => is.get(key) !== text).map(([key]) => key);
  // A file that the gate did not know can come before one that it knew; npm runs "pretest" before "test".
  const came = [...is.keys()].filter(
    (key) => !was.has(key) && (/\.json (?:pre|post)/.test(key) || shadows(key.split(" ")[0] ?? "")),
  );
  return [
    ...[...changed, ...came].map((key) =>
      signal("gate", key.split(" ")[0] ?? key, null, `what the gate \`${gate}\` runs is another: ${key}`),
    ),
    ...parts
      .filter(({ path, file }) => file.kind === "new" && shadows(path) && !FIXTURE.test(path))
      .map(({ path }) =>
        signal("shadow", path, null, "a new file of this name comes before what the gate has used so far"),
      ),
    ...judging.flatMap((part) => [
      ...(part.judging === "test" || part.judging === "snapshot"
        ? []
        : lowered(part.removed, part.added).map((pair) =>
            signal(
              "threshold",
              part.path,
              lineOf(part, pair.after),
              `a limit is lowered: ${shown(pair.before)} → ${pair.after === "" ? "none" : shown(pair.after)}`,
            ),
          )),
      ...hiddenTests(part),
    ]),
  ];
}

/** A test that becomes ignored by git, or a pipeline that stops to run tests. */
function hiddenTests({ path, judging, removed, added }: Part): Signal[] {
  if (judging !== "pipeline") return [];
  const RUN = /\b(?:test|tests|pytest|vitest|jest|mocha|ctest|rspec|phpunit|clippy|lint|check|coverage)\b/;
  const isRun = (line: string): boolean =>
    /\brun:|^\s*-\s|^\s{4,}\S/.test(line) && RUN.test(line) && !/\bname:|\buses:/.test(line);
  const [was, is] = [removed.filter(isRun), added.filter(isRun)];
  return was.length > is.length
    ? [signal("hidden", path, null, `the pipeline does not run it any more: ${shown(was[0] ?? "")}`)]
    : [];
}

/** The signals that the lines of a change alone show, without the files around them. For a reviewer. */
export async function signsIn(diff: string, judges: readonly string[]): Promise<string[]> {
  const nowhere = async (): Promise<null> => null;
  const found = await signalsOf({ diff, gate: "", judges, before: nowhere, after: nowhere });
  return found.map(told);
}

/** "check.sh:2 what it says", as a person reads it. */
export const told = ({ path, line, says }: Signal): string =>
  `${path}${line === null ? "" : `:${line}`} ${says}`;
