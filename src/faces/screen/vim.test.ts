import { expect, it } from "vitest";
import { type Text, Vim } from "./vim.ts";

const text = (...lines: string[]): Text => ({ lines, line: 0, col: 0 });
const normal = (): Vim => {
  const vim = Object.assign(new Vim(), { isOn: true });
  vim.takes("\x1b", text("x"));
  return vim;
};

/** The text after the keys, with a bar before the cursor. */
function after(start: string, keys: string): string {
  const vim = normal();
  const at = start.indexOf("|");
  const before = start.slice(0, at).split("\n");
  let now: Text = {
    lines: start.replace("|", "").split("\n"),
    line: before.length - 1,
    col: before.at(-1)?.length ?? 0,
  };
  for (const key of keys) {
    const done = vim.takes(key, now);
    if (done && "lines" in done) now = done;
  }
  return now.lines
    .map((line, i) => (i === now.line ? `${line.slice(0, now.col)}|${line.slice(now.col)}` : line))
    .join("\n");
}

it("is nothing where it is not wanted", () => {
  expect(new Vim().takes("\x1b", text("a"))).toBeNull();
  expect(Object.assign(new Vim(), { isOn: true }).takes("h", text("a"))).toBeNull();
});

// What Vim 9 makes of the same keys.
it.each([
  ["|one two three", "w", "one |two three"],
  ["|one two three", "2w", "one two |three"],
  ["|one two three", "9w", "one two thre|e"],
  ["|a.b(c) d", "ww", "a.|b(c) d"],
  ["|one two", "e", "on|e two"],
  ["|one two", "ee", "one tw|o"],
  ["one two| three", "b", "one |two three"],
  ["one two thr|ee", "2b", "one |two three"],
  ["one t|wo", "0", "|one two"],
  ["  one t|wo", "^", "  |one two"],
  ["o|ne two", "$", "one tw|o"],
  ["|one two", "fo", "one tw|o"],
  ["|one two", "2fo", "|one two"],
  ["|one two", "tw", "one |two"],
  ["one two thre|e", "Fo", "one tw|o three"],
  ["one two thre|e", "Tw", "one tw|o three"],
  ["one |two three", "dw", "one |three"],
  ["|one two three", "2dw", "|three"],
  ["|one two three", "d2w", "|three"],
  ["one |two", "dw", "one| "],
  ["one t|wo three", "db", "one |wo three"],
  ["one |two three", "de", "one | three"],
  ["one t|wo three", "diw", "one | three"],
  ["one t|wo three", "daw", "one |three"],
  ["one two th|ree", "daw", "one tw|o"],
  ["one |two three", "dt ", "one | three"],
  ["one |two three", "df ", "one |three"],
  ["one |two three", "D", "one| "],
  ["one |two", "x", "one |wo"],
  ["one |two", "2x", "one |o"],
  ["one |two", "X", "one|two"],
  ["one |two", "rx", "one |xwo"],
  ["one |two", "2~", "one TW|o"],
  ["|one\ntwo\nthree", "dd", "|two\nthree"],
  ["one\ntwo\n|three", "dd", "one\n|two"],
  ["|one\ntwo\nthree", "2dd", "|three"],
  ["|one\ntwo\nthree", "dj", "|three"],
  ["|one\ntwo\nthree", "dG", "|"],
  ["one\ntwo\nth|ree", "gg", "|one\ntwo\nthree"],
  ["|one\ntwo\nthree", "G", "one\ntwo\n|three"],
  ["|one\ntwo\nthree", "2G", "one\n|two\nthree"],
  ["|one two", "dwp", "tone| wo"],
  ["|one two", "ywP", "one| one two"],
  ["|one\ntwo", "yyp", "one\n|one\ntwo"],
  ["|one\ntwo", "yyP", "|one\none\ntwo"],
  ["|\none", "yyp", "\n|\none"],
  ["one t|wo\n  three", "w", "one two\n  |three"],
  ["one\n|two", "b", "|one\ntwo"],
  ["on|e\ntwo", "e", "one\ntw|o"],
  ["one\n|two", "dj", "one\n|two"],
  ["|one two three four", "dw.", "|three four"],
  ["|a😀b", "lx", "a|b"],
])("turns %j by %s into %j", (start, keys, end) => {
  expect(after(start, keys)).toBe(end);
});

it.each([
  ["one |two three", "cw", "one | three"],
  ["one |two three", "C", "one |"],
  ["|one\ntwo", "cc", "|\ntwo"],
  ["one |two", "s", "one |wo"],
  ["one tw|o", "a", "one two|"],
  ["one |two", "A", "one two|"],
  ["  on|e", "I", "  |one"],
  ["|one\ntwo", "o", "one\n|\ntwo"],
  ["one\n|two", "O", "one\n|\ntwo"],
])("turns %j by %s into %j, and types then", (start, keys, end) => {
  expect(after(start, keys)).toBe(end);
  const vim = normal();
  for (const key of keys) vim.takes(key, text("one two"));
  expect(vim.mode).toBe("");
  expect(vim.takes("h", text("one two"))).toBeNull();
});

it("leaves lines and steps back to the editor, counts of them too", () => {
  const vim = normal();
  const one = text("one two");
  expect(vim.takes("j", one)).toEqual({ keys: ["\x1b[B"] });
  vim.takes("2", one);
  expect(vim.mode).toBe("-- NORMAL -- 2");
  expect(vim.takes("k", one)).toEqual({ keys: ["\x1b[A", "\x1b[A"] });
  expect(vim.takes("u", one)).toEqual({ keys: ["\x1f"] });
  for (const key of ["1", "0"]) expect(vim.takes(key, one)).toEqual({ keys: [] });
  expect(vim.takes("u", one)).toEqual({ keys: Array(10).fill("\x1f") });
});

it("gives up what was begun at a key that means nothing, and at Esc", () => {
  const vim = normal();
  const one = text("one two");
  for (const key of ["d", "q"]) expect(vim.takes(key, one)).toEqual({ keys: [] });
  expect(vim.mode).toBe("-- NORMAL --");
  vim.takes("d", one);
  expect(vim.takes("\x1b", one)).toEqual({ keys: [] });
  expect(vim.mode).toBe("-- NORMAL --");
});

it("leaves Esc to the screen in the normal mode and on an empty line, and Enter and commands too", () => {
  const vim = Object.assign(new Vim(), { isOn: true });
  expect(vim.takes("\x1b", text(""))).toBeNull();
  vim.takes("\x1b", text("one"));
  expect(vim.takes("\x1b", text("one"))).toBeNull();
  expect(vim.takes("\r", text("one"))).toBeNull();
  expect(vim.mode).toBe("");
  vim.takes("\x1b", text("one"));
  expect(vim.takes("/", text(""))).toBeNull();
  expect(vim.mode).toBe("");
});
