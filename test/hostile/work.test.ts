/**
 * Text of strangers (pages, output, files, models) must not hold up the one thread of a host: four times as much takes about four times as
 * long. One table of functions, each with the shapes that made one of their kind slow.
 */
import { expect, it } from "vitest";
import { parseMarkdown } from "../../src/adapters/disk/markdown.ts";
import { readReview } from "../../src/core/board/review.ts";
import { behindMarks, shownResult, withoutMarks } from "../../src/core/conversation/foreign.ts";
import { imagesNamed } from "../../src/core/conversation/image.ts";
import { escapeTags, tagsIn } from "../../src/core/conversation/tags.ts";
import { failingIn } from "../../src/core/gate/failing.ts";
import { signsIn } from "../../src/core/gate/tampering.ts";
import { noticeIn } from "../../src/core/limits/notices.ts";
import { pathsIn } from "../../src/core/patch.ts";
import { elapsedIn, settled } from "../../src/core/progress/volatile.ts";
import { scriptsIn } from "../../src/core/project/fences.ts";
import { splitFrontMatter } from "../../src/core/project/front-matter.ts";
import { isMarked, withMark } from "../../src/core/project/mark.ts";
import { extracted, gistOf } from "../../src/core/project/memory.ts";
import { parseRunbook } from "../../src/core/project/runbook.ts";
import { secretIn } from "../../src/core/project/secret.ts";
import { codeParts } from "../../src/core/text/code-parts.ts";
import { filesIn } from "../../src/core/text/diff.ts";
import { escapes } from "../../src/core/text/hidden.ts";
import { jsonObjects } from "../../src/core/text/json-objects.ts";
import { lastPrinted } from "../../src/core/text/live-output.ts";
import { oneLine } from "../../src/core/text/one-line.ts";
import { plainText } from "../../src/core/text/plain-text.ts";
import { Secrets } from "../../src/core/text/secrets.ts";
import { fenced } from "../../src/core/views/transcript-markdown.ts";
import { nearestLines } from "../../src/tools/files/nearest-lines.ts";
import { cpuMs } from "../fixtures/cpu.ts";
import { sampled } from "../fixtures/fuzz.ts";

const secrets = new Secrets([{ name: "KEY", value: "abcdefgh12345678" }]);
const diffOf = (text: string): string =>
  `diff --git a/x.test.ts b/x.test.ts\n--- a/x.test.ts\n+++ b/x.test.ts\n@@ -1 +1 @@\n${text.replace(/^/gm, "+")}\n`;

/** Without HTML, which is read in a thread of its own. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  plainText,
  parseRunbook,
  "parseRunbook, a task": (text) => parseRunbook(`# goal\n\n## task\n${text}\n`),
  "parseRunbook, a heading": (text) => parseRunbook(`# goal\n\n## ${text}\n`),
  shownResult,
  behindMarks,
  withoutMarks: (text) => withoutMarks(text, () => true),
  escapes,
  tagsIn,
  escapeTags,
  jsonObjects,
  oneLine,
  imagesNamed,
  scriptsIn,
  splitFrontMatter: (text) => splitFrontMatter(`---\n${text}\n---\n`),
  parseMarkdown,
  extracted,
  gistOf,
  secretIn,
  failingIn: (text) => failingIn(text, "exit code 1", "/x"),
  noticeIn: (text) => noticeIn(text, 0 as never, "UTC"),
  settled,
  elapsedIn,
  fenced,
  nearestLines: (text) => nearestLines(text, "foo bar\nbaz"),
  readReview: (text) => readReview(text, ""),
  lastPrinted: (text) => lastPrinted(text, true, (one) => one),
  redact: (text) => secrets.redact(text),
  codeParts: (text) => codeParts(text, "ts"),
  filesIn: (text) => filesIn(diffOf(text)),
  signsIn: (text) => signsIn(diffOf(text), []),
  pathsIn,
  isMarked: (text) => isMarked(text, "Review"),
  withMark: (text) => withMark(text, "Review", true),
};

const UNITS = [
  ...[
    " ",
    "\t",
    "\r",
    "\n",
    "\r\n",
    "\f",
    "\u00a0",
    "a",
    "a ",
    " a",
    "x\n",
    " \n",
    "\n ",
    "A",
    "0",
    "0.",
    "é",
    "日",
  ],
  ...[
    "#",
    "# ",
    "## x\n",
    "`",
    "~",
    "*",
    "-",
    "- ",
    "> ",
    "[",
    "]",
    "[a](b)",
    "(",
    ")",
    "{",
    "}",
    '{"a":',
    "|",
    "---\n",
  ],
  ...[
    "<",
    ">",
    "<a",
    "<a>",
    "</a>",
    "<b><i>",
    "<ul><li>",
    "<!--",
    "<script",
    "&lt;",
    "&nbsp;",
    "<mail ",
    "[U+",
    "</",
  ],
  ...[
    "\\",
    '"',
    "'",
    "=",
    "/",
    ".",
    ",",
    ":",
    "://",
    "a@",
    "a://b:",
    "@",
    '@"',
    "$(",
    "a:",
    "a: ",
    "a=",
    "key=",
    "1:",
  ],
  ...[
    "\u200d",
    "\u2028",
    "\u001b[",
    "\u001b]",
    "\u001b[0",
    "\u009d",
    "\u001b",
    "sk-",
    "eyJ",
    "Bearer ",
    "password: ",
  ],
  ...[
    "After: a, ",
    "After: a\n",
    "Review:",
    "Review: \n",
    "12:30 ",
    "reset ",
    "exit 0 ",
    "+a\n",
    "@@ -1 +1 @@\n",
  ],
  ...[
    "*** Update File: x\n",
    "diff --git a/x b/x\n",
    "expect(",
    "import ",
    "it.skip ",
    "catch {",
    "a.",
    "a-",
    "a_",
    "a/",
  ],
];
const AROUND: readonly (readonly [before: string, after: string])[] = [
  ["", ""],
  ["x", "x"],
  ["# ", "!"],
  ["", "\nx"],
  ["```\n", ""],
];

const SMALL = 5_000;
const TIMES = 4;
/** Below this nothing is held up, and the grain of the clock is larger than a difference. */
const LITTLE_MS = 40;

const isSlower = (few = 0, many = 0): boolean => many > LITTLE_MS && many > few * TIMES * 2.5;

/** Milliseconds on the processors, whatever else the machine does. */
const cost = (read: () => unknown): number =>
  cpuMs(() => {
    try {
      void Promise.resolve(read()).catch(() => {});
    } catch {} // it refuses the text
  });

it.each(sampled(Object.keys(READERS), 2))(
  "%s takes time by the length of a text",
  (name) => {
    const read = READERS[name] as (text: string) => unknown;
    const slow: string[] = [];
    for (const unit of UNITS)
      for (const [before, after] of AROUND) {
        const make = (length: number): string =>
          before + unit.repeat(Math.ceil(length / unit.length)) + after;
        if (cost(() => read(make(SMALL * TIMES))) < LITTLE_MS) continue;
        // The square of it would be 16 times as much at each step.
        const [few, more, most] = [1, TIMES, TIMES ** 2].map((times) =>
          cost(() => read(make(SMALL * times))),
        );
        if (isSlower(few, more) && isSlower(more, most))
          slow.push(`${JSON.stringify([before, unit, after])}: ${few}, ${more}, ${most} ms`);
      }
    expect(slow).toEqual([]);
  },
  300_000,
);
