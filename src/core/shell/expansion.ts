/** Evaluates expansions as far as a line shows their values. */
import type { Simple } from "./plain.ts";

/** Names that no shell and none of the programs that only read gives a meaning, also where they are exported: a line may set them. */
export const OWN_VARIABLE =
  /^(?!npm_|\w*_proxy$|auto_resume$|histchars$)(?:[a-z][a-z\d_]*|[A-Z]|BASE|BRANCH|COMMIT|COUNT|DIR|DIRS|END|FILE|FILES|HASH|HEAD|ID|LINE|MSG|NAME|NUM|OUT|OUTPUT|PATTERN|PKG|RESULT|ROOT|SHA|SRC|START|TAG|TOTAL|URL|VALUE|VERSION)$/;

export const joined = (words: readonly { readonly text: string }[]): string =>
  words.map(({ text }) => text).join(" ");

/** The name of the variable that is all of a word, also in double quotes; "" for any other word. */
export const variableOf = (parts: readonly { readonly text: string }[]): string =>
  /^"?\$\{?(\w+|[^\w"'{}$])\}?"?$/.exec(joined(parts))?.[1] ?? "";

const CHARS_PER_UNIT = 100;
/** Words count as often as values and loops make them, and a hundred characters in them count as one word more. */
export const costOf = (words: readonly { readonly text: string }[]): number =>
  words.reduce((sum, { text }) => sum + 1 + text.length / CHARS_PER_UNIT, words.length === 0 ? 1 : 0);

/** `{a,b}` becomes `a` and `b`. A range, and alternatives in alternatives, come out roughly; the word is then not exact. */
export const alternatives = (text: string): readonly string[] =>
  text.slice(1, -1).includes(",") ? text.replace(/['"\\{}]/g, "").split(",") : [text];

/** The output of one plain `echo` or `printf`, so that `$(echo rm)` is read as `rm`. */
export function printed(commands: readonly Simple[]): string | null {
  const [first, ...rest] = commands[0]?.words ?? [];
  return commands.length === 1 && /^(?:echo|printf)$/.test(first?.text ?? "") ? joined(rest) : null;
}

/** `$'…'` is exact only where each escape in it is one of these: every shell that knows the form reads them alike. */
export const KNOWN_ESCAPES = /^\$'(?:[^\\]|\\[\\'"abefnrtv])*'$/s;

/** Builtins that evaluate their arguments as arithmetic or as names with subscripts. */
export const EVALUATES =
  /^(?:let|unset|declare|typeset|local|read(?!(?: -r| [a-z][a-z\d]*)+$)|mapfile|readarray|getopts|wait|printf -v|test .*-[vR]|\[ .*-[vR])(?= |$)/s;

/** Builtins that may give any variable another value. */
export const SETS =
  /(?:^| )(?:read|mapfile|readarray|printf -v|getopts|declare|typeset|local|export|readonly|unset|let|eval|source|wait|coproc)(?= |$)|^\. /;

/** A text as a pattern that fits it alone. */
export const escaped = (text: string): string => text.replace(/[\\*?[\]{}]/g, "\\$&");
