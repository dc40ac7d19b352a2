/**
 * Reads the small grammar in which a shell line can be judged exactly: words without expansions, `|`, `&&`, `||`, `;`, line ends,
 * redirections and leading assignments. The boundary of trust: bash and dash must read the same words (`npm run fuzz` compares
 * them), so anything else, however harmless, returns null and is asked about.
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

/** Longer lines are asked about: nobody reads them before approving, and reading must stay cheap. */
export const PLAIN_MAX = 10_000;

/** Each word and each command is looked at several times. */
const WORDS_MAX = 3_000;

const UNREADABLE = /[^\t\n\x20-\x7e\u00a1-\ud7ff\ue000-\u{10ffff}]/u;
const BLANKS = /[ \t]*(?:(?<=^|[ \t\n;|&])#[^\n]*)?/y;
const OPERATOR = /&&|\|\||[;|\n](?![;|&])/y;
const REDIRECT = /(?:\d(?=[<>]))?(?:&>>|&>|>>|>\||>&|>|<)(?![<>|&(])/y;
const DUPLICATE = /(?:\d)?[<>]&(?:\d|-)(?=[ \t\n;|&]|$)/y;
/** Characters without a meaning for any shell in this place of a word: `HEAD~1`, but not `~me`, `a=~` or `a:~`. */
const BARE = /(?:[\w@%+=:,./^!#-]|(?<=[\w@}^])~)+/y;
/** The home folder, or a path in it. */
const TILDE = /~(?=[/ \t\n;|&<>]|$)/y;
const PIPE_MAX = 50;
/** Braces that neither bash nor dash expands: `HEAD@{1}`, `{}`. */
const BRACES = /\{[\w-]*\}(?![<>])/y;
const GLOB = /[*?]/y;
const SINGLE = /'([^']*)'/y;
/** A dollar sign is literal where no name or bracket follows. */
const DOUBLE = /"((?:[^"$`\\]|\\[^\n]|\$(?=["\s|)/.,]))*)"/y;
const ESCAPE = /\\([\x20-\x7e])/y;
const BRACKET = /\[(?=[ \t])|\](?=[ \t\n;|&]|$)/y;
const ASSIGNMENT = /([A-Za-z_]\w*)=(?!\()/y;
const RESERVED =
  /^(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|in|select|function|coproc|\{|\}|\[\[|\]\])$/;

/** The commands of a line, or null when it is not in the small grammar. */
export function readPlain(source: string): readonly Simple[] | null {
  if (source.length > PLAIN_MAX || UNREADABLE.test(source)) return null;
  const reader = new Reader(source);
  const commands: Simple[] = [];
  let piped: readonly Simple[] = [];
  let words = 0;
  for (;;) {
    const command = reader.command(piped);
    if (command === undefined) return null;
    const last = commands.at(-1)?.operator ?? "\n";
    if (command === null) return /^[;\n]?$/.test(last) ? commands : null;
    if (isEmpty(command)) {
      // Empty lines are legal anywhere between commands, and after an operator that joins two.
      if (command.operator !== "\n") return null;
      continue;
    }
    commands.push(command);
    words += command.words.length + 1;
    if (words > WORDS_MAX) return null;
    piped = command.operator === "|" ? [command, ...piped] : [];
    if (piped.length > PIPE_MAX) return null;
    if (command.operator === "") return commands;
  }
}

const isEmpty = ({ words, assigns, redirects }: Simple): boolean =>
  words.length + assigns.length + redirects.length === 0;

class Reader {
  private readonly source: string;
  private at = 0;

  constructor(source: string) {
    this.source = source;
  }

  /** The next command with its operator; null at the end, undefined when it cannot be read. */
  command(piped: readonly Simple[]): Simple | null | undefined {
    const words: Word[] = [];
    const assigns: { name: string; value: Word }[] = [];
    const redirects: Redirect[] = [];
    let negated = false;
    for (;;) {
      this.take(BLANKS);
      const isFresh = words.length + assigns.length + redirects.length === 0;
      if (this.at >= this.source.length) {
        if (negated && isFresh) return undefined;
        return isFresh ? null : { words, assigns, redirects, operator: "", piped, within: [] };
      }
      if (this.take(DUPLICATE)) continue;
      const redirect = this.take(REDIRECT)?.[0];
      if (redirect !== undefined) {
        this.take(/[ \t]*/y);
        const to = this.word();
        if (!to) return undefined;
        redirects.push({ op: redirect.replace(/^\d/, ""), to });
        continue;
      }
      const operator = this.take(OPERATOR)?.[0];
      if (operator !== undefined) {
        if (negated && isFresh) return undefined;
        return { words, assigns, redirects, operator, piped, within: [] };
      }
      const assigned = words.length === 0 ? this.take(ASSIGNMENT) : null;
      if (assigned) {
        const isBare = /[ \t\n;|&]|$/y;
        isBare.lastIndex = this.at;
        const value = isBare.test(this.source) ? { text: "", exact: true } : this.word();
        // A tilde is expanded here.
        if (!value || value.text.startsWith("~")) return undefined;
        assigns.push({ name: assigned[1] ?? "", value });
        continue;
      }
      const from = this.at;
      const word = this.word();
      if (!word) return undefined;
      const written = this.source.slice(from, this.at);
      if (words.length === 0) {
        if (written === "!" && isFresh && !negated) {
          negated = true;
          continue;
        }
        if (/^\w+\+=/.test(written)) return undefined;
        if (RESERVED.test(written) || written === "!" || word.glob !== undefined) return undefined;
      }
      words.push(word);
    }
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  private word(): Word | null {
    const from = this.at;
    let text = "";
    let glob = "";
    let isGlob = false;
    const literal = (part: string): void => {
      text += part;
      glob += part.replace(/[\\*?[\]{}]/g, "\\$&");
    };
    for (;;) {
      const bare = (this.at === from ? this.take(TILDE) : null)?.[0] ?? this.take(BARE)?.[0];
      if (bare !== undefined) {
        literal(bare);
        continue;
      }
      const braces = this.take(BRACES) ?? this.take(BRACKET);
      if (braces) {
        literal(braces[0]);
        continue;
      }
      const wild = this.take(GLOB)?.[0];
      if (wild !== undefined) {
        isGlob = true;
        text += wild;
        glob += wild;
        continue;
      }
      const quoted = this.take(SINGLE)?.[1] ?? this.take(ESCAPE)?.[1];
      if (quoted !== undefined) {
        literal(quoted);
        continue;
      }
      const double = this.take(DOUBLE)?.[0];
      if (double === undefined) break;
      literal(double.slice(1, -1).replace(/\\([$`"\\])/g, "$1"));
    }
    const next = this.source.charAt(this.at);
    if (this.at === from || !/^(?:[ \t\n;|&<>]|$)/.test(next)) return null;
    // Digits before a redirection are a file descriptor; `#` begins a comment.
    const written = this.source.slice(from, this.at);
    // A quoted tilde would look like the home folder.
    if (text.startsWith("~") && !written.startsWith("~")) return null;
    if (written.startsWith("#") || (/[<>]/.test(next) && /^\d+$/.test(written))) return null;
    return { text, exact: true, ...(isGlob && { glob }) };
  }
}
