/** Walks the tree that `unbash` reads and collects simple commands, with what the line itself says about its variables. */
import { forEachChild, type SyntaxNode } from "unbash";
import { alternatives, costOf, EVALUATES, joined, KNOWN_ESCAPES, printed, variableOf } from "./expansion.ts";
import type { Redirect, Simple, Word } from "./plain.ts";
import { OWN_VARIABLE } from "./readonly.ts";

type Node<T extends SyntaxNode["type"]> = Extract<SyntaxNode, { type: T }>;
type ShellWord = Node<"Word">;
type Part = NonNullable<ShellWord["parts"]>[number];
type Piece = { readonly text: string; readonly exact: boolean };

const VALUE_MAX = 10_000;
const WORDS_MAX = 64;
/** A line with more words and commands is not read to its end: what follows costs time for each. */
const READ_MAX = 3_000;
export class TreeReader {
  readonly found: Simple[] = [];
  readonly values: Map<string, string>;
  fault = false;
  evaluates = false;
  private readonly source: string;
  /** The words that the variable of a loop stands for, until something else assigns it. */
  private readonly looped = new Map<string, Word[]>();
  private within: readonly string[] = [];
  /** Words and commands so far, and what values and loops made of them. Too much of that is not followed, and the rest is read. */
  private read = 0;
  private made = 0;

  constructor(source: string, values: Map<string, string>) {
    this.source = source;
    this.values = values;
  }

  script(script: Node<"Script"> & { readonly errors?: readonly unknown[] | undefined }): void {
    if (script.errors && script.errors.length > 0) this.fault = true;
    for (const statement of script.commands) this.node(statement, ";", []);
  }

  private node(node: SyntaxNode, operator: string, piped: readonly Simple[]): void {
    this.fault ||= this.read > READ_MAX;
    if (this.read > READ_MAX) return;
    switch (node.type) {
      case "Statement":
        this.node(node.command, node.background ? "&" : ";", []);
        break;
      case "AndOr":
        for (const [i, command] of node.commands.entries())
          this.node(command, node.operators[i] ?? operator, []);
        break;
      case "Pipeline":
        this.pipeline(node, operator);
        break;
      case "Command":
        this.command(node, operator, piped);
        break;
      case "Redirected":
        this.node(node.command, operator, piped);
        this.push([], [], node.redirects, operator, piped);
        break;
      case "Function": {
        const outside = this.within;
        this.within = [...outside, this.words(node.name)[0]?.text ?? ""];
        this.node(node.body, ";", []);
        this.within = outside;
        break;
      }
      case "For":
      case "Select": {
        const items = (node.wordlist ?? []).flatMap((word) => this.words(word));
        const name = node.name.value;
        this.values.set(name, joined(items));
        if (!OWN_VARIABLE.test(name))
          this.push([], [{ name, value: { text: joined(items), exact: false } }], [], ";", []);
        const loose = items.map((item) => ({ ...item, exact: false }));
        this.looped.set(name, loose);
        this.node(node.body, ";", []);
        break;
      }
      case "TestCommand":
        this.condition(node, operator, piped);
        break;
      case "ArithmeticCommand":
      case "ArithmeticFor":
        this.evaluates = true;
        forEachChild(node, (child) => this.node(child, ";", []));
        break;
      case "Word":
        this.words(node);
        break;
      case "Script":
        this.script(node);
        break;
      default:
        forEachChild(node, (child) => this.node(child, ";", []));
    }
  }

  private pipeline(node: Node<"Pipeline">, operator: string): void {
    let piped: readonly Simple[] = [];
    for (const [i, command] of node.commands.entries()) {
      const before = this.found.length;
      this.node(command, node.operators[i] ?? operator, piped);
      piped = [...this.found.slice(before).reverse(), ...piped].slice(0, WORDS_MAX);
    }
  }

  private command(node: Node<"Command">, operator: string, piped: readonly Simple[]): void {
    const assigns: { name: string; value: Word }[] = [];
    for (const prefix of node.prefix)
      if (prefix.type === "Assignment") assigns.push({ name: prefix.name, value: this.assignment(prefix) });
    const words = node.name ? this.words(node.name) : [];
    if (words[0]?.text.startsWith("/dev/")) words[0] = { ...words[0], exact: false };
    for (const argument of node.args)
      if (argument.type === "Word") words.push(...this.words(argument));
      else {
        const value = this.assignment(argument);
        words.push({ text: `${argument.name}=${value.text}`, exact: value.exact });
      }
    this.push(words, assigns, node.redirects, operator, piped);
    if (EVALUATES.test(joined(words))) this.evaluates = true;
  }

  private push(
    words: readonly Word[],
    assigns: Simple["assigns"],
    redirects: readonly (Node<"Redirect"> | Node<"HereString"> | Node<"HereDoc">)[],
    operator: string,
    piped: readonly Simple[],
  ): void {
    this.read += 1;
    this.found.push({
      words,
      assigns,
      redirects: redirects.flatMap((redirect) => this.redirect(redirect)),
      operator,
      piped,
      within: this.within,
    });
  }

  private redirect(node: Node<"Redirect"> | Node<"HereString"> | Node<"HereDoc">): Redirect[] {
    // `{PATH}<file` assigns a number to a variable.
    if (node.descriptor?.type === "FileDescriptorVariable") this.fault = true;
    if (node.type === "HereDoc") {
      if (!node.closing || !node.delimiter) this.fault = true;
      const quoted = node.delimiter?.quoted ?? false;
      const { text, exact } = quoted
        ? { text: node.body.text, exact: true }
        : this.joinedParts(node.body.parts, node.body.text, true);
      return [{ op: node.operator, to: { text, exact } }];
    }
    const targets = node.target ? this.words(node.target) : [];
    if (targets.length !== 1 && !this.looped.has(variableOf(node.target?.parts ?? []))) this.fault = true;
    const isDescriptor =
      node.operator.endsWith("&") && targets.every(({ text }) => /^(?:\d+-?|-)$/.test(text));
    return isDescriptor ? [] : targets.map((to) => ({ op: node.operator, to }));
  }

  private condition(node: Node<"TestCommand">, operator: string, piped: readonly Simple[]): void {
    const words: Word[] = [{ text: "[[", exact: true }];
    const visit = (child: SyntaxNode): void => {
      if (child.type === "Word") words.push(...this.words(child));
      else forEachChild(child, visit);
    };
    forEachChild(node, visit);
    if (/\s-(?:v|R|eq|ne|lt|le|gt|ge)\s/.test(this.source.slice(node.pos, node.end))) this.evaluates = true;
    this.push(words, [], [], operator, piped);
  }

  private assignment(node: Node<"Assignment">): Word {
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
  private words(word: ShellWord): Word[] {
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
    if (looped) return looped;
    let texts = [""];
    let exact = true;
    let splits = false;
    let isGlob = false;
    for (const part of word.parts ?? []) {
      if (/^(?:Glob|ExtendedGlob|ProcessSubstitution)$/.test(part.type)) isGlob = true;
      const { text, exact: known } = this.part(part, false);
      const choices = part.type === "BraceExpansion" ? alternatives(part.text) : [text];
      if (!known && !/Quoted$|^LocaleString$|^BraceExpansion$/.test(part.type) && /\s|^$/.test(text))
        splits = true;
      exact &&= part.type === "BraceExpansion" ? !/['"\\$`]|\.\.|\{.*\{/.test(part.text) : known;
      texts = texts.flatMap((before) => choices.map((choice) => (before + choice).slice(0, VALUE_MAX)));
      if (texts.length <= WORDS_MAX) continue;
      this.fault = true;
      texts = texts.slice(0, WORDS_MAX);
      break;
    }
    if (!word.parts) texts = [word.value];
    if (splits) texts = texts.flatMap((text) => text.split(/\s+/).filter((one) => one !== ""));
    return texts.map((text) => ({ text, exact, ...(isGlob && { glob: text }) }));
  }

  private joinedParts(parts: readonly Part[] | undefined, value: string, quoted: boolean): Piece {
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
        return { text: part.value, exact: KNOWN_ESCAPES.test(part.text) };
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
        return { text: this.valueOf(variableOf([part])) ?? part.text, exact: false };
      case "ParameterExpansion":
        return { text: this.parameter(part), exact: false };
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
