/** What expansions come to, as far as a line shows it. */
import type { Simple } from "./plain.ts";

export const joined = (words: readonly { readonly text: string }[]): string =>
  words.map(({ text }) => text).join(" ");

/** `{a,b}` becomes `a` and `b`. A range, and alternatives in alternatives, come out roughly; the word is then not exact. */
export const alternatives = (text: string): readonly string[] =>
  text.slice(1, -1).includes(",") ? text.replace(/['"\\{}]/g, "").split(",") : [text];

/** The output of one plain `echo` or `printf`, so that `$(echo rm)` is read as `rm`. */
export function printed(commands: readonly Simple[]): string | null {
  const [first, ...rest] = commands[0]?.words ?? [];
  return commands.length === 1 && /^(?:echo|printf)$/.test(first?.text ?? "") ? joined(rest) : null;
}
