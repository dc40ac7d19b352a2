/** A question of a member to the person, with options: its words, and which option an answer means. Free text is always an answer. */

import { badInput } from "../errors.ts";
import { oneLine } from "../text/one-line.ts";
import { cutEnd } from "../text/valid.ts";

export type Option = { readonly label: string; readonly description: string };
export type Asked = { readonly question: string; readonly options: readonly Option[] };

export const OPTIONS_MIN = 2;
export const OPTIONS_MAX = 4;
/** Characters: a question is shown whole on every face. */
const QUESTION_MAX = 4_000;
const LABEL_MAX = 200;
const DESCRIPTION_MAX = 1_000;

const folded = (text: string): string => text.trim().toLowerCase();

/** @throws EkidenError `bad_input`: says what to change */
export function checkAsked({ question, options }: Asked): Asked {
  if (question.trim() === "") throw badInput("The question is empty. Write it in `question`.");
  if (question.length > QUESTION_MAX)
    throw badInput(`The question has ${question.length} characters; the limit is ${QUESTION_MAX}.`);
  if (options.length < OPTIONS_MIN || options.length > OPTIONS_MAX)
    throw badInput(`A question has ${OPTIONS_MIN} to ${OPTIONS_MAX} options, this one ${options.length}.`);
  for (const { label, description } of options) {
    if (label.trim() === "") throw badInput("An option has an empty label.");
    if (label.length > LABEL_MAX || description.length > DESCRIPTION_MAX)
      throw badInput(`A label has at most ${LABEL_MAX} characters, a description ${DESCRIPTION_MAX}.`);
  }
  if (new Set(options.map(({ label }) => folded(label))).size < options.length)
    throw badInput("Two options have the same label.");
  return {
    question: question.trim(),
    options: options.map(({ label, description }) => ({
      label: oneLine(label, LABEL_MAX),
      description: description.trim(),
    })),
  };
}

/** The answer that a typed text means: an option by its label or its number, else the text itself. Null for an empty one. */
export function meantAnswer({ options }: Asked, typed: string): string | null {
  const text = typed.trim();
  if (text === "") return null;
  const named = options.find(({ label }) => folded(label) === folded(text));
  const numbered = /^[1-9]$/.test(text) ? options[Number(text) - 1] : undefined;
  return (named ?? numbered)?.label ?? text;
}

/** Why a number answers nothing: it is that of no option. Null for other texts, and where options are numbers themselves. */
export function whyNoOption({ options }: Asked, typed: string): string | null {
  const number = /^\s*#?(\d+)\.?\s*$/.exec(typed)?.[1];
  const isThere = number === undefined || options[Number(number) - 1] !== undefined;
  if (isThere || options.some(({ label }) => /^\W*\d/.test(label))) return null;
  return `there is no option ${number}. The options: ${options.map(({ label }, i) => `${i + 1} (${label})`).join(", ")}. An answer in your own words is more than a number.`;
}

/** One line an option: "1. label: description". */
export const optionLines = ({ options }: Asked): string[] =>
  options.map(
    ({ label, description }, i) => `${i + 1}. ${label}${description === "" ? "" : `: ${description}`}`,
  );

export const questionWords = (asked: Asked & { readonly request: string }): string =>
  `${asked.question}\n${optionLines(asked).join("\n")}\nTo answer: ekiden answer ${asked.request} ${asked.options.map((_, i) => i + 1).join("|")}, or your own words behind the id.`;

type Answered = { readonly question: string; readonly answer: string | null };

export function answerWords({ question, answer }: Answered): string {
  const about = oneLine(cutEnd(question, 200), 200);
  return answer === null
    ? `Nobody has answered your question "${about}" in time. Decide yourself and continue. If you cannot, end your task with fail_task and give the question as the reason.`
    : `About your question "${about}": ${answer}`;
}
