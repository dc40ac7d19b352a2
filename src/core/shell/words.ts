/**
 * Words of a shell command line: quotes, escapes, expansions. The one thing to know: a word's text is the best guess at what
 * the shell will see, and `exact` says whether it is more than a guess. Nothing may be allowed because of a guess.
 */
import { CLOSE, COMMA, expandBraces, OPEN } from "./braces.ts";

export type Word = {
  /** After quote removal. What cannot be known stands as written (`$X`), or as what the line itself assigned to it. */
  readonly text: string;
  readonly exact: boolean;
  /** Holds an unquoted `*`, `?` or `[`: as a command it could be any program. */
  readonly glob?: boolean;
};

/** Where reading stands. The parser of commands implements it: words hold commands, and commands hold words. */
export interface Cursor {
  readonly source: string;
  at: number;
  /** How deep commands and expansions are nested here. */
  depth: number;
  /** What the line itself assigned so far. */
  readonly values: Map<string, string>;
  /** Reads commands up to the closing bracket; what they print, where that is plain (`$(echo rm)`). */
  substitution(): string | null;
  /** The same for a text of its own (backticks). */
  nested(text: string): string | null;
  /** Quotes that do not close, and the like: nothing here can be trusted. */
  fault(): void;
  /** Arithmetic, subscripts, `${x@P}`: the shell evaluates values once more, so commands may hide in what looks like text. */
  evaluates(): void;
  /** Plain text that would be a command if it were evaluated. */
  hides(): void;
}

type Piece = { text: string; exact: boolean };

const TEXT_MAX = 100_000;
const META = /[\s;&|<>()]/;
const NAME = /[A-Za-z_]\w*/y;

/** The words that one word of the source becomes: several after brace expansion, or after splitting a known value; none where no word is. */
export function readWords(c: Cursor, stop: RegExp = META): Word[] {
  const word = { text: "", exact: true, split: false, glob: false };
  const from = c.at;
  let literal = "";
  const take = (text: string): void => {
    word.text += text;
    literal += text;
  };
  while (c.at < c.source.length) {
    const char = c.source.charAt(c.at);
    if ((char === "<" || char === ">") && c.source.charAt(c.at + 1) === "(") {
      c.at += 2;
      c.substitution();
      word.text += `${char}(…)`;
      // As an argument a file that is there for this command; as a command it could be anything.
      word.glob = true;
    } else if (stop.test(char)) break;
    else if (char === "'") take(readSingle(c));
    else if (char === '"') add(word, readDouble(c, take));
    else if (char === "\\") {
      const next = c.source.charAt(c.at + 1);
      c.at += 2;
      if (next !== "\n") take(next);
    } else if (char === "$" || char === "`") {
      const piece = char === "$" ? readDollar(c, false) : readBackticks(c);
      if (!piece.exact && /\s|^$/.test(piece.text)) word.split = true;
      add(word, piece);
    } else {
      c.at += 1;
      if (char === "*" || char === "?" || char === "[") word.glob = true;
      word.text += char === "{" ? OPEN : char === "," ? COMMA : char === "}" ? CLOSE : char;
      literal += char;
    }
  }
  if (literal.includes("$(") || literal.includes("`")) c.hides();
  return c.at === from ? [] : finish(word);
}

function add(word: Piece, piece: Piece): void {
  // Values may hold values: `x=$x$x` again and again doubles what is known each time.
  const fits = word.text.length + piece.text.length < TEXT_MAX;
  if (fits) word.text += piece.text;
  word.exact &&= piece.exact && fits;
}

function finish(word: Piece & { split: boolean; glob: boolean }): Word[] {
  const { texts: expanded, sure } = expandBraces(word.text);
  const texts = word.split
    ? expanded.flatMap((text) => text.split(/\s+/).filter((part) => part !== ""))
    : expanded;
  return texts.map((text) => ({
    text,
    exact: word.exact && sure,
    ...(word.glob && text !== "[" && text !== "[[" && { glob: true }),
  }));
}

function readSingle(c: Cursor): string {
  const end = c.source.indexOf("'", c.at + 1);
  if (end === -1) c.fault();
  const text = c.source.slice(c.at + 1, end === -1 ? undefined : end);
  c.at = end === -1 ? c.source.length : end + 1;
  return text;
}

/** From the opening quote to behind the closing one. */
function readDouble(c: Cursor, take: (text: string) => void): Piece {
  c.at += 1;
  const piece = readQuoted(c, '"', take);
  if (c.source.charAt(c.at) === '"') c.at += 1;
  else c.fault();
  // What is literal was taken already, in its place; so only the expansions' exactness is left to tell.
  return { text: "", exact: piece };
}

/** Text in which only `$`, backticks and some escapes are special, up to `end`: double quotes, here-documents. */
export function readQuoted(c: Cursor, end: string, take: (text: string) => void): boolean {
  let exact = true;
  while (c.at < c.source.length) {
    const char = c.source.charAt(c.at);
    if (char === end) break;
    if (char === "\\") {
      const next = c.source.charAt(c.at + 1);
      take(/[$`"\\]/.test(next) ? next : next === "\n" ? "" : `\\${next}`);
      c.at += 2;
    } else if (char === "$" || char === "`") {
      const piece = char === "$" ? readDollar(c, true) : readBackticks(c);
      take(piece.text === "$(…)" ? "$_" : piece.text);
      exact &&= piece.exact;
    } else {
      take(char);
      c.at += 1;
    }
  }
  return exact;
}

function readBackticks(c: Cursor): Piece {
  let text = "";
  for (c.at += 1; c.at < c.source.length && c.source.charAt(c.at) !== "`"; c.at += 1) {
    if (c.source.charAt(c.at) === "\\" && /[$`\\]/.test(c.source.charAt(c.at + 1))) c.at += 1;
    text += c.source.charAt(c.at);
  }
  if (c.at >= c.source.length) c.fault();
  c.at += 1;
  return { text: c.nested(text) ?? "$(…)", exact: false };
}

/** Nobody nests deeper than this by hand, and reading is recursive. */
const DEPTH_MAX = 60;

/** Reads one level deeper; too deep down the rest of the text is given up. */
export function deeper<T>(c: Cursor, instead: T, read: () => T): T {
  if (c.depth >= DEPTH_MAX) {
    c.fault();
    c.at = c.source.length;
    return instead;
  }
  c.depth += 1;
  const result = read();
  c.depth -= 1;
  return result;
}

const readDollar = (c: Cursor, quoted: boolean): Piece =>
  deeper(c, { text: "$", exact: false }, () => readExpansion(c, quoted));

function readExpansion(c: Cursor, quoted: boolean): Piece {
  const next = c.source.charAt(c.at + 1);
  if (next === "'" && !quoted) return { text: readAnsi(c), exact: true };
  if (next === '"' && !quoted) {
    c.at += 1;
    let text = "";
    const { exact } = readDouble(c, (part) => {
      text += part;
    });
    return { text, exact };
  }
  if (next === "(") return readArithmetic(c) ?? readSubstitution(c);
  if (next === "{") return readBraces(c);
  if (next === "[") {
    c.evaluates();
    c.at += 2;
    return { text: "$[", exact: false };
  }
  NAME.lastIndex = c.at + 1;
  const name = NAME.exec(c.source)?.[0] ?? (/[@*#?$!\d-]/.test(next) ? next : "");
  c.at += 1 + name.length;
  if (name === "") return { text: "$", exact: true };
  return { text: c.values.get(name) ?? `$${name}`, exact: false };
}

function readSubstitution(c: Cursor): Piece {
  c.at += 2;
  return { text: c.substitution() ?? "$(…)", exact: false };
}

/** `$((…))`, or null when the brackets say that it is commands in commands. */
function readArithmetic(c: Cursor): Piece | null {
  if (!c.source.startsWith("$((", c.at)) return null;
  let depth = 2;
  for (let at = c.at + 3; at < c.source.length; at += 1) {
    const char = c.source.charAt(at);
    if (char === "(") depth += 1;
    if (char !== ")") continue;
    depth -= 1;
    if (depth > 1) continue;
    if (depth === 1 && c.source.charAt(at + 1) !== ")") return null;
    c.evaluates();
    c.at += 3;
    while (c.at < at) skipInside(c);
    c.at = Math.max(c.at, at + 2);
    return { text: "$((…))", exact: false };
  }
  return null;
}

/** `${…}`: the value where the line knows it, or the word that stands in for it. */
function readBraces(c: Cursor): Piece {
  const from = c.at;
  c.at += 2;
  const [, mark = "", name = ""] =
    /^([!#]?)([A-Za-z_]\w*|\d+|[@*#?$!-])/.exec(c.source.slice(c.at, c.at + 200)) ?? [];
  c.at += mark.length + name.length;
  const operation = c.at;
  while (c.at < c.source.length && c.source.charAt(c.at) !== "}") skipInside(c);
  const rest = c.source.slice(operation, c.at);
  if (c.at >= c.source.length) c.fault();
  c.at += 1;
  if (/^\[|^:[^-+=?]|@P$/.test(rest) || mark === "!") c.evaluates();
  if (mark === "!")
    return { text: c.values.get(c.values.get(name) ?? "") ?? c.source.slice(from, c.at), exact: false };
  const stand = /^:?[-=](.*)$/s.exec(rest)?.[1];
  const value = c.values.get(name) ?? (stand === undefined ? `$${name}` : stand.replace(/["'\\]/g, ""));
  return { text: mark === "#" || /^:?\+/.test(rest) ? c.source.slice(from, c.at) : value, exact: false };
}

/** One step through the inside of an expansion, seeing the commands in it. */
function skipInside(c: Cursor): void {
  const char = c.source.charAt(c.at);
  if (char === "'") readSingle(c);
  else if (char === '"') readDouble(c, () => {});
  else if (char === "\\") c.at += 2;
  else if (char === "$") readDollar(c, false);
  else if (char === "`") readBackticks(c);
  else c.at += 1;
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** `$'…'` */
function readAnsi(c: Cursor): string {
  let text = "";
  c.at += 2;
  while (c.at < c.source.length && c.source.charAt(c.at) !== "'") {
    const rest = c.source.slice(c.at, c.at + 12);
    const number = /^\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|U([\da-f]{1,8})|([0-7]{1,3}))/i.exec(rest);
    if (number) {
      const [all, x, u, U, octal] = number;
      const code =
        octal === undefined ? Number.parseInt(x ?? u ?? U ?? "0", 16) : Number.parseInt(octal, 8) & 0xff;
      text += code <= 0x10ffff ? String.fromCodePoint(code) : "";
      c.at += all.length;
    } else if (rest.startsWith("\\")) {
      text += ESCAPES[rest.charAt(1)] ?? rest.charAt(1);
      c.at += 2;
    } else {
      text += rest.charAt(0);
      c.at += 1;
    }
  }
  if (c.at >= c.source.length) c.fault();
  c.at += 1;
  return text;
}
