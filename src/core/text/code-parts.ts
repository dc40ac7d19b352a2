/**
 * Code in parts that have a colour: comments, texts, numbers and words that many languages share. Not a parser: one pass of one pattern, so
 * that code may be coloured while it streams. Pure.
 */
export type CodePart = { readonly kind: "comment" | "text" | "number" | "word" | ""; readonly text: string };

const WORDS =
  "abstract and as async await begin break case catch class const continue def default defer del do elif else end enum except export extends extern false False final finally fn for foreach from func function go if impl implements import in instanceof interface is lambda let loop match mod module mut namespace new nil None not null of or override package pass private protected pub public raise readonly return select self static struct super switch then this throw trait True true try type typeof undefined unless until use using var void when where while with yield fi done esac local echo set SELECT FROM WHERE INSERT INTO UPDATE DELETE CREATE TABLE JOIN ON GROUP BY ORDER";
const KEYWORDS = new Set(WORDS.split(" "));
/** Languages in which `#` begins a comment; in others it is a preprocessor's or a colour. */
const HASH =
  /^(?:sh|bash|zsh|shell|fish|py|python|rb|ruby|ya?ml|toml|ini|conf|dockerfile|make|makefile|perl|r)$/i;
const DASHES = /^(?:sql|lua|haskell|hs|elm)$/i;
const PLAIN = /^(?:text|txt|plain|md|markdown|csv|log)?$/i;

/** A text that is not closed yet ends with its line, one in backticks with the code: then nothing is read twice. */
const REST =
  "(?<text>\"(?:[^\"\\\\\\n]|\\\\.)*\"?|'(?:[^'\\\\\\n]|\\\\.)*'?|`[^`]*`?)|(?<number>\\b\\d[\\w.]*)|(?<word>[A-Za-z_$][\\w$]*)";
const SLASHED = new RegExp(`(?<comment>//.*|/\\*[^]*?(?:\\*/|$))|${REST}`, "g");
const HASHED = new RegExp(`(?<comment>(?<![\\w$&{])#.*)|${REST}`, "g");
const DASHED = new RegExp(`(?<comment>--.*)|${REST}`, "g");

/** In a language by its usual name or the ending of its files. All parts together are the code. */
export function codeParts(code: string, language: string): CodePart[] {
  if (PLAIN.test(language)) return [{ kind: "", text: code }];
  const pattern = HASH.test(language) ? HASHED : DASHES.test(language) ? DASHED : SLASHED;
  const parts: CodePart[] = [];
  let at = 0;
  const put = (kind: CodePart["kind"], end: number): void => {
    if (end > at) parts.push({ kind, text: code.slice(at, end) });
    at = end;
  };
  for (const { index, 0: found, groups = {} } of code.matchAll(pattern)) {
    const { comment, text, number, word } = groups;
    const kind = comment
      ? "comment"
      : text
        ? "text"
        : number
          ? "number"
          : KEYWORDS.has(word ?? "")
            ? "word"
            : "";
    if (kind === "") continue;
    put("", index);
    put(kind, index + found.length);
  }
  put("", code.length);
  return parts;
}

/** "src/a.ts": "ts". */
export const languageOf = (path: string): string => /\.(\w+)$/.exec(path)?.[1] ?? "";
