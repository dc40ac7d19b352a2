/**
 * Takes out of a text what differs from call to call although nothing has changed: times, durations, ids of this program, process ids,
 * temporary names and random characters. Two results that are the same afterwards tell an agent nothing new.
 */

/** Characters of a text that are compared: more would only cost time. */
const READ_MAX = 20_000;

type Pattern = readonly [pattern: RegExp, word: string];
/** In this order: a later pattern would match a part of what an earlier one means. */
const TIMES: readonly Pattern[] = [
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?(?:Z|[+-]\d\d:?\d\d)?/g, "<time>"],
  [/\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AP]M)?\b/g, "<time>"],
  [
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:\d{1,2} )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w* *(?:\d{1,2})?/g,
    "<time>",
  ],
  [/\b1[5-9]\d{8}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?\b/g, "<time>"],
];
const RANDOM: readonly Pattern[] = [
  ...TIMES,
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, "<id>"],
  [/\b(?=[a-f]{0,40}\d)(?=\d{0,40}[a-f])[\da-f]{6,128}\b/gi, "<id>"],
  [
    /\b(pid|process(?: group)?|port|jobs?|plans?|requests?|crons?|mail)([ :=#]+)[a-z]{0,2}\d+\b/gi,
    "$1$2<id>",
  ],
  [/\b\d+(?:\.\d+)? ?(?:ns|µs|ms|s|secs?|seconds?|m|mins?|minutes?)\b/g, "<time>"],
  [/\b(?:tmp|temp)[._-]?[\w-]*\d[\w-]*|\/tmp\/[\w./-]+/gi, "<temp>"],
];
/** Results name jobs, plans, subagents and tasks by numbers; in a file such a word may be the name of anything. */
const PATTERNS: readonly Pattern[] = [
  ...RANDOM,
  [/\b[a-z][a-z\d-]{0,31}\/\d+\b/g, "<id>"], // a subagent
  [/\b[jcrp]\d+\b/g, "<id>"],
  [/#\d+\b/g, "<id>"],
];

const without = (text: string, patterns: readonly Pattern[]): string =>
  patterns.reduce((rest, [pattern, word]) => rest.replace(pattern, word), text);

/** The text without dates and times of day. */
export const timeless = (text: string): string => without(text, TIMES);

/** The text without what differs from call to call. Numbers that count something stay. */
export const settled = (text: string): string => unchanging(text, PATTERNS);

/** The same of a file's content. */
export const settledFile = (content: string): string => unchanging(content, RANDOM);

const unchanging = (text: string, patterns: readonly Pattern[]): string =>
  without(text.slice(0, READ_MAX), patterns).replace(/[\w+/]{8,}={0,2}/g, (word) =>
    isRandom(word) ? "<id>" : word,
  );

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

/** The same, and without all other digits. */
export const blurred = (text: string): string => settled(text).replace(/\d+(?:[.,]\d+)*/g, "#");

/** The numbers of a text that may count something, in order. */
export const figures = (text: string): number[] => (settled(text).match(/\d+(?:\.\d+)?/g) ?? []).map(Number);
