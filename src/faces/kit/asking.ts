/** Asks the person in front of the terminal: whether a call is allowed, and what members ask. One question at a time; a closed stdin means no. */

import { optionLines } from "../../core/board/question.ts";
import { widthsOf } from "../../core/permission/widths.ts";
import type { Request } from "../../ports/index.ts";
import { escapes, type Terminal } from "./terminal.ts";
import { hideTyped, showTyped } from "./typed-line.ts";

/** `text`: an instruction, or another rule. `all`: yes, also to the others with the same rule. */
export type TerminalAnswer = {
  readonly word: "yes" | "no" | "all" | "always" | "session";
  readonly text: string;
};

/** The answer in a typed line; null when it is none. An instruction may follow a no, a rule may follow an always. */
export function readAnswer(text: string): TerminalAnswer | null {
  const found = /^\s*(y|yes|a|all|always|s|session|n|no|)(?:[\s,:.]+(\S.*))?\s*$/is.exec(text);
  if (!found) return null;
  const [, word = "", more = ""] = found;
  if (/^all$/i.test(word) && more === "") return { word: "all", text: "" };
  if (/^[as]/i.test(word) && (more === "" || /^[\w.-]+\(.+\)$/s.test(more.trim())))
    return { word: /^a/i.test(word) ? "always" : "session", text: more.trim() };
  if (/^y/i.test(word) && more === "") return { word: "yes", text: "" };
  return /^n/i.test(word) || text.trim() === "" ? { word: "no", text: more.trim() } : null;
}

/** The answer to this question in a line. Where no rule would always allow the call, "always" is a yes. */
export function readPermission(text: string, ask: Request["ask"]): TerminalAnswer | null {
  const given = readAnswer(text);
  const hasRule = ask.kind === "permission" && ask.rule !== undefined;
  return (given?.word === "always" || given?.word === "session") && !hasRule
    ? { ...given, word: "yes" }
    : given;
}

export const NO: TerminalAnswer = { word: "no", text: "" };

/** Control characters are spelled out, so the person sees what will run. Empty for a request of another kind. */
export function questionText({ by, ask }: Pick<Request, "by" | "ask">): string {
  if (ask.kind === "question")
    return `${by} asks you: ${escapes(ask.question)}\n${optionLines(ask).map(escapes).join("\n")}\n`;
  if (ask.kind !== "permission") return "";
  const { tool, subject, diff, why = "", rule } = ask;
  return `${by} wants to run ${tool}: ${escapes(subject)}\n${diff === undefined ? "" : `${escapes(diff).trimEnd()}\n`}Why it is asked: ${escapes(why)}.\nAllow it? [y]es, [n]o (and what to do instead)${rule ? `, [all] that the rule ${escapes(rule)} covers now, [s] for this session, [a]lways (${escapes(rule)}: ${meaning(rule)}; another rule may follow${wider(rule)})` : ""}: `;
}

const wider = (rule: string): string => {
  const [, one] = widthsOf(rule);
  return one === undefined ? "" : `: a ${escapes(one)}`;
};

/** A rule for a file or a tool allows more than the one call that is shown. */
export const meaning = (rule: string): string =>
  /^(?:write_file|edit_file)\([^*]*\)$/.test(rule)
    ? "whatever is written into this file"
    : rule.endsWith(")")
      ? rule.includes("*")
        ? "whatever fits it"
        : "exactly this"
      : "every call of it";

/** Prints text above a question that waits. */
export type PrintAbove = (text: string) => void;

/** A question to whoever sits at the terminal. `read`: null for what is no answer; it is asked again. `none`: nobody is there. */
export type Form<T> = {
  readonly text: string;
  readonly read: (line: string) => T | null;
  readonly none: T;
  readonly signal?: AbortSignal | undefined;
};
export type AskForm = <T>(form: Form<T>) => Promise<T>;

/** `alone` gives the question the terminal, and takes what prints the news meanwhile. */
export function askOnTerminal(
  term: Terminal,
  alone: <T>(use: (printNewsBy: (print: PrintAbove) => void) => Promise<T>) => Promise<T>,
): AskForm {
  let queue: Promise<unknown> = Promise.resolve();
  const ask = async <T>(question: Form<T>, printNewsBy: (print: PrintAbove) => void): Promise<T> => {
    const { createInterface } = await import("node:readline/promises");
    if (question.signal?.aborted) return question.none;
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    const closed = new Promise<null>((resolve) => lines.once("close", () => resolve(null)));
    const elsewhere = (): void => {
      lines.close();
      term.write("(answered elsewhere or withdrawn)\n");
    };
    question.signal?.addEventListener("abort", elsewhere, { once: true });
    // Ctrl-C at a question is meant for the run.
    lines.on("SIGINT", () => process.emit("SIGINT"));
    // Only the last line is drawn again below each piece of news: a diff may be longer than the terminal.
    const [, about = "", choice = ""] = /^([\s\S]*\n)(.*)$/.exec(question.text) ?? [];
    try {
      for (;;) {
        term.write(term.paint("warn", about));
        const answered = lines.question(term.paint("warn", choice));
        printNewsBy((text) => {
          hideTyped(lines, term);
          term.write(`${text}\n`);
          showTyped(lines, term);
        });
        const text = await Promise.race([answered, closed]);
        const answer = text === null ? question.none : question.read(text);
        if (answer !== null) return answer;
      }
    } finally {
      question.signal?.removeEventListener("abort", elsewhere);
      lines.close();
    }
  };
  return (question) => {
    const next = queue.then(() =>
      question.signal?.aborted ? question.none : alone((printNewsBy) => ask(question, printNewsBy)),
    );
    queue = next.catch(() => {});
    return next;
  };
}
