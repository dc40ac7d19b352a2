/** The words by which a person answers a permission, a plan or a request to stop: the same ones wherever they are typed. */

export type AnswerWord = "yes" | "no" | "all" | "always" | "session";
/** `text`: with a no what to do instead; with an always or a session another rule than the one that was offered. */
export type TypedAnswer = { readonly word: AnswerWord; readonly text: string };

const WORDS: Readonly<Record<AnswerWord, readonly string[]>> = {
  yes: ["yes", "y", "ok", "approve", "allow"],
  no: ["no", "n", "reject", "deny"],
  /** To a permission: also to all others that wait and have the same rule. */
  all: ["all"],
  /** To a permission: its rule holds from now on, in all of the person's work here or in this session. */
  always: ["always", "a"],
  session: ["session", "s"],
};

const MEANS = new Map(
  Object.entries(WORDS).flatMap(([word, all]) => all.map((one) => [one, word as AnswerWord])),
);

/** Null for any other word. */
export const answerWord = (typed: string): AnswerWord | null => MEANS.get(typed.toLowerCase()) ?? null;

const NO: TypedAnswer = { word: "no", text: "" };

/** The answer in a typed line; null where it is none. An empty line is a no. Where no rule would allow the call, an always is a yes. */
export function readAnswer(line: string, hasRule = true): TypedAnswer | null {
  if (line.trim() === "") return NO;
  const [, typed = "", more = ""] = /^([a-z]+)(?:[\s,:.]+(\S.*))?$/is.exec(line.trim()) ?? [];
  const word = answerWord(typed);
  if (word === "no") return { word, text: more };
  if (word === "always" || word === "session")
    return more === "" || /^[\w.-]+\(.+\)$/s.test(more) ? { word: hasRule ? word : "yes", text: more } : null;
  return word !== null && more === "" ? { word, text: "" } : null;
}
