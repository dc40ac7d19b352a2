/** Walks the tree that `unbash` reads and collects simple commands, with what the line itself says about its variables. */
import { forEachChild, type SyntaxNode } from "unbash";
import { alternatives, joined, printed } from "./expansion.ts";
import type { Redirect, Simple, Word } from "./plain.ts";
import { OWN_VARIABLE } from "./readonly.ts";

type Node<T extends SyntaxNode["type"]> = Extract<SyntaxNode, { type: T }>;
type ShellWord = Node<"Word">;
type Part = NonNullable<ShellWord["parts"]>[number];
type Piece = { readonly text: string; readonly exact: boolean };

const VALUE_MAX = 10_000;
const WORDS_MAX = 64;
/** Builtins that evaluate their arguments as arithmetic or as names with subscripts. */
const EVALUATES =
  /^(?:let|unset|declare|typeset|local|read(?!(?: -r| [a-z][a-z\d]*)+$)|mapfile|readarray|getopts|wait|printf -v|test .*-[vR]|\[ .*-[vR])(?= |$)/s;

export class TreeReader {
  readonly found: Simple[] = [];
  readonly values: Map<string, string>;
  fault = false;
  evaluates = false;
  /** What a loop variable stands for, where nothing else in the line assigns it. */
  private readonly loops = new Map<string, readonly Word[]>();
  private readonly source: string;
  private within: readonly string[] = [];

  constructor(source: string, values: Map<string, string>) {
    this.source = source;
    this.values = values;
  }

  script(script: Node<"Script"> & { readonly errors?: readonly unknown[] | undefined }): void {
    if (script.errors && script.errors.length > 0) this.fault = true;
    for (const statement of script.commands) this.node(statement, ";", []);
  }

  private node(node: SyntaxNode, operator: string, piped: readonly Simple[]): void {
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
        const named = this.source.match(new RegExp(`(?<![$\\w]|\\$\\{)${name}\\b`, "g")) ?? [];
        if (/^\w+$/.test(name) && named.length === 1 && items.every(({ exact }) => exact))
          this.loops.set(name, items);
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
    const [first] = words;
    if (first?.text.startsWith("/dev/")) words[0] = { ...first, exact: false };
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
    // In a loop the file is another one each time.
    if (targets.length !== 1 && !(node.target && this.looped(node.target))) this.fault = true;
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
    const before = node.append ? (this.values.get(node.name) ?? "") : "";
    this.values.set(node.name, (before + text).slice(0, VALUE_MAX));
    return { text, exact: node.value.type === "Word" && items.every(({ exact }) => exact) };
  }

  private piece(word: ShellWord): Piece {
    return this.joinedParts(word.parts, word.value, false);
  }

  /** The words that one word of the source becomes: several by brace expansion, or by splitting a known value. */
  private words(word: ShellWord): Word[] {
    const looped = this.looped(word);
    if (looped) return looped;
    let texts = [""];
    let exact = true;
    let splits = false;
    let isGlob = false;
    for (const part of word.parts ?? []) {
      if (part.type === "Glob" || part.type === "ExtendedGlob" || part.type === "ProcessSubstitution")
        isGlob = true;
      const { text, exact: known } = this.part(part, false);
      const choices = part.type === "BraceExpansion" ? alternatives(part.text) : [text];
      if (!known && part.type !== "DoubleQuoted" && part.type !== "BraceExpansion" && /\s|^$/.test(text))
        splits = true;
      exact &&= part.type === "BraceExpansion" ? !/['"\\$`]|\.\.|\{.*\{/.test(part.text) : known;
      texts = texts.flatMap((before) => choices.map((choice) => (before + choice).slice(0, VALUE_MAX)));
      if (texts.length > WORDS_MAX) {
        texts = texts.slice(0, WORDS_MAX);
        this.fault = true;
      }
    }
    if (!word.parts) texts = [word.value];
    if (splits) texts = texts.flatMap((text) => text.split(/\s+/).filter((one) => one !== ""));
    return texts.map((text) => ({ text, exact, ...(isGlob && { glob: text }) }));
  }

  private looped({ parts }: ShellWord): Word[] | null {
    const [part, ...others] = parts ?? [];
    const [inner, ...more] = part?.type === "DoubleQuoted" ? part.parts : [part];
    if (others.length + more.length > 0 || !/Expansion$/.test(inner?.type ?? "")) return null;
    const items = this.loops.get(/^\$\{?(\w+)\}?$/.exec(inner?.text ?? "")?.[1] ?? "");
    if (!items) return null;
    // Unquoted, a name with a blank would become two words.
    return items.map((item) =>
      part === inner && item.glob !== undefined ? { ...item, exact: false } : item,
    );
  }

  private joinedParts(parts: readonly Part[] | undefined, value: string, quoted: boolean): Piece {
    if (!parts) return { text: value, exact: true };
    const pieces = parts.map((part) => this.part(part, quoted));
    return {
      text: pieces
        .map(({ text }) => text)
        .join("")
        .slice(0, VALUE_MAX),
      exact: pieces.every(({ exact }) => exact),
    };
  }

  private part(part: Part, quoted: boolean): Piece {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
      case "AnsiCQuoted":
        if (part.type !== "Literal" && !part.text.endsWith("'")) this.fault = true;
        return { text: part.value, exact: true };
      case "Glob":
        forEachChild(part, (child) => this.node(child, ";", []));
        return { text: part.value, exact: true };
      case "DoubleQuoted":
      case "LocaleString":
        if (!part.text.endsWith('"')) this.fault = true;
        return this.joinedParts(part.parts, "", true);
      case "SimpleExpansion": {
        const name = part.text.replace(/^\$\{?|\}$/g, "");
        return { text: this.values.get(name) ?? part.text, exact: false };
      }
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

  private parameter(part: Node<"ParameterExpansion">): string {
    const { parameter, prefix, index, operation } = part;
    const known = this.values.get(prefix === "!" ? (this.values.get(parameter) ?? "") : parameter);
    if (
      prefix === "!" ||
      index ||
      operation?.type === "Slice" ||
      operation?.type === "Transform" ||
      operation?.type === "Unknown"
    )
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
