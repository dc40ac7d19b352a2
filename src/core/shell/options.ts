/**
 * Whole options that a program may be given. `ab` lists short flags, `n:` a short option with a value, `i?` one whose value can
 * only be in the same word, `#` a number (`head -5`); `--all` is a long flag, `--max=` one with a value, `--color?` one that may
 * have a value after `=`, `--x=y` that value and no other, `-L=` a short option with a value that is a word of its own. An
 * abbreviation is not listed, so it is not allowed.
 */
import { lazy } from "../lazy.ts";
import type { Word } from "./plain.ts";

export type Options = { readonly kind: string; readonly short: string; readonly long: ReadonlySet<string> };

const ENTRY = /^(.+?) (paths|one|two|none|text|first|listed|words|(?:plain|opaque)1?) (.*)$/s;

/** Entries `NAME,NAME KIND SHORT --LONG…`, each a line with what is indented below it. A name may have two words. */
export const optionTable = (table: string): (() => ReadonlyMap<string, Options>) =>
  lazy(() => {
    const found = new Map<string, Options>();
    for (const entry of table.trim().split(/\n(?! )/)) {
      const [, names = "", kind = "", options = ""] = ENTRY.exec(entry) ?? [];
      const [short = "", ...long] = options.split(/\s+/);
      for (const name of names.split(",")) found.set(name, { kind, short, long: new Set(long) });
    }
    return found;
  });

export type Given = {
  readonly operands: readonly Word[];
  /** Values that the program might take for operands instead. */
  readonly doubtful: readonly Word[];
  /** The short letters and long names that were used. */
  readonly used: ReadonlySet<string>;
};

/** The number of words of an option with its value: 1 or 2; 0 when it is not listed. */
export function widthOf(text: string, { short, long }: Options): 0 | 1 | 2 {
  if (long.has(text)) return 1;
  if (long.has(`${text}=`)) return 2;
  if (text.startsWith("--")) {
    const [name = ""] = text.split("=", 1);
    return long.has(`${name}=`) || long.has(`${name}?`) ? 1 : 0;
  }
  if (short.endsWith("#") && /^-\d+$/.test(text)) return 1;
  for (let at = 1; at < text.length; at += 1) {
    const listed = /^\w$/.test(text.charAt(at)) ? short.indexOf(text.charAt(at)) : -1;
    if (listed === -1) return 0;
    if (short.charAt(listed + 1) === "?") return 1;
    if (short.charAt(listed + 1) === ":") return at === text.length - 1 ? 2 : 1;
  }
  return text.length > 1 ? 1 : 0;
}

/** The operands among the arguments, or null when an option is not listed. */
export function readOptions(args: readonly Word[], options: Options): Given | null {
  const operands: Word[] = [];
  const doubtful: Word[] = [];
  const used = new Set<string>();
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] as Word;
    const { text } = word;
    if (text === "--") return { operands: [...operands, ...args.slice(at + 1)], doubtful, used };
    if (!text.startsWith("-") || text === "-") {
      operands.push(word);
      continue;
    }
    const width = widthOf(text, options);
    // A pattern behind `=` always expands to the same option, and the value of the option is a pattern anyway.
    const isOne = word.glob === undefined || /^--(?:in|ex)clude(?:-dir)?=/.test(word.glob);
    if (width === 0 || !word.exact || !isOne) return null;
    if (text.startsWith("--")) used.add(text.replace(/=.*$/s, ""));
    else
      for (const letter of text.slice(1)) {
        used.add(letter);
        if (options.short.includes(`${letter}:`)) break;
      }
    if (width === 1) continue;
    at += 1;
    const value = args[at];
    const isLong = text.startsWith("--");
    if (!value?.exact || value.glob !== undefined) return null;
    if (value.text.startsWith("-") && (isLong || !/^-\d/.test(value.text))) return null;
    if (isLong) doubtful.push(value);
  }
  return { operands, doubtful, used };
}
