/**
 * The commands of a line as they are read, and the small grammar in which a line can be judged exactly: words without expansions,
 * `|`, `&&`, `||`, `;`, line ends, redirections and leading assignments. The boundary of trust: bash and dash must read the same
 * words (`npm run fuzz` compares them), so a line with anything else, however harmless, is not plain.
 */

export type Word = {
  /** After quote removal. The text of an expansion is the best guess. */
  readonly text: string;
  /** Whether the shell is certain to see this text. */
  readonly exact: boolean;
  /** The pattern, where the word has an unquoted `*` or `?`; quoted ones are escaped. */
  readonly glob?: string;
};

export type Redirect = { readonly op: string; readonly to: Word };

/** A simple command. */
export type Simple = {
  /** The program and its arguments; empty for a bare redirection or assignment. */
  readonly words: readonly Word[];
  readonly assigns: readonly { readonly name: string; readonly value: Word }[];
  readonly redirects: readonly Redirect[];
  /** The operator after it. */
  readonly operator: string;
  /** The commands whose output it reads through the pipe, nearest first. */
  readonly piped: readonly Simple[];
  /** The functions in whose bodies it occurs. */
  readonly within: readonly string[];
};

/** The program's name without its folder. */
export const programOf = ({ words }: Pick<Simple, "words">): string =>
  words[0]?.text.replace(/^.*\//s, "") ?? "";

/** The files that redirections write. */
export const writesOf = ({ redirects }: Pick<Simple, "redirects">): Word[] =>
  redirects.flatMap(({ op, to }) =>
    op.includes(">") && !(to.exact && /^\/dev\/(?:null|stdout|stderr)$/.test(to.text)) ? [to] : [],
  );

/** The files that redirections read. */
export const inputsOf = ({ redirects }: Pick<Simple, "redirects">): Word[] =>
  redirects.flatMap(({ op, to }) => (op === "<" || op === "<>" ? [to] : []));

/** Variables that change how a program prints, not what it does. */
export const HARMLESS_VARIABLE = /^(?:LANG|LC_\w+|TZ|NO_COLOR|FORCE_COLOR|COLUMNS|LINES|CI|TERM|NODE_ENV)$/;

/** Longer lines are asked about: nobody reads them before approving, and reading must stay cheap. */
export const PLAIN_MAX = 10_000;

/** Blanks to one shell and not to the other, or invisible. */
export const UNREADABLE = /[^\t\n\x20-\x7e\u00a1-\ud7ff\ue000-\u{10ffff}]/u;

/** Each is read alike by every shell, in its place. */
const PIECES = [
  /[ \t\n]+|(?<=^|[ \t\n;|&])#[^\n]*/, // blanks and comments
  /&&|\|\||[;|](?![;|&])/, // operators
  /\d?[<>]&(?:\d|-)(?=[ \t\n;|&]|$)|(?:(?<!\d)\d(?=[<>]))?(?:&>>|&>|>>|>\||>&|>|<)(?![<>|&(]|[ \t]*\d+[<>])/, // redirections
  /(?:(?!(?<![^ \t\n;|&<>])\d+[<>])[\w@%+=:,./^!#-])+/, // characters without a meaning; digits before `>` are a descriptor
  /(?<=[\w@}^])~|(?<![^ \t\n;|&<>])~(?=[/ \t\n;|&<>]|$)/, // `HEAD~1`, `~/a`, but not `~me`, `a=~` or `a:~`
  /\{[\w-]*\}(?![<>])/, // braces that nothing expands: `HEAD@{1}`, `{}`
  /[*?]|\[(?=[ \t])|(?<=[ \t])\](?=[ \t\n;|&]|$)/, // patterns, and the program `[`
  /'[^']*'|\\[\x20-\x7e]/,
  /"(?:[^"$`\\]|\\[^\n]|\$(?=["\s|)/.,]))*"/, // a dollar sign is literal where no name or bracket follows
];
const PIECE = new RegExp(PIECES.map(({ source }) => source).join("|"), "y");

/** Whether a line consists of such pieces. Its words of the grammar (`if`, `for` …) are looked for in its tree. */
export function isPlainText(source: string): boolean {
  if (source.length > PLAIN_MAX || UNREADABLE.test(source)) return false;
  for (PIECE.lastIndex = 0; PIECE.lastIndex < source.length; ) if (!PIECE.test(source)) return false;
  return true;
}
