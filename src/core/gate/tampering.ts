/**
 * The signals in a change that it makes its own judge see less: tests that do not run, failures that do not count, a gate that runs
 * something else. A signal asks for a second look; it proves nothing. Pure but for the reading of files.
 */

import { filesIn } from "../text/diff.ts";
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
import { casesIn, lowered } from "./compare.ts";
import { gateParts, joined } from "./gate-script.ts";
import { judgingKind, shadows } from "./judging.ts";
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

/** Whether tests go with the change: fewer cases that run are no wonder then. */
export const losesTests = (change: Change): boolean =>
  partsOf(change).some(({ path, judging, file, removed, added }) => {
    const isLess = casesIn(path, removed).length > casesIn(path, added).length;
    return isLess || (judging === "test" && file.kind === "deleted");
  });

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
  found.push(...unseen(change));
  const code = parts.filter((one) => one.judging === null && CODE.test(one.path));
  const hasCode = code.length > 0;
  const isRemoval = removesCode(code, parts);
  const seen = new Set<string>();
  return found
    .map((one) =>
      (!hasCode && OF_TESTS_ALONE.includes(one.kind)) || (isRemoval && WENT.includes(one.kind))
        ? { ...one, isNote: true }
        : one,
    )
    .filter(({ kind, path, line }) => {
      const key = `${kind} ${path} ${line}`;
      return !seen.has(key) && seen.add(key);
    })
    .sort((a, b) => Number(a.isNote) - Number(b.isNote))
    .slice(0, SIGNALS_MAX);
}

/** Tests that git does not show as text: nobody sees what changes in them. */
const unseen = ({ diff, judges }: Change): Signal[] =>
  filesIn(diff)
    .filter(({ path, kind }) => {
      const judging = judgingKind(path, judges);
      return (
        kind === "binary" && (judging === "test" ? CODE.test(path) : (judging ?? "snapshot") !== "snapshot")
      );
    })
    .map(({ path }) =>
      signal("hidden", path, null, "git shows it as binary, or it is too large, so nobody sees its changes"),
    );

/** What a test loses as well where the code that it tested is taken away. */
const WENT: readonly SignalKind[] = ["deleted", "fewer", "dropped"];
const REMOVAL_MIN = 15;

/** More of the code goes than of its tests: what it did is not wanted any more. */
function removesCode(code: readonly Part[], parts: readonly Part[]): boolean {
  const removed = (of: readonly Part[]): number =>
    of.reduce((sum, one) => sum + one.removed.filter((line) => line.trim() !== "").length, 0);
  const gone = removed(code);
  return gone >= REMOVAL_MIN && gone >= removed(parts.filter((one) => one.judging === "test"));
}

/** What a command runs is another: its words, and the scripts that it starts. `name`: gate or check. */
async function runsOther(
  name: string,
  command: string,
  { before, after }: Change,
  parts: readonly Part[],
): Promise<Signal[]> {
  if (command === "") return [];
  const touched = new Set(parts.map(({ path }) => path));
  const [was, is] = [await gateParts(command, before, touched), await gateParts(command, after, touched)];
  const changed = [...was].filter(([key, text]) => is.get(key) !== text).map(([key]) => key);
  // A file that the gate did not know can come before one that it knew; npm runs "pretest" before "test".
  // A name may have a space in it.
  const fileOf = (key: string): string =>
    [...touched]
      .filter((path) => key === path || key.startsWith(`${path} `))
      .sort((a, b) => b.length - a.length)[0] ??
    key.split(" ")[0] ??
    key;
  const isOld = (path: string): boolean =>
    parts.some(({ path: own, file }) => own === path && file.kind !== "new");
  const comes = (key: string): boolean => {
    const path = fileOf(key);
    return /\.json (?:pre|post)/.test(key) || shadows(path) || (/ settings$/.test(key) && isOld(path));
  };
  const came = [...is.keys()].filter((key) => !was.has(key) && comes(key));
  const others = [...changed, ...came].map((key) =>
    signal("gate", fileOf(key), null, `what the ${name} \`${command}\` runs is another: ${key}`),
  );
  return [...others, ...(await madeAlready(was, before, parts))];
}

async function gateSignals(change: Change, parts: readonly Part[]): Promise<Signal[]> {
  const judging = parts.filter((part) => part.judging !== null);
  return [
    ...(await runsOther("gate", change.gate, change, parts)),
    ...(await runsOther("check", change.check ?? "", change, parts)),
    ...parts
      .filter(({ path, file }) => file.kind === "new" && shadows(path) && !FIXTURE.test(path))
      .map(({ path }) =>
        signal("shadow", path, null, "a new file of this name comes before what the gate has used so far"),
      ),
    ...hiddenTests(parts, change.gate),
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
      ...chosenElsewhere(part),
    ]),
  ];
}

/** A new file with the name of a target that is not phony: make has nothing to do. */
async function madeAlready(
  gate: ReadonlyMap<string, string>,
  before: Change["before"],
  parts: readonly Part[],
): Promise<Signal[]> {
  const isNew = (path: string): boolean =>
    parts.some(({ path: own, file }) => file.kind === "new" && own === path);
  const found: Signal[] = [];
  for (const key of gate.keys()) {
    const [file = "", target = ""] = key.split(" ");
    const path = joined(file.replace(/[^/]*$/, ""), target);
    if (target === "" || !/makefile$/i.test(file) || !isNew(path)) continue;
    const phony = ((await before(file)) ?? "").match(/^\.PHONY\s*:.*$/gm)?.join(" ") ?? "";
    if (!phony.split(/[\s:]+/).includes(target))
      found.push(
        signal("shadow", path, null, `make takes the target ${target} for made: a file has its name`),
      );
  }
  return found;
}

/** What says which files and tests a runner takes. */
const CHOICE =
  /^\s*["']?(?:include|testMatch|testRegex|testpaths|python_files|python_functions|python_classes|specs?|spec_pattern|specPattern|roots|testDir)["']?\s*[:=]|<(?:directory|file|include|testSourceDirectory|suiteXmlFile)\b/;
/** One path or pattern. */
const CHOSEN = /[^"'<>\s,[\]=:]*[*/][^"'<>\s,[\]]*|(?<=>)\w+(?=<)/g;
const OF_RUNNER = /(?:vite|vitest|jest|karma|ava|playwright|cypress|mocharc|phpunit|pytest|testng)[\w.]*$/;

/** The runner takes other files than before: what it took is not among them. */
function chosenElsewhere({ path, judging, blocks }: Part): Signal[] {
  if (judging !== "settings" || !OF_RUNNER.test(path)) return [];
  const texts = (lines: readonly string[]): string[] =>
    lines.filter((one) => CHOICE.test(one)).flatMap((one) => one.match(CHOSEN) ?? []);
  return blocks.flatMap(({ removed, added, line }) => {
    const now = texts(added);
    const lost = texts(removed).find((text) => !now.includes(text));
    return lost !== undefined && now.length > 0
      ? [signal("excluded", path, line, `other tests are looked at: ${shown(now.join(", "))}`)]
      : [];
  });
}

const INSTALLS =
  /^\s*(?:-\s+)?(?:run:\s*)?(?:sudo\s+)?(?:rustup|apt|apt-get|brew|pipx?3?|uv\s+(?:tool\s+install|pip|sync)|npm\s+(?:i|ci|install)|(?:gem|go|cargo)\s+install)\b[^&;|]*$/;
/** What a line of a pipeline runs: tests, or what looks at the code. */
const RUNS: readonly RegExp[] = [
  /(?<![\w/.-])(?:tests?|test:\w+|pytest|vitest|jest|mocha|ctest|rspec|phpunit|tox|nox|coverage|verify)(?![\w/.-])/,
  /(?<![\w/.-])(?:clippy|e?s?lint|flake8|ruff|mypy|tsc|(?:make|cargo|run|just|pnpm|yarn)\s+check)(?![\w/.])/,
];

/** Pipelines that stop to run tests, with nothing in their place. */
function hiddenTests(parts: readonly Part[], gate: string): Signal[] {
  const pipelines = parts.filter(({ judging }) => judging === "pipeline");
  const own = { test: (line: string): boolean => gate.includes("/") && line.includes(gate) };
  return [...RUNS, own].flatMap((run) => {
    const isRun = (line: string): boolean => {
      const code = line
        .replace(/\s#.*$/, "")
        .replace(/(?:\.\/)?(?:vendor|node_modules\/\.|\.venv)?\/?bin\//, "");
      const isLine = /\b(?:run|script|command):|^\s*-\s|^\s{4,}\S/.test(code);
      const isKey = /^\s*(?:-\s+)?\{?\s*(?!run:|script:|command:)[\w.-]+:(?:\s|$)/.test(code);
      return isLine && run.test(code) && !isKey && !INSTALLS.test(code);
    };
    if (pipelines.some(({ added }) => added.some(isRun))) return [];
    return pipelines.flatMap(({ path, removed }) =>
      removed
        .filter(isRun)
        .slice(0, 1)
        .map((line) => signal("hidden", path, null, `the pipeline does not run it any more: ${shown(line)}`)),
    );
  });
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
