/** Asks the person in front of the terminal whether a call is allowed. One question at a time; a closed stdin means no. */
import type { Ask } from "../host/permission-questions.ts";
import { clean, type Terminal } from "./terminal.ts";

export type Answer = "yes" | "no" | "always";

/** What was typed, read; null when it is no answer. */
export function readAnswer(text: string): Answer | null {
  const word = text.trim().toLowerCase();
  if (/^(y|yes)$/.test(word)) return "yes";
  if (/^(a|always)$/.test(word)) return "always";
  return /^(n|no)?$/.test(word) ? "no" : null;
}

type Question = Parameters<Ask>[0];

export const questionText = ({ who, tool, subject, rule }: Question): string =>
  `${who} wants to run ${tool}: ${clean(subject)}\nAllow it? [y]es, [n]o, [a]lways${rule ? ` (${clean(rule)})` : ""}: `;

/** `alone` gives the question the terminal for itself. */
export function askOnTerminal(term: Terminal, alone: <T>(use: () => Promise<T>) => Promise<T>): Ask {
  let queue: Promise<unknown> = Promise.resolve();
  const ask = async (question: Question): Promise<Answer> => {
    const { createInterface } = await import("node:readline/promises");
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    const closed = new Promise<null>((resolve) => lines.once("close", () => resolve(null)));
    const elsewhere = (): void => lines.close();
    question.signal?.addEventListener("abort", elsewhere, { once: true });
    // Ctrl-C at a question is meant for the run.
    lines.on("SIGINT", () => process.emit("SIGINT"));
    try {
      for (;;) {
        const text = await Promise.race([lines.question(term.paint("warn", questionText(question))), closed]);
        const answer = text === null ? "no" : readAnswer(text);
        if (answer) return answer;
      }
    } finally {
      question.signal?.removeEventListener("abort", elsewhere);
      lines.close();
    }
  };
  return (question) => {
    const next = queue.then(() => (question.signal?.aborted ? "no" : alone(() => ask(question))));
    queue = next.catch(() => {});
    return next;
  };
}
