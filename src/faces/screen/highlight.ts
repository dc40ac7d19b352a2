/**
 * Colours of code: comments, strings, numbers and words that many languages share. Not a parser: one pass of one pattern, so
 * that code may be coloured while it streams.
 */
import type { Paint } from "./style.ts";

const WORDS =
  "abstract and as async await begin break case catch class const continue def default defer del do elif else end enum except export extends extern false final finally fn for foreach from func function go if impl implements import in instanceof interface is lambda let loop match mod module mut namespace new nil None not null of or override package pass private protected pub public raise readonly return select self static struct super switch then this throw trait True true try type typeof undefined unless until use using var void when where while with yield False fi done esac local echo set SELECT FROM WHERE INSERT INTO UPDATE DELETE CREATE TABLE JOIN ON GROUP BY ORDER";
const KEYWORDS = new Set(WORDS.split(" "));
/** Languages in which `#` begins a comment; in others it is a preprocessor's or a colour. */
const HASH =
  /^(?:sh|bash|zsh|shell|fish|py|python|rb|ruby|ya?ml|toml|ini|conf|dockerfile|make|makefile|perl|r)$/i;
const DASHES = /^(?:sql|lua|haskell|hs|elm)$/i;

const pattern = (comment: string): RegExp =>
  new RegExp(
    [
      `(?<comment>${comment})`,
      "(?<text>\"(?:[^\"\\\\\\n]|\\\\.)*\"?|'(?:[^'\\\\\\n]|\\\\.)*'?|`[^`]*`?)",
      "(?<number>\\b\\d[\\w.]*)",
      "(?<word>[A-Za-z_$][\\w$]*)",
    ].join("|"),
    "g",
  );
const SLASHED = pattern("//.*|/\\*[^]*?(?:\\*/|$)");
const HASHED = pattern("#.*");
const DASHED = pattern("--.*");

export function highlighted(code: string, language: string, paint: Paint): string[] {
  if (/^(?:diff|patch)$/i.test(language)) return code.split("\n").map((line) => diffLine(line, paint));
  if (/^(?:text|txt|plain|md|markdown)?$/i.test(language)) return code.split("\n");
  const parts = HASH.test(language) ? HASHED : DASHES.test(language) ? DASHED : SLASHED;
  // A comment or a text may go over several lines, and styles end with each line.
  return code
    .replace(parts, (found, ...rest) => {
      const { comment, text, number, word } = rest.at(-1) as Record<string, string | undefined>;
      const tone = comment
        ? "dim"
        : text
          ? "good"
          : number
            ? "yellow"
            : KEYWORDS.has(word ?? "")
              ? "magenta"
              : null;
      return tone === null
        ? found
        : found
            .split("\n")
            .map((line) => paint(tone, line))
            .join("\n");
    })
    .split("\n");
}

export const diffLine = (line: string, paint: Paint): string =>
  line.startsWith("+")
    ? paint("good", line)
    : line.startsWith("-")
      ? paint("bad", line)
      : line.startsWith("@@")
        ? paint("busy", line)
        : line;
