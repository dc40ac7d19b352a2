/** A change, taken apart by file, and the signals that are found in it. Pure. */
import { filesIn, type PatchFile } from "../text/diff.ts";
import { type Block, blocksOf, LINE_MAX } from "./blocks.ts";
import type { Read } from "./gate-script.ts";
import { isNamedTest, type JudgingKind, judgingKind, judgingOf } from "./judging.ts";
import type { Kind, Where } from "./patterns.ts";

export type SignalKind =
  | Kind
  | "deleted"
  | "fewer"
  | "dropped"
  | "weakened"
  | "cut"
  | "snapshot"
  | "gate"
  | "shadow"
  | "hidden"
  | "expected"
  | "fake";
/** `isNote`: it is told and stops nothing. `line`: in the present file; null for the file as a whole. */
export type Signal = {
  readonly kind: SignalKind;
  readonly path: string;
  readonly line: number | null;
  readonly says: string;
  readonly isNote: boolean;
};

export type Change = {
  /** As `git diff` shows it, without renames. */
  readonly diff: string;
  readonly gate: string;
  /** The command that proves the task; "" for none. */
  readonly check?: string | undefined;
  readonly judges: readonly string[];
  /** Files of the base, and of the candidate; null where there is none. */
  readonly before: Read;
  readonly after: Read;
};

export type Part = {
  readonly file: PatchFile;
  readonly path: string;
  readonly judging: JudgingKind | null;
  readonly where: Where;
  readonly blocks: readonly Block[];
  /** Without the lines that the change has only moved. */
  readonly removed: readonly string[];
  readonly added: readonly string[];
};

export const CODE =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kts?|scala|groovy|rb|php|cs|fs|vb|swift|c|cc|cpp|h|hpp|exs?|dart|vue|svelte|lua|zig)$/;
/** Text that is about code and is none. */
const PROSE =
  /\.(?:md|mdx|rst|(?<!CMakeLists\.)txt|adoc|svg|lock|po|csv|snap)$|(?:^|\/)(?:CHANGELOG|LICENSE|package-lock\.json)/i;

/** A project that tests a runner has such files as data. */
export const FIXTURE = /(?:^|\/)(?:fixtures?|testdata|test-data|__fixtures__|examples?|snapshots)\//;

const taken = new WeakMap<Change, readonly Part[]>();

export function partsOf(change: Change): readonly Part[] {
  const parts = taken.get(change) ?? takenApart(change);
  taken.set(change, parts);
  return parts;
}

function takenApart({ diff, judges }: Change): Part[] {
  // A line that ends in another way is the same line.
  const files = filesIn(diff.replaceAll("\r\n", "\n")).filter(
    (file) =>
      ((file.kind !== "binary" || CODE.test(file.path)) && !PROSE.test(file.path)) ||
      judgingKind(file.path, judges) === "snapshot",
  );
  const gone = new Map<string, number>();
  const came = new Map<string, number>();
  const count = (counts: Map<string, number>, text: string, by: number): void => {
    counts.set(text, (counts.get(text) ?? 0) + by);
  };
  // A line may move within a file, or from one test file to another. A test that becomes no test has not moved.
  const placeOf = (path: string): string =>
    judgingKind(path, judges) === "test" ? String(isNamedTest(path)) : path;
  const keyOf = (place: string, text: string): string => `${place}\0${text.trim()}`;
  const places = new Map(files.map(({ path }) => [path, placeOf(path)]));
  for (const { path, lines } of files) {
    const place = places.get(path) ?? path;
    for (const { sign, text } of lines) {
      if (sign === "-") count(gone, keyOf(place, text), 1);
      else if (sign === "+") count(came, keyOf(place, text), 1);
    }
  }
  return files.map((file) => {
    const place = places.get(file.path) ?? file.path;
    const left = (sign: string, others: Map<string, number>): string[] =>
      file.lines.flatMap(({ sign: own, text }) => {
        if (own !== sign) return [];
        const key = keyOf(place, text);
        if ((others.get(key) ?? 0) === 0) return [text.slice(0, LINE_MAX)];
        count(others, key, -1);
        return [];
      });
    const judging = judgingOf(file, judges);
    const where = judging ?? "code";
    return {
      file,
      path: file.path,
      judging,
      where,
      blocks: blocksOf(file),
      removed: left("-", new Map(came)),
      added: left("+", new Map(gone)),
    };
  });
}

export const signal = (
  kind: SignalKind,
  path: string,
  line: number | null,
  says: string,
  isNote = false,
): Signal => ({
  ...{ kind, path, line, says, isNote },
});

export const shown = (text: string): string => text.trim().slice(0, 160);

export const lineOf = ({ file }: Part, text: string): number | null =>
  file.lines.find((one) => one.sign === "+" && one.text.startsWith(text))?.number ?? null;

/** "test_sum.py", "sum.test.ts" and "SumTest.java" → "sum". */
export const stemOf = (path: string): string =>
  (path.split("/").at(-1) ?? path)
    .replace(/\.(?:snap|ambr)$/, "")
    .replace(/\.[^.]+$/, "")
    .replace(/^test_|(?:[._-](?:test|tests|spec|specs|e2e|cy)|Tests?|Spec|IT)$/i, "")
    .toLowerCase();
