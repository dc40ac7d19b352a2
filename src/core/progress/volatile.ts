/**
 * Takes out of a result what differs from call to call although nothing has changed. Two results that are the same afterwards tell an
 * agent nothing new. Numbers that count something stay.
 */

/** Characters of a text that are compared: more would only cost time. */
const READ_MAX = 20_000;

type Row = readonly [pattern: RegExp, instead: string | ((found: string, ...parts: string[]) => string)];
/** "7m12s", "0.3 s" */
const DURATION = /\b(?:\d+(?:\.\d+)? ?(?:ns|µs|ms|secs?|seconds?|s|mins?|minutes?|m|hours?|h)(?![a-z]))+/gi;
const PART = /(\d+(?:\.\d+)?) ?([nµ]?s|ms?|s|h)/gi;

/** In this order: a later row would match a part of what an earlier one means. The test has examples for each. */
export const VOLATILE = {
  dates: [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?(?:Z|[+-]\d\d:?\d\d)?/g, "<time>"],
  clocks: [/\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AP]M)?\b/g, "<time>"],
  days: [
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:\d{1,2} )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w* *(?:\d{1,2})?/g,
    "<time>",
  ],
  "seconds since 1970": [/\b1[5-9]\d{8}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?\b/g, "<time>"],
  UUIDs: [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, "<id>"],
  hashes: [/\b(?=[a-f]{0,40}\d)(?=\d{0,40}[a-f])[\da-f]{6,128}\b/gi, "<id>"],
  "numbers of processes and requests": [
    /\b(pid|process(?: group)?|port|jobs?|plans?|requests?|crons?|mail)([ :=#]+)[a-z]{0,2}\d+\b/gi,
    "$1$2<id>",
  ],
  "elapsed times": [DURATION, "<time>"],
  "temporary names": [/\b(?:tmp|temp)[._-]?[\w-]*\d[\w-]*|\/tmp\/[\w./-]+/gi, "<temp>"],
  subagents: [/\b[a-z][a-z\d-]{0,31}\/\d+\b/g, "<id>"],
  "short ids": [/\b[jcrp]\d+\b|#\d+\b/g, "<id>"],
  "random bytes": [/[\w+/]{8,}={0,2}/g, (word: string) => (isRandom(word) ? "<id>" : word)],
  "white space": [/\s+/g, ""],
} as const satisfies Readonly<Record<string, Row>>;

/** Whether the characters of a word look as if they were drawn: kinds of characters change too often for a name. */
function isRandom(word: string): boolean {
  let [changes, last] = [0, ""];
  for (const char of word) {
    const kind = /\d/.test(char) ? "digit" : /[A-Z]/.test(char) ? "upper" : "lower";
    if (last !== "" && kind !== last) changes += 1;
    last = kind;
  }
  return /\d[a-z+/]+\d/i.test(word) && changes >= 3 && changes >= word.length / 4;
}

/** The text without what is volatile. */
export const settled = (text: string): string =>
  Object.values<Row>(VOLATILE).reduce(
    (rest, [pattern, instead]) => rest.replace(pattern, instead as string),
    text.slice(0, READ_MAX),
  );

/** The same, and without all other digits. */
export const blurred = (text: string): string => settled(text).replace(/\d+(?:[.,]\d+)*/g, "#");

const MS = { n: 1e-6, µ: 1e-3, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** All elapsed times in the text together, in milliseconds. */
export const elapsedIn = (text: string): number =>
  (text.slice(0, READ_MAX).match(DURATION) ?? [])
    .flatMap((found) => [...found.matchAll(PART)])
    .reduce((sum, [, amount, unit = "s"]) => {
      const ms = /^ms$/i.test(unit) ? 1 : MS[unit[0]?.toLowerCase() as keyof typeof MS];
      return sum + Number(amount) * ms;
    }, 0);
