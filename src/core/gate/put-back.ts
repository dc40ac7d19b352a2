/** The files of a change that the gate gets as they are in the base, for its second run. Pure. */
import { filesIn } from "../text/diff.ts";
import type { Signal } from "./change.ts";
import { judgingOf } from "./judging.ts";

/** Paths of the change. Settings hold versions and much else that is honest: only those with a signal go back. */
export function putBack(diff: string, judges: readonly string[], signals: readonly Signal[]): string[] {
  const named = new Set(signals.filter(({ isNote }) => !isNote).map(({ path }) => path));
  // New tests may need what the new file beside them gives: they judge nothing of the base, and leave with it.
  const helpers = [...named].filter((path) => /(?:^|\/)conftest\.py$/.test(path) && isOfGate(path, signals));
  const leaves = (path: string): boolean =>
    helpers.some((helper) => path.startsWith(helper.slice(0, helper.lastIndexOf("/") + 1)));
  return filesIn(diff).flatMap((file) => {
    const { path, kind } = file;
    const judging = judgingOf(file, judges);
    const goes = named.has(path) && (judging !== null || isOfGate(path, signals));
    // A file that is new stays, but for one that takes the place of another.
    const isNew = kind === "new";
    const isJudge = judging !== null && judging !== "settings" && (!isNew || leaves(path));
    return goes || isJudge ? [path] : [];
  });
}

const isOfGate = (path: string, signals: readonly Signal[]): boolean =>
  signals.some((one) => one.path === path && (one.kind === "gate" || one.kind === "shadow"));

/** Parts of package.json that say what is run, and how. The rest of it is the candidate's, with the packages that its code needs. */
const RUNS = [
  "scripts",
  "jest",
  "mocha",
  "ava",
  "nyc",
  "c8",
  "vitest",
  "tap",
  "eslintConfig",
  "wireit",
  "nx",
];

/** The package.json of the candidate with what the base runs; null where one of the two cannot be read. */
export function packageWithScripts(candidate: string, base: string): string | null {
  try {
    const [now, before] = [candidate, base].map((text) => JSON.parse(text) as Record<string, unknown>);
    const scripts = { ...fields(now?.scripts), ...fields(before?.scripts) };
    // "pretest" of the candidate would run before "test".
    for (const name of Object.keys(scripts))
      if (/^(?:pre|post)/.test(name) && !Object.hasOwn(fields(before?.scripts), name)) delete scripts[name];
    const runs = Object.fromEntries(RUNS.map((key) => [key, before?.[key]]));
    // What a name stood for; new names are the candidate's.
    const imports = { ...fields(now?.imports), ...fields(before?.imports) };
    return `${JSON.stringify({ ...now, ...runs, scripts, imports }, null, 2)}\n`;
  } catch {
    return null;
  }
}

const fields = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
