/**
 * Which commands a shell line would run: every simple command in it, wherever it stands (lists, pipes, loops, functions,
 * substitutions, here-documents). It need not understand what the line does, only miss nothing that runs. What it cannot
 * follow is marked, never guessed away.
 */
import { RESERVED_MARKS } from "./braces.ts";
import {
  type CommandCursor,
  joined,
  readBody,
  readCase,
  readCondition,
  readDelimiter,
  readLoop,
  readValue,
  skipBlanks,
} from "./compounds.ts";
import { deeper, readQuoted, readWords, type Word } from "./words.ts";

export type { Word };

export type Redirect = { readonly op: string; to: Word };

export type Simple = {
  /** The command and its arguments; empty for a bare redirection or assignment. */
  readonly words: readonly Word[];
  readonly assigns: readonly { readonly name: string; readonly value: Word }[];
  readonly redirects: readonly Redirect[];
  /** The operator behind it. */
  readonly operator: string;
  /** The functions it stands in. */
  readonly within: readonly string[];
};

export type Script = {
  readonly commands: readonly Simple[];
  /** False when something in it cannot be read as bash would, so that commands may have been missed. */
  readonly sound: boolean;
  /** What the line assigned to variables. */
  readonly values: ReadonlyMap<string, string>;
};

/** `values`: what is known of variables before the line. */
export function parseShell(source: string, values: ReadonlyMap<string, string> = new Map()): Script {
  const parser = new Parser(source, new Map([["IFS", " "], ...values]), []);
  parser.list(null);
  const hidden = parser.seen.has("evaluates") && parser.seen.has("hides");
  return {
    commands: parser.found,
    values: parser.values,
    sound: !parser.seen.has("fault") && !hidden && !RESERVED_MARKS.test(source),
  };
}

const LEADERS =
  /(?:if|then|elif|else|fi|while|until|do|done|time(?:\s+-p)?|coproc|esac|!|\{|\})(?=[\s;&|()<>]|$)/y;
const KEYWORDS = /(?:for|select|case|function|\[\[)(?=\s)/y;
const REDIRECT = /(?:\d+|\{\w+\})?(?:<<<|<<-?|<>|<&|<(?!\()|>>|>\||>&|>(?!\())|&>>?/y;
const OPERATOR = /;;&|;;|;&|;|&&|&|\|\||\|&|\|/y;
const ASSIGNMENT = /([A-Za-z_]\w*)(\[[^\]\s]*\])?\+?=/y;
const DECLARES = /^(?:export|declare|local|readonly|typeset|alias)$/;
/** Builtins that evaluate their arguments, always or with the option. */
const EVALUATES = /^(?:let|unset|declare .*-\w*i|typeset .*-\w*i|(?:printf|test|\[) .*-v)(?: |$)/s;

/** Of a value that the line assigns, no more than this is followed. */
const VALUE_MAX = 10_000;

type Heredoc = { readonly redirect: Redirect; readonly delimiter: string; readonly tabs: boolean };

class Parser implements CommandCursor {
  at = 0;
  depth = 0;
  readonly found: Simple[] = [];
  readonly seen = new Set<"fault" | "evaluates" | "hides">();
  readonly source: string;
  readonly values: Map<string, string>;
  private within: readonly string[];
  /** The functions (or null) whose `{` is open. */
  private groups: (string | null)[] = [];
  /** A function whose body comes next. */
  private function: string | null = null;
  private heredocs: Heredoc[] = [];
  private words: Word[] = [];
  private assigns: { name: string; value: Word }[] = [];
  private redirects: Redirect[] = [];

  constructor(source: string, values: Map<string, string>, within: readonly string[]) {
    this.source = source;
    this.values = values;
    this.within = within;
  }

  fault(): void {
    this.seen.add("fault");
  }
  evaluates(): void {
    this.seen.add("evaluates");
  }
  hides(): void {
    this.seen.add("hides");
  }

  match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const text = pattern.exec(this.source)?.[0] ?? null;
    if (text !== null) this.at += text.length;
    return text;
  }

  substitution(): string | null {
    const from = this.found.length;
    this.inside(() => this.list(")"));
    return printed(this.found.slice(from));
  }

  nested(text: string): string | null {
    const inner = this.child(text);
    inner.list(null);
    this.adopt(inner);
    return printed(inner.found);
  }

  list(until: ")" | "branch" | null): void {
    deeper(this, undefined, () => this.readList(until));
  }

  private readList(until: ")" | "branch" | null): void {
    while (true) {
      skipBlanks(this);
      const char = this.source.charAt(this.at);
      if (char === "") {
        this.finish("");
        this.readHeredocs();
        if (until !== null || this.groups.length > 0) this.fault();
        return;
      }
      const redirect = this.match(REDIRECT);
      const operator = redirect === null ? this.match(OPERATOR) : null;
      if (redirect !== null) this.redirect(redirect);
      else if (operator !== null) {
        this.finish(operator);
        const ends = operator.startsWith(";") && operator !== ";";
        if (ends && until === "branch") return;
        if (ends) this.fault();
      } else if (char === "\n") {
        this.at += 1;
        this.finish("\n");
        this.readHeredocs();
      } else if (char === "#") this.match(/[^\n]*/y);
      else if (char === ")") {
        this.at += 1;
        this.finish(")");
        if (until === ")") return;
        this.fault();
      } else if (char === "(") this.open();
      else if (
        this.isFresh() &&
        until === "branch" &&
        /^esac(?![\w-])/.test(this.source.slice(this.at, this.at + 5))
      )
        return;
      else if (!this.isFresh() || !this.leader()) this.word();
    }
  }

  /** A reserved word where a command may begin. False when there is none. */
  private leader(): boolean {
    const leader = this.match(LEADERS);
    if (leader === "{") {
      this.groups.push(this.function);
      if (this.function !== null) this.within = [...this.within, this.function];
      this.function = null;
    } else if (leader === "}") {
      const closed = this.groups.pop();
      if (closed === undefined) this.fault();
      else if (closed !== null) this.within = this.within.slice(0, -1);
    }
    if (leader !== null) return true;
    const keyword = this.match(KEYWORDS);
    if (keyword === "for" || keyword === "select") readLoop(this);
    else if (keyword === "case") readCase(this);
    else if (keyword === "[[") this.words.push(...readCondition(this));
    else if (keyword === "function") {
      skipBlanks(this);
      this.function = joined(readWords(this));
      this.match(/\s*\(\s*\)/y);
    }
    return keyword !== null;
  }

  private word(): void {
    const mayAssign = this.words.length === 0 || DECLARES.test(this.words[0]?.text ?? "");
    const assignment = mayAssign ? this.match(ASSIGNMENT) : null;
    const before = this.at;
    if (assignment !== null) this.assign(assignment);
    else this.words.push(...readWords(this));
    if (assignment !== null || this.at > before) return;
    this.fault();
    this.at += 1;
  }

  private assign(assignment: string): void {
    const name = /^\w+/.exec(assignment)?.[0] ?? "";
    if (assignment.includes("[")) this.evaluates();
    const value = readValue(this);
    const before = assignment.includes("+=") ? (this.values.get(name) ?? "") : "";
    this.values.set(name, (before + value.text).slice(0, VALUE_MAX));
    if (this.words.length === 0) this.assigns.push({ name, value });
    else this.words.push({ text: `${name}=${value.text}`, exact: value.exact });
  }

  /** `(`: a subshell, or behind one word the head of a function. */
  private open(): void {
    this.at += 1;
    const [name] = this.words;
    if (name && this.words.length === 1 && this.assigns.length === 0 && this.match(/\s*\)/y)) {
      this.words = [];
      this.function = name.text;
      return;
    }
    if (!this.isFresh()) this.fault();
    const within = this.within;
    if (this.function !== null) this.within = [...within, this.function];
    this.function = null;
    this.inside(() => this.list(")"));
    this.within = within;
  }

  private redirect(matched: string): void {
    const op = matched.replace(/^(?:\d+|\{\w+\})/, "");
    skipBlanks(this);
    if (op === "<<" || op === "<<-") {
      const delimiter = readDelimiter(this);
      if (delimiter === "") this.fault();
      const redirect: Redirect = { op, to: { text: "", exact: false } };
      this.redirects.push(redirect);
      this.heredocs.push({ redirect, delimiter, tabs: op === "<<-" });
      return;
    }
    const [to, ...more] = readWords(this);
    if (!to || more.length > 0) this.fault();
    if (to && !(op.endsWith("&") && /^(?:\d+-?|-)$/.test(to.text))) this.redirects.push({ op, to });
  }

  private readHeredocs(): void {
    for (const { redirect, delimiter, tabs } of this.heredocs.splice(0)) {
      const body = readBody(this, delimiter.replace(/['"\\]/g, ""), tabs);
      redirect.to = /['"\\]/.test(delimiter) ? { text: body, exact: true } : this.expanded(body);
      if (/\$\(|`/.test(redirect.to.text)) this.hides();
    }
  }

  private expanded(body: string): Word {
    const inner = this.child(body);
    let text = "";
    const exact = readQuoted(inner, "\0", (part) => {
      text += part;
    });
    this.adopt(inner);
    return { text, exact };
  }

  private child(text: string): Parser {
    const child = new Parser(text, this.values, this.within);
    child.depth = this.depth;
    return child;
  }

  private adopt(inner: Parser): void {
    for (const what of inner.seen) this.seen.add(what);
    this.found.push(...inner.found);
  }

  /** Reads as if a line began here, then goes on with the command that was being read. */
  private inside(read: () => void): void {
    const [words, assigns, redirects, groups] = [this.words, this.assigns, this.redirects, this.groups];
    [this.words, this.assigns, this.redirects, this.groups] = [[], [], [], []];
    read();
    if (this.groups.length > 0) this.fault();
    [this.words, this.assigns, this.redirects, this.groups] = [words, assigns, redirects, groups];
  }

  private finish(operator: string): void {
    const [words, assigns, redirects] = [this.words, this.assigns, this.redirects];
    if (!this.isFresh()) this.found.push({ words, assigns, redirects, operator, within: this.within });
    if (EVALUATES.test(joined(words))) this.evaluates();
    [this.words, this.assigns, this.redirects] = [[], [], []];
  }

  private isFresh(): boolean {
    return this.words.length === 0 && this.assigns.length === 0 && this.redirects.length === 0;
  }
}

/** What one plain `echo` or `printf` says, so that `$(echo rm)` is seen for what it is. */
function printed(commands: readonly Simple[]): string | null {
  const [first, ...rest] = commands[0]?.words ?? [];
  return commands.length === 1 && /^(?:echo|printf)$/.test(first?.text ?? "") ? joined(rest) : null;
}
