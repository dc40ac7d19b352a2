/**
 * Small faults in lines of code, to see whether a gate notices them. On the level of text, so that it serves every language that looks
 * like C or Python. A fault that changes nothing can come out of it: a person looks at the survivors. Pure.
 */
import { CODE } from "./change.ts";
import { judgingKind } from "./judging.ts";

export type Mutant = {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly kind: MutantKind;
  readonly before: string;
  readonly after: string;
};

type Row = readonly [kind: MutantKind, fault: (line: string) => string];
export type MutantKind = (typeof KINDS)[number];
export const KINDS = ["negated", "swapped", "dropped", "off by one", "constant"] as const;

const SWAPS: Readonly<Record<string, string>> = {
  ...{ "===": "!==", "!==": "===", "==": "!=", "!=": "==" },
  ...{ "<=": ">", ">=": "<", " < ": " >= ", " > ": " <= " },
  ...{ " && ": " || ", " || ": " && ", " and ": " or ", " or ": " and " },
};
const COMPARED = /===|!==|==|!=|<=|>=| < | > | && | \|\| | and | or /;
/** A call or an assignment on a line of its own. */
const STATEMENT =
  /^\s*(?!(?:return|if|for|while|else|elif|case|switch|try|catch|finally|import|from|export|def|class|function|func|fn|let|const|var|type|interface|use|package|raise|throw|assert|with|match|do|end|pub|public|private|protected|static|async|@)\b)[\w.$[\]'"]+(?:\(.*\)|\s*(?:[-+*/]?=)(?!=)\s*\S.*);?\s*$/;

const ROWS: readonly Row[] = [
  ["swapped", (line) => line.replace(COMPARED, (found) => SWAPS[found] ?? found)],
  [
    "negated",
    (line) =>
      line
        .replace(/\b(if|while)\s*\((?!\()(.+)\)(\s*(?:\{.*|[^)]*))$/, "$1 (!($2))$3")
        .replace(/^(\s*(?:if|elif|while)) (?!\()(.+):(\s*)$/, "$1 not ($2):$3"),
  ],
  ["dropped", (line) => (STATEMENT.test(line) ? "" : line)],
  ["off by one", (line) => line.replace(/([+-]) ?1\b(?!\.)|\b(?<![\w.'"#-])(\d{1,3})\b(?![\w.'"])/, shifted)],
  [
    "constant",
    (line) =>
      line.replace(/\breturn\s+(?!(?:null|nil|None|undefined|0)\s*;?\s*$)[^;{(][^;{]*(;?)\s*$/, "return 0$1"),
  ],
];

function shifted(found: string, sign: string | undefined): string {
  if (sign !== undefined) return sign === "+" ? "- 1" : "+ 1";
  return String(Number(found) + 1);
}

/** No code is on it, or only a name: a comment, an import, a text. */
const EMPTY = /^\s*(?:$|\/\/|\/?\*|#|--|["'`]|import\b|from\b|use\b|package\b|[{}()[\],;]+\s*$|@)/;

/** The faults of some lines of a file, in their order. `lines`: the numbers of those that may change, from 1. */
export function mutantsOf(path: string, text: string, lines: ReadonlySet<number>): Mutant[] {
  if (!CODE.test(path) || judgingKind(path) !== null) return [];
  return text.split("\n").flatMap((before, nth) => {
    if (!lines.has(nth + 1) || EMPTY.test(before) || before.length > LINE_MAX) return [];
    return ROWS.flatMap(([kind, fault]) => {
      const after = fault(before);
      return after === before ? [] : [{ path, line: nth + 1, kind, before, after }];
    });
  });
}
const LINE_MAX = 200;

export const withMutant = (text: string, { line, after }: Mutant): string =>
  text
    .split("\n")
    .map((own, nth) => (nth + 1 === line ? after : own))
    .join("\n");

/** At most so many, spread over files, lines and kinds, the same for the same faults. `hash`: of a text, evenly spread. */
export function sampleOf(all: readonly Mutant[], most: number, hash: (text: string) => string): Mutant[] {
  const keyed = all.map((one) => ({ one, key: hash(keyOf(one)) })).sort((a, b) => (a.key < b.key ? -1 : 1));
  // One of each line first: five faults of one line tell as much as one.
  const seen = new Set<string>();
  const first = keyed.filter(({ one: { path, line } }) => {
    const place = `${path}:${line}`;
    return !seen.has(place) && seen.add(place);
  });
  const rest = keyed.filter((one) => !first.includes(one));
  return [...first, ...rest].slice(0, most).map(({ one }) => one);
}

/** Names a fault as long as its line is the same. */
export const keyOf = ({ path, kind, before, after }: Mutant): string =>
  [path, kind, before.trim(), after.trim()].join("\n");

export type Leak = { readonly leak: number; readonly low: number; readonly high: number };

/** The part of the faults that a gate did not notice, with the bounds of Wilson's interval of 95 %. */
export function leakOf(killed: number, survived: number): Leak {
  const n = killed + survived;
  if (n === 0) return { leak: 0, low: 0, high: 1 };
  const [p, z] = [survived / n, 1.96];
  const middle = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))) / (1 + (z * z) / n);
  return { leak: p, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}
