/** Walks the tree that `unbash` reads and collects simple commands, with what the line itself says about its variables. */
import { forEachChild, type SyntaxNode } from "unbash";
import { EVALUATES, joined, OWN_VARIABLE, SETS, variableOf } from "./expansion.ts";
import type { Redirect, Simple, Word } from "./plain.ts";
import type { Step, Steps } from "./steps.ts";
import { type Node, READ_MAX, WordReader } from "./tree-words.ts";

/** The nodes of the small grammar. Every other node has characters that are not in that grammar. */
const PLAIN: ReadonlySet<SyntaxNode["type"]> = new Set([
  "Script",
  "Statement",
  "AndOr",
  "Pipeline",
  "Command",
]);

/** The limit of a loop's rounds: each is read by itself. */
const ROUNDS_MAX = 16;
/** The limit of the commands before a pipe. */
const PIPED_MAX = 64;
/** The commands that they repeat are read once. */
const LOOPS = /\b(?:for|select|while|until)\b/;
const JUMPS = /\b(?:break|continue)\b/;
/** A text that stays one word without quotes. */
const WORD = /^[\w@%+:,./-]+$/;

export class TreeReader extends WordReader {
  private readonly source: string;
  private within: readonly string[] = [];
  /** Those of the part that is read. */
  steps: Step[] = [];

  constructor(source: string, values: Map<string, string>) {
    super(source, values);
    this.source = source;
  }

  script(script: Node<"Script"> & { readonly errors?: readonly unknown[] | undefined }): void {
    if (script.errors && script.errors.length > 0) this.fault = true;
    for (const statement of script.commands) this.node(statement, ";", []);
  }

  protected node(node: SyntaxNode, operator: string, piped: readonly Simple[]): void {
    this.fault ||= this.read > READ_MAX;
    if (this.read > READ_MAX) return;
    if (!PLAIN.has(node.type)) this.plain = false;
    switch (node.type) {
      case "Statement":
        if (node.background) this.apart(() => this.node(node.command, "&", []));
        else this.node(node.command, ";", []);
        break;
      case "AndOr": {
        const parts = node.commands.map((command, i) =>
          this.stepsOf(() => this.node(command, node.operators[i] ?? operator, [])),
        );
        this.steps.push({ kind: "list", parts, operators: node.operators });
        break;
      }
      case "Pipeline":
        this.pipeline(node, operator);
        break;
      case "Command":
        this.command(node, operator, piped);
        break;
      case "Redirected": {
        // Its files are opened before it begins.
        const inside = this.stepsOf(() => this.node(node.command, operator, piped));
        this.push([], [], node.redirects, operator, piped);
        this.steps.push(...inside);
        break;
      }
      case "Function": {
        const outside = this.within;
        this.within = [...outside, this.words(node.name)[0]?.text ?? ""];
        // Nobody knows when it runs.
        this.looped.clear();
        this.steps.push({ kind: "later", steps: this.stepsOf(() => this.node(node.body, ";", [])) });
        this.within = outside;
        break;
      }
      case "For":
      case "Select": {
        const items = (node.wordlist ?? []).flatMap((word) => this.words(word));
        const name = node.name.value;
        if (!OWN_VARIABLE.test(name))
          this.push([], [{ name, value: { text: joined(items), exact: false } }], [], ";", []);
        const isFollowed = node.type === "For" && this.isFollowed(name, items, node.body);
        const loose = items.map((item) => ({ ...item, exact: false }));
        const rounds = (isFollowed ? items.map((item) => [item]) : [loose]).map((round) =>
          this.stepsOf(() => {
            this.values.set(name, joined(round));
            this.looped.set(name, round);
            this.node(node.body, ";", []);
          }),
        );
        const isOnce = isFollowed && !JUMPS.test(this.source.slice(node.body.pos, node.body.end));
        if (isOnce) this.steps.push(...rounds.flat());
        else this.steps.push({ kind: "maybe", steps: rounds.flat(), again: true });
        this.looped.set(name, loose);
        break;
      }
      case "ArithmeticFor":
        this.evaluates = true;
        this.maybe(true, () => forEachChild(node, (child) => this.node(child, ";", [])));
        break;
      case "Case":
        this.words(node.word);
        this.maybe(false, () => {
          for (const item of node.items) forEachChild(item, (child) => this.node(child, ";", []));
        });
        break;
      case "If":
      case "While":
        this.maybe(node.type === "While", () => forEachChild(node, (child) => this.node(child, ";", [])));
        break;
      case "Subshell":
      case "Coproc":
      case "ArithmeticCommand":
        this.evaluates ||= node.type === "ArithmeticCommand";
        this.apart(() => forEachChild(node, (child) => this.node(child, ";", [])));
        break;
      case "TestCommand":
        this.condition(node, operator, piped);
        break;
      case "Word":
        this.words(node);
        break;
      case "Script":
        this.apart(() => this.script(node));
        break;
      default:
        forEachChild(node, (child) => this.node(child, ";", []));
    }
  }

  /** Whether each round of a loop is read with its own value: only the loop gives it one, and it stays one word. */
  private isFollowed(name: string, items: readonly Word[], { pos, end }: SyntaxNode): boolean {
    const body = this.source.slice(pos, end);
    return (
      items.length > 0 &&
      items.length <= ROUNDS_MAX &&
      items.every(({ exact, glob, text }) => exact && (glob !== undefined || WORD.test(text))) &&
      !LOOPS.test(body) &&
      !body.includes(`${name}=`)
    );
  }

  private pipeline(node: Node<"Pipeline">, operator: string): void {
    if (node.prefixes.length > 1 || node.commands.length === 0) this.plain = false;
    let piped: readonly Simple[] = [];
    const parts = node.commands.map((command, i) => {
      const before = this.found.length;
      const steps = this.stepsOf(() => this.node(command, node.operators[i] ?? operator, piped));
      piped = [...this.found.slice(before).reverse(), ...piped].slice(0, PIPED_MAX);
      return steps;
    });
    // Some shells run the last part themselves.
    if (parts.length > 1)
      for (const [i, steps] of parts.entries())
        this.steps.push(
          i < parts.length - 1 ? { kind: "apart", steps } : { kind: "maybe", steps, again: false },
        );
    else if (node.prefixes.length > 0) this.steps.push({ kind: "maybe", steps: parts.flat(), again: false });
    else this.steps.push(...parts.flat());
  }

  private stepsOf(read: () => void): Steps {
    const outside = this.steps;
    const steps: Step[] = [];
    this.steps = steps;
    read();
    this.steps = outside;
    return steps;
  }

  private maybe(again: boolean, read: () => void): void {
    this.steps.push({ kind: "maybe", steps: this.stepsOf(read), again });
  }

  /** What it finds runs in a process of its own. */
  private apart<T>(read: () => T): T {
    let value: T | undefined;
    const steps = this.stepsOf(() => {
      value = read();
    });
    if (steps.length > 0) this.steps.push({ kind: "apart", steps });
    return value as T;
  }

  protected override words(word: Node<"Word">): Word[] {
    return this.apart(() => super.words(word));
  }

  protected override assignment(node: Node<"Assignment">): Word {
    return this.apart(() => super.assignment(node));
  }

  private command(node: Node<"Command">, operator: string, piped: readonly Simple[]): void {
    const assigns: { name: string; value: Word }[] = [];
    for (const prefix of node.prefix)
      if (prefix.type === "Assignment") {
        const value = this.assignment(prefix);
        // A tilde is expanded here.
        if (prefix.append || value.text.startsWith("~")) this.plain = false;
        assigns.push({ name: prefix.name, value });
      }
    const words = node.name ? this.words(node.name) : [];
    if (words[0]?.glob !== undefined) this.plain = false;
    // Bash takes such a word for a command, dash for an option of `time`.
    if (words[0]?.text.startsWith("-")) this.fault = true;
    if (words[0]?.text.startsWith("/dev/")) words[0] = { ...words[0], exact: false };
    for (const argument of node.args)
      if (argument.type === "Word") words.push(...this.words(argument));
      else {
        const value = this.assignment(argument);
        words.push({ text: `${argument.name}=${value.text}`, exact: value.exact });
      }
    this.push(words, assigns, node.redirects, operator, piped);
    if (SETS.test(joined(words))) this.looped.clear();
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
    const made = this.apart(() => redirects.flatMap((redirect) => this.redirect(redirect)));
    this.steps.push({ kind: "run", at: this.found.length });
    this.found.push({
      words,
      assigns,
      redirects: made,
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
    const { operator, descriptor } = node;
    const number = descriptor?.type === "FileDescriptor" ? descriptor.value : operator === "<&" ? 0 : 1;
    // Another input than that of a pipe matters, whatever it is.
    return isDescriptor && number !== 0
      ? []
      : targets.map((to) => ({ op: isDescriptor ? "<&" : operator, to }));
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
}
