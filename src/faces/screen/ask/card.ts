/** The card of the question that waits: who asks, for which task, why, and the whole command, diff or plan. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { colourOf } from "../../../core/views/identity.ts";
import { span } from "../../../core/views/view.ts";
import { diffLine } from "../draw/highlight.ts";
import { GrowingMarkdown } from "../draw/markdown.ts";
import { exact, oneLine, phrases, type Style, shortened, spread, wrapped } from "../draw/style.ts";
import type { Choice } from "./choices.ts";
import type { Question } from "./question.ts";
import { type CardQuestions, headOf, isSeen } from "./questions.ts";

/** The columns of the bar and the blanks of a card. */
const MARGIN = 4;
/** A lower card, and one whose question is longer than it, has its answers in one paragraph. */
const ROOMY = 13;

export type CardLook = {
  readonly width: number;
  readonly height: number;
  readonly now: number;
  readonly isRead: boolean;
};

export type Card = { readonly lines: readonly string[]; readonly overflows: boolean };

/** Without lines when there is no question. `scroll`: lines of a long body that are above the card. */
export function cardOf(questions: CardQuestions, style: Style, look: CardLook, scroll: number): Card {
  const { current } = questions;
  if (!current) return { lines: [], overflows: false };
  const { paint } = style;
  const { width, height, now } = look;
  const inner = width - MARGIN;
  const bar = paint("warn", "┃");
  const { request, task } = current;
  const why = request.ask.kind === "permission" ? (request.ask.why ?? "") : "";
  const left = look.isRead || request.ask.kind !== "question" ? leftText(request.deadline - now) : "";
  const place = `${questions.position} of ${questions.count}`;
  const head = [
    titleLine(
      `${paint(colourOf(request.by), request.by)} ${paint("strong", headOf(current))}`,
      [place + left, place].map((text) => paint("dim", text)),
      inner,
    ),
    ...(task === "" ? [] : [paint("dim", shortened(`task: ${oneLine(task)}`, inner))]),
    ...(why === "" ? [] : wrapped(`why:  ${oneLine(exact(why))}`, inner).map((line) => paint("dim", line))),
  ];
  const answers = (isLow: boolean): string[] => answersOf(questions, current, style, look, isLow);
  const body = bodyOf(current, style, inner);
  const roomBeside = (foot: readonly string[]): number => Math.max(3, height - head.length - foot.length);
  // What is to be judged comes before a line for each answer.
  const whole = answers(height < ROOMY);
  const foot = body.length <= roomBeside(whole) ? whole : answers(true);
  const room = roomBeside(foot);
  const from = Math.min(scroll, Math.max(0, body.length - room + 1));
  const fits = body.length <= room;
  const shown = fits ? body : body.slice(from, from + room - 1);
  const hidden = body.length - shown.length;
  const lines = [
    ...head,
    ...shown,
    ...(fits
      ? []
      : [paint("warn", `… ${hidden} of ${body.length} lines are not shown: pgup and pgdn scroll`)]),
    ...foot,
  ].map((line) => `${bar} ${line}`);
  return { lines, overflows: !fits };
}

/** The title is always shown whole: beside it stands the first of `places`, the longest first, that leaves room for it. */
function titleLine(title: string, places: readonly string[], width: number): string {
  const place = places.find((one) => visibleWidth(title) + visibleWidth(one) < width);
  return place === undefined ? shortened(title, width) : spread(title, place, width);
}

/** A question that waits as long as the team lives has no end to show. */
const leftText = (ms: number): string => (ms > DAY_MS ? "" : ` · ${span(Math.max(0, ms))} left`);
const DAY_MS = 86_400_000;

function bodyOf({ request: { ask } }: Question, style: Style, width: number): string[] {
  switch (ask.kind) {
    case "permission": {
      const subject = wrapped(exact(ask.subject), width).map((line) => style.paint("strong", line));
      return [...subject, ...changeLines(ask.diff ?? "", style, width)];
    }
    case "plan":
      return [...new GrowingMarkdown(style, ask.plan).render(width)];
    case "question":
      return [...new GrowingMarkdown(style, ask.question).render(width)];
    case "shutdown":
      return wrapped(exact(ask.reason), width);
    default:
      return ask satisfies never;
  }
}

/** Without the head of the diff: the file is named above it. */
const changeLines = (diff: string, { paint }: Style, width: number): string[] =>
  diff
    .split("\n")
    // Only the first two lines: "--- x" further down is a removed "-- x".
    .filter((line, i) => line !== "" && !(i < 2 && /^(?:---|\+\+\+) /.test(line)))
    .flatMap((line) => wrapped(exact(line), width).map((part) => diffLine(part, paint)));

/** The answers, a line for each where there is room, and how one gives them. */
function answersOf(
  questions: CardQuestions,
  question: Question,
  style: Style,
  { width, now, isRead }: CardLook,
  isLow: boolean,
): string[] {
  const { paint } = style;
  const inner = width - MARGIN;
  if (isRead)
    return ["", paint("dim", shortened("This screen only looks. Answer it in: ekiden attach", inner))];
  const { choices, chosen } = questions;
  const lineOf = (choice: Choice): string[] => {
    const isChosen = choice.key === chosen?.key;
    const mark = isChosen ? paint("busy", "› ") : "  ";
    const words = wrapped(`${choice.key} ${choice.label}`, inner - 2);
    return words.map((line, i) =>
      i === 0
        ? `${mark}${paint("busy", choice.key)}${isChosen ? paint("strong", line.slice(choice.key.length)) : line.slice(choice.key.length)}`
        : `    ${line}`,
    );
  };
  const low = chosen
    ? lineOf(chosen)
    : phrases(
        choices.map(({ key, label }) => `${paint("busy", key)} ${label}`),
        inner,
        paint("dim", " · "),
      );
  const hint = phrases(hintOf(questions, question, isSeen(question, now)), inner);
  return ["", ...(isLow ? low : choices.flatMap(lineOf)), ...hint.map((line) => paint("dim", line))];
}

function hintOf(questions: CardQuestions, { request: { ask } }: Question, seen: boolean): string[] {
  if (!seen) return ["a new question"];
  const isQuestion = ask.kind === "question";
  const { width, chosen } = questions;
  const rule = width !== "" && chosen?.rule ? `←→ the rule (${width}), e edits it` : "";
  return [
    isQuestion ? "a number or your own words, then enter" : "y at once; or type it, then enter",
    "↓↑ choose",
    ...(rule === "" ? [] : [rule]),
    ...(questions.count > 1 ? ["tab next"] : []),
    ...(isQuestion ? ["/send lead TEXT talks past it"] : []),
  ];
}
