/** Shell constructs in which words stand that are no commands: loops' items, `case` patterns, `[[ … ]]`, arrays. */
import { type Cursor, readWords, type Word } from "./words.ts";

export interface CommandCursor extends Cursor {
  /** The text that a sticky pattern matches here, and steps behind it. */
  match(pattern: RegExp): string | null;
  list(until: ")" | "branch" | null): void;
}

export const skipBlanks = (c: CommandCursor): void => void c.match(/(?:[ \t\r]|\\\n)+/y);

export const joined = (words: readonly Word[]): string => words.map(({ text }) => text).join(" ");

/** Behind `for` or `select`, up to its body. What is looped over is what the name may stand for. */
export function readLoop(c: CommandCursor): void {
  skipBlanks(c);
  // `for ((…))` is read as subshells of commands that nothing allows.
  if (c.source.startsWith("((", c.at)) {
    c.evaluates();
    return;
  }
  const name = readWords(c)[0]?.text ?? "";
  const items = c.match(/\s*in(?=[\s;]|$)/y) ? readUntil(c, /[;\n&|()]/) : [];
  c.values.set(name, joined(items));
}

/** Behind `case`, up to and with `esac`. */
export function readCase(c: CommandCursor): void {
  skipBlanks(c);
  readWords(c);
  let readable = c.match(/\s*in(?=\s)/y) !== null;
  while (readable && c.at < c.source.length) {
    c.match(/(?:\s|#[^\n]*)*/y);
    if (c.match(/esac(?=[\s;&|)]|$)/y)) return;
    c.match(/\(/y);
    while (c.at < c.source.length && c.source.charAt(c.at) !== ")") {
      const before = c.at;
      readWords(c);
      c.match(/[\s|]+/y);
      readable = c.at > before;
      if (!readable) break;
    }
    c.at += 1;
    c.list("branch");
  }
  c.fault();
}

/** Behind `[[`, up to and with `]]`: brackets and operators mean something else in it. */
export function readCondition(c: CommandCursor): Word[] {
  const words: Word[] = [{ text: "[[", exact: true }];
  while (c.at < c.source.length) {
    c.match(/[\s<>&|()]+/y);
    const part = readWords(c);
    words.push(...part);
    if (joined(part) === "]]") break;
    if (part.length === 0 && c.match(/;/y) === null) break;
  }
  if (words.at(-1)?.text !== "]]") c.fault();
  if (words.some(({ text }) => /^-(?:v|eq|ne|lt|le|gt|ge)$/.test(text))) c.evaluates();
  return words;
}

/** What is assigned: a word, nothing, or an array in brackets. */
export function readValue(c: CommandCursor): Word {
  if (!c.match(/\(/y)) {
    const words = readWords(c);
    return { text: joined(words), exact: words.every(({ exact }) => exact) };
  }
  const items: Word[] = [];
  while (c.at < c.source.length && !c.match(/\)/y)) {
    const before = c.at;
    items.push(...readUntil(c, /[\n)]/));
    c.match(/\s+/y);
    if (c.at === before) break;
  }
  if (c.source.charAt(c.at - 1) !== ")") c.fault();
  return { text: joined(items), exact: false };
}

/** The word that ends a here-document, as it is written. */
export const readDelimiter = (c: CommandCursor): string =>
  c.match(/(?:'[^'\n]*'|"[^"\n]*"|\\.|[^\s;&|<>()'"\\])+/y) ?? "";

/** The lines of a here-document. */
export function readBody(c: CommandCursor, end: string, tabs: boolean): string {
  const lines: string[] = [];
  while (c.at < c.source.length) {
    const stop = c.source.indexOf("\n", c.at);
    const line = c.source.slice(c.at, stop === -1 ? undefined : stop);
    c.at = stop === -1 ? c.source.length : stop + 1;
    const text = tabs ? line.replace(/^\t+/, "") : line;
    if (text === end) break;
    lines.push(text);
  }
  return lines.join("\n");
}

function readUntil(c: CommandCursor, stop: RegExp): Word[] {
  const words: Word[] = [];
  for (skipBlanks(c); c.at < c.source.length && !stop.test(c.source.charAt(c.at)); skipBlanks(c)) {
    const before = c.at;
    words.push(...readWords(c));
    if (c.at === before) break;
  }
  return words;
}
