/**
 * Patterns over paths, as an automaton that is in several states at once. A match costs the length of the pattern times that of the
 * path. With a regular expression, a pattern with many `*` could keep the process busy for hours.
 */

export type PathPattern = { test(path: string): boolean };

type Edge = { readonly to: number; readonly fits: (char: string) => boolean };

const isSlash = (char: string): boolean => char === "/";
const inName = (char: string): boolean => char !== "/";
const anything = (): boolean => true;

/**
 * `*` and `?` stay within a name, `**` spans folders, `[a-z]` and `{a,b}` as in a shell. `src/** Braces that are not closed yet: the states before and in them, those at the ends of their parts, and their text. */
type Braces = {
  readonly before: number;
  readonly from: number;
  readonly ends: number[];
  readonly spelled: string;
};

/**` also matches everything deep below,
 * and `**` followed by a slash also matches no folder at all. Brackets, and braces without a comma, also match themselves: frameworks name
 * folders `[id]`, and who writes that name means that folder.
 */
export function pathPattern(pattern: string): PathPattern {
  const states = new States();
  let at = states.add();
  const closed = closedBraces(pattern);
  const lastBracket = pattern.lastIndexOf("]");
  const braces: Braces[] = [];
  for (let i = 0; i < pattern.length; ) {
    const char = String.fromCodePoint(pattern.codePointAt(i) as number);
    const open = braces.at(-1);
    BRACKET.lastIndex = i;
    const bracket = char === "[" && i < lastBracket ? BRACKET.exec(pattern) : null;
    let read = char.length;
    if (pattern.startsWith("**/", i)) {
      read = 3;
      at = states.folders(at);
    } else if (pattern.startsWith("**", i)) {
      read = 2;
      at = states.many(at, anything);
    } else if (char === "*") at = states.many(at, inName);
    else if (char === "?") at = states.one(at, inName);
    else if (bracket) {
      const [whole, not, set = ""] = bracket;
      read = whole.length;
      const holds = inSet(set);
      const before = at;
      at = states.one(at, not ? (found) => found !== "/" && !holds(found) : holds);
      states.spell(before, whole, at);
    } else if (char === "{" && closed.has(i)) {
      const before = at;
      at = states.after(at);
      braces.push({ before, from: at, ends: [], spelled: pattern.slice(i, (closed.get(i) ?? i) + 1) });
      at = states.after(at);
    } else if (char === "}" && open) {
      braces.pop();
      const end = states.after(at);
      for (const other of open.ends) states.skip(other, end);
      if (open.ends.length === 0) states.spell(open.before, open.spelled, end);
      at = end;
    } else if (char === "," && open) {
      open.ends.push(at);
      at = states.after(open.from);
    } else {
      const quoted = char === "\\" ? pattern.codePointAt(i + 1) : undefined;
      const letter = quoted === undefined ? char : String.fromCodePoint(quoted);
      if (quoted !== undefined) read = 1 + letter.length;
      at = states.one(at, (found) => found === letter);
    }
    i += read;
  }
  return { test: (path) => states.leadTo(at, path) };
}

/** The characters of `[a-z_]`. A range that ends before it begins holds none. */
function inSet(set: string): Edge["fits"] {
  const chars = [...set];
  const ranges: (readonly [from: string, to: string])[] = [];
  for (let i = 0; i < chars.length; i += 1) {
    const from = chars[i] as string;
    const to = chars[i + 1] === "-" ? chars[i + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) i += 2;
  }
  const code = (char: string): number => char.codePointAt(0) as number;
  return (char) => ranges.some(([from, to]) => code(from) <= code(char) && code(char) <= code(to));
}

const BRACKET = /\[([!^]?)(\]?[^\]]*)\]/y;

/** The pattern for exactly this path. */
export const escapedPath = (path: string): string => path.replace(/[*?[\]{}\\]/g, "\\$&");

/** The path that a pattern without `*` and `?` spells; null for others. */
export const spelledPath = (pattern: string): string | null =>
  /(?<!\\)[*?]/.test(pattern) ? null : pattern.replace(/\\(.)/gs, "$1");

/** The places of the braces that are closed, with those of their ends. */
function closedBraces(pattern: string): Map<number, number> {
  const closed = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: sign, index } of pattern.matchAll(/\\.|[{}]/gsu)) {
    if (sign === "{") open.push(index);
    const brace = sign === "}" ? open.pop() : undefined;
    if (brace !== undefined) closed.set(brace, index);
  }
  return closed;
}

class States {
  private readonly edges: Edge[][] = [];
  private readonly skips: number[][] = [];

  add(): number {
    this.skips.push([]);
    return this.edges.push([]) - 1;
  }

  /** A new state that is entered together with `state`. */
  after(state: number): number {
    const next = this.add();
    this.skip(state, next);
    return next;
  }

  skip(from: number, to: number): void {
    this.skips[from]?.push(to);
  }

  on(from: number, to: number, fits: Edge["fits"]): void {
    this.edges[from]?.push({ to, fits });
  }

  /** The text, letter by letter, leads to `end`. */
  spell(from: number, text: string, end: number): void {
    let last = from;
    for (const letter of text) last = this.one(last, (found) => found === letter);
    this.skip(last, end);
  }

  /** A new state to which one such character leads. */
  one(from: number, fits: Edge["fits"]): number {
    const next = this.add();
    this.on(from, next, fits);
    return next;
  }

  /** A new state to which any number of such characters lead. */
  many(from: number, fits: Edge["fits"]): number {
    const at = this.after(from);
    this.on(at, at, fits);
    return this.after(at);
  }

  /** A new state to which any number of folders lead. */
  folders(from: number): number {
    const at = this.after(from);
    const name = this.one(at, inName);
    this.on(name, name, inName);
    this.on(name, at, isSlash);
    return this.after(at);
  }

  /** Whether the text leads from the first state to `end`. */
  leadTo(end: number, text: string): boolean {
    /** By state: the character before which it was entered last. */
    const entered = new Int32Array(this.edges.length).fill(-1);
    let at = 0;
    let now = this.enter(0, at, entered, []);
    for (const char of text) {
      at += 1;
      const next: number[] = [];
      for (const state of now)
        for (const { to, fits } of this.edges[state] ?? [])
          if (entered[to] !== at && fits(char)) this.enter(to, at, entered, next);
      if (next.length === 0) return false;
      now = next;
    }
    return entered[end] === at;
  }

  /** Adds the state and those that are entered together with it. */
  private enter(state: number, at: number, entered: Int32Array, into: number[]): number[] {
    const open = [state];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (entered[next] === at) continue;
      entered[next] = at;
      into.push(next);
      open.push(...(this.skips[next] ?? []));
    }
    return into;
  }
}
