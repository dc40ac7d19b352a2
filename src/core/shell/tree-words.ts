/** The words of a tree of `unbash`, with what the line itself says about its variables. */
import { forEachChild, type SyntaxNode } from "unbash";
import { alternatives, costOf, escaped, joined, KNOWN_ESCAPES, printed, variableOf } from "./expansion.ts";
import { isPlainText, type Simple, type Word } from "./plain.ts";

export type Node<T extends SyntaxNode["type"]> = Extract<SyntaxNode, { type: T }>;
type ShellWord = Node<"Word">;
type Part = NonNullable<ShellWord["parts"]>[number];
type Piece = { readonly text: string; readonly exact: boolean };

/** Only bash reads this form in `$'…'`. */
const BRACED = /\\x\{([0-9a-f]+)\}?/gi;
const byteOf = (_: string, digits: string): string =>
  String.fromCharCode(Number.parseInt(digits.slice(-2), 16));
const VALUE_MAX = 10_000;
const WORDS_MAX = 64;
/** A line with more words and commands is not read to its end: later steps cost time for each. */
export const READ_MAX = 3_000;

export abstract class WordReader {
  readonly found: Simple[] = [];
  readonly values: Map<string, string>;
  fault = false;
  evaluates = false;
  /** In the small grammar, so that every shell sees the same words. */
  plain: boolean;
  /** The words that the variable of a loop stands for, until something else assigns it. */
  protected readonly looped = new Map<string, Word[]>();
  /** Words and commands so far, and what values and loops made of them. Too much of that is not followed, and the rest is read. */
  protected read = 0;
  private made = 0;

  constructor(source: string, values: Map<string, string>) {
    this.values = values;
    this.plain = isPlainText(source);
  }

  protected abstract node(node: SyntaxNode, operator: string, piped: readonly Simple[]): void;

  abstract script(script: Node<"Script">): void;

  protected assignment(node: Node<"Assignment">): Word {
    if (node.index) this.evaluates = true;
    const items =
      node.value.type === "Word"
        ? [this.piece(node.value)]
        : node.value.elements.map((element) => this.piece(element));
    const text = joined(items);
    this.looped.delete(node.name);
    const before = node.append ? (this.values.get(node.name) ?? "") : "";
    this.values.set(node.name, (before + text).slice(0, VALUE_MAX));
    return { text, exact: node.value.type === "Word" && items.every(({ exact }) => exact) };
  }

  private piece(word: ShellWord): Piece {
    return this.joinedParts(word.parts, word.value, false);
  }

  /** The words that one word of the source becomes: several by brace expansion, or by splitting a known value. */
  protected words(word: ShellWord): Word[] {
    this.read += 1;
    this.fault ||= this.read > READ_MAX;
    if (this.read > READ_MAX) return [];
    const words = this.expanded(word);
    this.made += costOf(words) - 1;
    if (this.made > READ_MAX) this.fault = true;
    return this.made > READ_MAX && words.length > 1 ? [{ text: word.value, exact: false }] : words;
  }

  private expanded(word: ShellWord): Word[] {
    const looped = this.looped.get(variableOf(word.parts ?? []));
    // The text that a pattern finds is split once more outside of quotes.
    if (looped)
      return word.text.startsWith('"')
        ? looped
        : looped.map((one) => ({ ...one, exact: one.exact && one.glob === undefined }));
    let texts = [""];
    let glob = "";
    let exact = true;
    let splits = false;
    let isGlob = false;
    for (const part of word.parts ?? []) {
      const isPattern = /^(?:Glob|ExtendedGlob|ProcessSubstitution)$/.test(part.type);
      isGlob ||= isPattern;
      const { text, exact: known } = this.part(part, false);
      const choices = part.type === "BraceExpansion" ? alternatives(part.text) : [text];
      if (!known && !/Quoted$|^LocaleString$|^BraceExpansion$/.test(part.type) && /\s|^$/.test(text))
        splits = true;
      exact &&= part.type === "BraceExpansion" ? !/['"\\$`]|\.\.|\{.*\{/.test(part.text) : known;
      texts = texts.flatMap((before) => choices.map((choice) => (before + choice).slice(0, VALUE_MAX)));
      glob += isPattern ? text : escaped(text);
      if (texts.length <= WORDS_MAX) continue;
      this.fault = true;
      texts = texts.slice(0, WORDS_MAX);
      break;
    }
    if (!word.parts) texts = [word.value];
    if (splits) texts = texts.flatMap((text) => text.split(/\s+/).filter((one) => one !== ""));
    // A quoted tilde would look like the home folder.
    if (texts[0]?.startsWith("~") && !word.text.startsWith("~")) this.plain = false;
    return texts.map((text) => ({
      text,
      exact,
      ...(isGlob && { glob: texts.length > 1 ? text : glob.slice(0, VALUE_MAX) }),
    }));
  }

  protected joinedParts(parts: readonly Part[] | undefined, value: string, quoted: boolean): Piece {
    if (!parts) return { text: value, exact: true };
    const pieces = parts.map((part) => this.part(part, quoted));
    const text = pieces.reduce((before, piece) => before + piece.text, "").slice(0, VALUE_MAX);
    this.made += costOf([{ text }]) - 1;
    return { text, exact: pieces.every(({ exact }) => exact) };
  }

  private part(part: Part, quoted: boolean): Piece {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
        if (part.type !== "Literal" && !part.text.endsWith("'")) this.fault = true;
        return { text: part.value, exact: true };
      case "AnsiCQuoted":
        if (!part.text.endsWith("'")) this.fault = true;
        return KNOWN_ESCAPES.test(part.text)
          ? { text: part.value, exact: true }
          : { text: part.value.replace(BRACED, byteOf), exact: false };
      case "Glob":
        forEachChild(part, (child) => this.node(child, ";", []));
        return { text: part.value, exact: true };
      case "DoubleQuoted":
      case "LocaleString": {
        if (!part.text.endsWith('"')) this.fault = true;
        const { text, exact } = this.joinedParts(part.parts, "", true);
        return { text, exact: exact && part.type === "DoubleQuoted" }; // `$"…"` is translated
      }
      case "SimpleExpansion":
      case "ParameterExpansion": {
        const name = variableOf([part]);
        // In such a text a single quote quotes nothing, and what stands in it runs.
        if (quoted && part.text.includes("'") && /[$`]/.test(part.text.slice(part.text.indexOf("'"))))
          this.evaluates = true;
        if (name === "" && part.type === "ParameterExpansion")
          return { text: this.parameter(part), exact: false };
        const [round, ...more] = this.looped.get(name) ?? [];
        const exact = round?.exact === true && round.glob === undefined && more.length === 0;
        return { text: this.valueOf(name) ?? (name === "" ? part.text : `$${name}`), exact };
      }
      case "CommandExpansion": {
        const before = this.found.length;
        if (part.script) this.script(part.script);
        else this.fault = true;
        return { text: printed(this.found.slice(before)) ?? (quoted ? "$_" : "$(…)"), exact: false };
      }
      case "ArithmeticExpansion":
        if (!/^\$\(\([\d\s+*/%()-]*\)\)$/.test(part.text)) this.evaluates = true;
        forEachChild(part, (child) => this.node(child, ";", []));
        return { text: "$((…))", exact: false };
      case "ProcessSubstitution":
        if (part.script) this.script(part.script);
        else this.fault = true;
        return { text: "/dev/stdin", exact: part.operator === "<" };
      default:
        forEachChild(part, (child) => this.node(child, ";", []));
        return { text: part.text, exact: false };
    }
  }

  private valueOf(name: string): string | undefined {
    return this.made > READ_MAX ? undefined : this.values.get(name);
  }

  private parameter(part: Node<"ParameterExpansion">): string {
    const { parameter, prefix, index, operation } = part;
    const known = this.valueOf(prefix === "!" ? (this.values.get(parameter) ?? "") : parameter);
    if (prefix === "!" || index || /^(?:Slice|Transform|Unknown)$/.test(operation?.type ?? ""))
      this.evaluates = true;
    if (operation?.type !== "Default") {
      forEachChild(part, (child) => this.node(child, ";", []));
      return known ?? `$${parameter}`;
    }
    if (index) this.piece(index);
    const instead = this.piece(operation.operand).text;
    if (operation.operator.endsWith("+")) return instead;
    if (operation.operator.endsWith("=")) this.evaluates = true;
    if (operation.operator.endsWith("=")) this.values.set(parameter, known ?? instead);
    // It fails where it has no value, so it is never empty.
    if (operation.operator.endsWith("?")) return known ?? (parameter === "HOME" ? "$HOME" : "…");
    return known ?? instead;
  }
}
