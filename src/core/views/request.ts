/** Open questions as data and views: who asks whom, until when, and how a person answers. */

import { type Option, questionWords } from "../board/question.ts";
import type { Instant, Name, RequestId, TaskId } from "../ids.ts";
import { escapes } from "../text/hidden.ts";
import { type Cell, type Column, type FeedLine, span, type View } from "./view.ts";

export type QuestionData = {
  readonly id: RequestId;
  readonly kind: "plan" | "permission" | "shutdown" | "question";
  readonly by: Name;
  readonly of: Name;
  readonly at: Instant;
  readonly deadline: Instant;
  readonly leftMs: number;
  readonly task: TaskId | null;
  readonly attempt: number | null;
  /** The plan, the call that needs permission, the question, or the reason to stop. */
  readonly text: string;
  /** The reason why a permission is needed. */
  readonly why?: string;
  /** The change that a permitted edit would make, as a unified diff. */
  readonly diff?: string;
  /** The rule that the answer "always" to a permission adds. */
  readonly rule?: string;
  /** The answers that a question offers. */
  readonly options?: readonly Option[];
};
export type QuestionsData = { readonly team: Name; readonly requests: readonly QuestionData[] };

export function questionViews({ requests }: QuestionsData): View[] {
  const columns: Column[] = [
    { name: "request" },
    { name: "kind" },
    { name: "from" },
    { name: "of" },
    { name: "left", align: "right" },
    { name: "what", grow: true },
  ];
  const rows = requests.map((one): Cell[] => [
    { text: one.id, tone: "strong" },
    { text: one.kind },
    { text: one.by },
    { text: one.of },
    { text: span(one.leftMs), tone: "dim" },
    {
      text: `${one.task === null ? "" : `#${one.task}: `}${escapes(firstLine(one.text))}${one.rule ? ` (always: ${escapes(one.rule)})` : ""}`,
    },
  ]);
  const inFull = requests.filter(
    ({ kind, text, diff }) =>
      kind === "plan" ||
      kind === "question" ||
      (kind === "permission" && (diff !== undefined || text.length > SHORT || /\n/.test(text))),
  );
  const lines = inFull.map(
    (one): FeedLine => ({ at: one.at, who: one.by, text: inFullText(one), tone: "plain" }),
  );
  return [
    { kind: "table", columns, rows, empty: "No question waits for an answer." },
    ...(lines.length > 0 ? [{ kind: "feed", lines, empty: "" } as const] : []),
  ];
}

/** Longer texts are cut in a table. A line that would run is shown whole, with control characters spelled out. */
const SHORT = 60;

const inFullText = ({ kind, id, task, attempt, text, why, diff, options = [] }: QuestionData): string =>
  kind === "question"
    ? `asks: ${escapes(questionWords({ question: text, options, request: id }))}`
    : kind === "plan"
      ? `plans #${task} (attempt ${attempt}, request ${id}):\n${text}`
      : `asks to run (request ${id}):\n${why ? `Why it is asked: ${escapes(why)}.\n` : ""}${escapes(text)}${diff === undefined ? "" : `\n${escapes(diff)}`}`;

function firstLine(text: string): string {
  const [first = "", ...rest] = text.trim().split("\n");
  return rest.length > 0 ? `${first} …` : first;
}
