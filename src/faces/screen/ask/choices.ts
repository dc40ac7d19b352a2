/** The answers that a card offers, in the order of its lines. */
import { optionLines } from "../../../core/board/question.ts";
import { isBoardQuestion } from "../../../core/plan/hold.ts";
import { ruleWords } from "../../kit/question-text.ts";
import { exact } from "../draw/style.ts";
import type { Question } from "./question.ts";

export type Choice = {
  /** The letter or the word that one may type instead. */
  readonly key: string;
  /** For the action that answers. */
  readonly word: string;
  readonly label: string;
  /** In a paragraph of all answers. */
  readonly short?: string;
  /** The rule that the answer adds. */
  readonly rule?: string;
  /** The line that the person finishes, in place of an answer. */
  readonly opens?: string;
  /** The line that is run, in place of an answer. */
  readonly runs?: string;
};

const EDITS_PLAN: Choice = {
  ...{ key: "e", word: "e", label: "edit the list: order, words, edges, checks, who (/plan)", runs: "/plan" },
};

/** `alike`: how many other questions the rule covers. `rule`: as the person has widened it; null where none would allow the call. */
export function choicesOf({ request }: Question, alike: number, rule: string | null): Choice[] {
  const { ask } = request;
  if (ask.kind === "question") {
    const options = optionLines(ask).map((line, i) => ({
      ...{ key: String(i + 1), word: String(i + 1), label: exact(line.replace(/^\d+\. /, "")) },
    }));
    return isBoardQuestion({ by: request.by, ...ask }) ? [...options, EDITS_PLAN] : options;
  }
  return [
    { key: "y", word: "yes", label: "yes" },
    { key: "n", word: "no", label: "no, because …", opens: "no, " },
    ...(rule !== null && alike > 0
      ? [
          {
            key: "all",
            word: "all",
            label: `yes to all ${alike + 1} that this rule covers`,
            short: String(alike + 1),
          },
        ]
      : []),
    ...(rule === null
      ? []
      : [
          { key: "s", word: "session", rule, label: `${exact(ruleWords(rule))}, this session` },
          {
            key: "a",
            word: "always",
            rule,
            label: "the same, always, in your own settings",
            short: "always",
          },
        ]),
  ];
}
