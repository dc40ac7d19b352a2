/**
 * Whole options that a program may be given. `-ab` lists short flags, `-n=` a short option with a value, `-#` a number (`head -5`);
 * `--all` a long flag, `--max=` one with a value, `--color?` one that may have a value after `=`. An abbreviation is not listed,
 * so it is not allowed. `-I?` may have a value in the same word.
 */
import type { Word } from "./plain.ts";

export type Options = {
  readonly flags: ReadonlySet<string>;
  readonly valued: ReadonlySet<string>;
  readonly optional: ReadonlySet<string>;
  readonly long: ReadonlyMap<string, "" | "=" | "?">;
  readonly number: boolean;
};

export function optionTable(spec: string): Options {
  const flags = new Set<string>();
  const valued = new Set<string>();
  const optional = new Set<string>();
  const long = new Map<string, "" | "=" | "?">();
  let number = false;
  for (const entry of spec.split(/\s+/)) {
    const kind = /[=?]$/.exec(entry)?.[0] as "=" | "?" | undefined;
    if (entry.startsWith("--")) long.set(kind ? entry.slice(0, -1) : entry, kind ?? "");
    else if (entry === "-#") number = true;
    else
      for (const letter of entry.slice(1, kind ? -1 : undefined))
        (kind === "=" ? valued : kind === "?" ? optional : flags).add(letter);
  }
  return { flags, valued, optional, long, number };
}

export type Given = {
  readonly operands: readonly Word[];
  /** Values that the program might take for operands instead. */
  readonly doubtful: readonly Word[];
  /** The short letters and long names that were used. */
  readonly used: ReadonlySet<string>;
};

/** The operands among the arguments, or null when an option is not in the table. */
export function readOptions(args: readonly Word[], table: Options): Given | null {
  const operands: Word[] = [];
  const doubtful: Word[] = [];
  const used = new Set<string>();
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (!word) continue;
    const { text } = word;
    if (text === "--") return { operands: [...operands, ...args.slice(at + 1)], doubtful, used };
    if (!text.startsWith("-") || text === "-") {
      operands.push(word);
      continue;
    }
    // Whatever a pattern behind `=` finds is the same option, and its value is a pattern anyway.
    if (!word.exact || (word.glob !== undefined && !/^--(?:in|ex)clude(?:-dir)?=/.test(word.glob)))
      return null;
    if (text.startsWith("--")) {
      const [, name = "", value] = /^([^=]*)(=.*)?$/s.exec(text) ?? [];
      const kind = table.long.get(name);
      if (kind === undefined || (kind === "" && value !== undefined)) return null;
      used.add(name);
      if (kind !== "=" || value !== undefined) continue;
      const next = args[at + 1];
      if (!next || next.text.startsWith("-")) return null;
      doubtful.push(next);
      at += 1;
    } else if (!(table.number && /^-\d+$/.test(text))) {
      for (let i = 1; i < text.length; i += 1) {
        const letter = text.charAt(i);
        used.add(letter);
        if (table.flags.has(letter)) continue;
        if (table.optional.has(letter)) break;
        if (!table.valued.has(letter)) return null;
        if (i === text.length - 1) {
          at += 1;
          if (!/^(?!-\D|-$)/.test(args[at]?.text ?? "-") || !args[at]?.exact || args[at]?.glob !== undefined)
            return null;
        }
        break;
      }
    }
  }
  return { operands, doubtful, used };
}
