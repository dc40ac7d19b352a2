import fc from "fast-check";
import { expect, it } from "vitest";
import { FUZZ } from "../../../../test/fixtures/fuzz.ts";
import { Grid } from "../../../../test/fixtures/pty.ts";
import { changedRows, wholeRows } from "./rows.ts";

const SIZE = { columns: 30, rows: 10 };

/** The text of a terminal, and the looks of each character, after these frames. */
function shownAfter(frames: readonly (readonly string[])[]): string[] {
  const grid = new Grid(SIZE);
  grid.write("\x1b[?7l");
  let was: readonly string[] = [];
  for (const now of frames) {
    grid.write(was.length === 0 ? wholeRows(now) : changedRows(was, now));
    was = now;
  }
  return grid.lines();
}

const plain = (line: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one
  line.replace(/\x1b\[[\d;]*m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)/g, "").trimEnd();

const word = fc.constantFrom(
  ...[
    "a",
    "word",
    " ",
    "\x1b[1mstrong\x1b[22m",
    "\x1b[32mgreen\x1b[39m",
    "\x1b[38;5;9mx",
    "…",
    "─",
    "日本",
    "é",
    "👩‍💻",
  ],
  ...[
    "\x1b]8;;http://a\x07link\x1b]8;;\x07",
    "\x1b]8;;http://b\x1b\\link\x1b]8;;\x1b\\",
    "\x1b[0m",
    "\x1b[7m \x1b[27m",
  ],
);
const line = fc.array(word, { maxLength: 5 }).map((words) => words.join(""));
const frame = fc.array(line, { minLength: SIZE.rows, maxLength: SIZE.rows });
/** A frame, and others in which its rows moved, as those of a feed do. */
const frames = fc
  .tuple(frame, fc.array(fc.tuple(fc.integer({ min: -6, max: 6 }), fc.nat(4), line), { maxLength: 5 }))
  .map(([first, moves]) => {
    const all = [first];
    for (const [by, fixed, fresh] of moves) {
      const last = all.at(-1) ?? [];
      const feed = last.slice(0, SIZE.rows - fixed);
      const moved = feed.map((_, row) => feed[row + by] ?? fresh);
      all.push([...moved, ...last.slice(SIZE.rows - fixed)]);
    }
    return all;
  });

it("shows the last frame, whatever was shown before", () => {
  fc.assert(
    fc.property(frames, (all) => {
      expect(shownAfter(all)).toEqual(all.at(-1)?.map(plain));
    }),
    { ...FUZZ, numRuns: 300 },
  );
});

it("scrolls rows that moved, and keeps what stands below them", () => {
  const feed = Array.from({ length: 8 }, (_, i) => `line ${i} ${"x".repeat(20)}`);
  const was = [...feed, "── editor ──", "the last line"];
  const now = [...feed.slice(1), "a new line", "── editor ──", "the last line"];
  const bytes = changedRows(was, now);
  expect(bytes).toContain("\x1b[1;8r");
  expect(bytes.length).toBeLessThan(60);
  expect(changedRows(now, was)).toContain("\x1bM");
  expect(shownAfter([was, now, was])).toEqual(was);
});

it("writes the columns that changed, with their colour alone", () => {
  const strip = (mark: string, time: number): string =>
    `\x1b[36m${mark}\x1b[39m \x1b[95malice\x1b[39m \x1b[2mruns the tests of the store ${time}s\x1b[22m`;
  const bytes = changedRows([strip("⠋", 3)], [strip("⠙", 4)]);
  expect(bytes).toContain("\x1b[36m⠙");
  expect(bytes).toContain("\x1b[0m\x1b[2m4\x1b[0m");
  expect(bytes).not.toContain("alice");
  expect(bytes.length).toBeLessThan(50);
});
