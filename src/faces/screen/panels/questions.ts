/** The questions that wait for an answer, those to the lead as well: keys answer the one under the cursor. */

import { optionLines } from "../../../core/board/question.ts";
import { PERSON } from "../../../core/ids.ts";
import { isForPerson } from "../../../core/picture/questions.ts";
import type { QuestionData } from "../../../core/views/request.ts";
import { span } from "../../../core/views/view.ts";
import { requests } from "../../../team/queries/requests.ts";
import { colourOf } from "../draw/colours.ts";
import { diffLine } from "../draw/highlight.ts";
import type { Action, Row } from "../draw/list.ts";
import { exact, oneLine, type Style, spread } from "../draw/style.ts";
import type { Listed, Panel, PanelInput } from "./panel.ts";

/** A question that waits longer has no end to show. */
const DAY_MS = 86_400_000;

export const questionsPanel: Panel = {
  title: "questions",
  read: async ({ store, style }: PanelInput): Promise<Listed> => {
    const asked = (await requests(store)).requests;
    const rank = (one: QuestionData): number => (isForPerson(one) ? 0 : 1);
    const rows = [...asked].sort((a, b) => rank(a) - rank(b) || a.at - b.at);
    return { empty: "No question waits for an answer.", rows: rows.map((one) => questionRow(one, style)) };
  },
};

function questionRow(asked: QuestionData, style: Style): Row {
  const { paint } = style;
  const { id, kind, by, of, task, text, leftMs } = asked;
  const to = of === PERSON ? "" : paint("dim", ` → ${of}`);
  const what = `${paint("dim", kind)} ${task === null ? "" : `#${task} `}${oneLine(exact(text))}`;
  return {
    id,
    text: `${by} ${of} ${kind} ${text}`,
    actions: [
      { key: "enter", word: "read", show: () => inFull(asked, style) },
      ...answersTo(asked),
      { key: "o", word: "asker", line: `/to ${by}` },
      ...(task === null ? [] : [{ key: "d", word: `details of #${task}`, line: `/task ${task}` }]),
    ],
    lines: (width) => [
      spread(
        `${isForPerson(asked) ? paint("warn", "●") : " "} ${paint(colourOf(by), by)}${to}  ${what}`,
        leftMs > DAY_MS ? "" : paint("dim", `${span(leftMs)} left`),
        width,
      ),
    ],
  };
}

function answersTo({ id, kind, rule, diff, options = [] }: QuestionData): Action[] {
  if (kind === "question")
    return [
      ...options.map(({ label }, i) => ({
        key: String(i + 1),
        word: oneLine(exact(label)),
        line: `/answer ${id} ${i + 1}`,
      })),
      { key: "w", word: "own words", line: `/answer ${id} ` },
    ];
  // The person may not agree to a stop for a member.
  if (kind === "shutdown") return [];
  return [
    // A change and a plan are read before.
    { key: "y", word: "yes", line: `/answer ${id} yes`, ...(kind === "plan" || diff ? { judges: id } : {}) },
    { key: "n", word: "no, because …", line: `/answer ${id} no ` },
    ...(rule === undefined
      ? []
      : [{ key: "a", word: `always ${exact(rule)}`, line: `/answer ${id} always`, asks: true }]),
  ];
}

/** Nothing of it may be invisible. */
function inFull({ by, kind, text, why, diff, options = [] }: QuestionData, { paint }: Style): string {
  return [
    `${paint(colourOf(by), by)} ${paint("dim", kind)}`,
    ...(why === undefined ? [] : [paint("dim", `why: ${exact(why)}`)]),
    exact(text),
    ...(diff === undefined ? [] : exact(diff).split("\n")).map((line) => diffLine(line, paint)),
    ...optionLines({ question: text, options }).map(exact),
  ].join("\n");
}
