/** The card of the question that waits: who asks, for which task, why, and the command, diff or plan. It may take any row. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { span } from "../../../core/views/view.ts";
import { colourOf } from "../draw/colours.ts";
import { exact, oneLine, phrases, type Style, shortened, spread, wrapped } from "../draw/style.ts";
import { keyHint } from "../keys.ts";
import { countsOf, headOf, isJudged, rowsOf } from "./asked.ts";
import type { Choice } from "./choices.ts";
import type { Question } from "./question.ts";
import { type CardQuestions, isSeen } from "./questions.ts";

/** The columns of the bar and the blanks of a card. */
const MARGIN = 4;
/** A lower card, and one whose question is longer than it, has its answers in one paragraph. */
const ROOMY = 13;
/** Rows of a longer question for which the card gives up its further words, and takes those of feed and panel. */
const READABLE = 6;

export type CardLook = {
  readonly width: number;
  /** The rows that it may have, and those that it takes where a question needs them to be read. */
  readonly height: number;
  readonly most: number;
  readonly now: number;
  readonly isRead: boolean;
  /** The key that lets all edits pass, "" where it does not. */
  readonly editsKey: string;
};

export type Card = {
  readonly lines: readonly string[];
  readonly overflows: boolean;
  /** A row of what is to be judged is among the lines. */
  readonly showsChange: boolean;
  /** As far as it goes. */
  readonly scroll: number;
};

/** `isLong`: not all of the question may be among the rows. */
type FormLook = CardLook & { readonly isLong: boolean };
type Form = { readonly head: readonly string[]; readonly foot: readonly string[] };

/** Without lines when there is no question. `scroll`: the rows by which a long question is moved up; negative: down. */
export function cardOf(questions: CardQuestions, style: Style, look: CardLook, scroll: number): Card {
  const { current } = questions;
  if (!current) return { lines: [], overflows: false, showsChange: false, scroll: 0 };
  const { paint } = style;
  const inner = look.width - MARGIN;
  const title = titleOf(questions, current, style, look);
  const body = rowsOf(current, style, inner, !title.isWhole);
  const form = formFor(
    formsOf(questions, current, style, { ...look, isLong: body.length > READABLE }, title.line),
    body.length,
    look,
  );
  const room = Math.max(0, look.most - form.head.length - form.foot.length);
  const within = Math.max(0, look.height - form.head.length - form.foot.length);
  const rows = Math.min(room, Math.max(within, Math.min(READABLE, body.length)));
  const fits = body.length <= rows;
  // A line says what is hidden, where there is more than one.
  const shownRows = fits || rows < 2 ? rows : rows - 1;
  const first = body.findIndex((row) => row.isJudged);
  const origin = first < shownRows ? 0 : first - Math.floor(shownRows / 2);
  const from = Math.max(0, Math.min(origin + scroll, body.length - shownRows));
  const shown = body.slice(from, from + shownRows);
  const hidden = body.length - shown.length;
  const lines = [
    ...form.head,
    ...shown.map(({ text }) => text),
    ...(fits || rows < 2
      ? []
      : [
          paint(
            "warn",
            shortened(`… ${hidden} of ${body.length} lines are not shown: pgup and pgdn scroll`, inner),
          ),
        ]),
    ...form.foot,
  ].map((line) => `${paint("warn", "┃")} ${line}`);
  return {
    lines,
    overflows: !fits,
    showsChange: shown.some(({ isJudged: isSeen }) => isSeen),
    scroll: fits ? 0 : from - origin,
  };
}

/** The first form that leaves the question room to be read, in the usual rows if possible; else the lowest. */
function formFor(forms: readonly Form[], length: number, { height, most }: CardLook): Form {
  const roomIn = ({ head, foot }: Form, rows: number): number => rows - head.length - foot.length;
  const [roomy, paragraph] = forms;
  const isRoomy = height >= ROOMY && roomy !== undefined && roomIn(roomy, height) >= length;
  const last = forms.at(-1) as Form;
  if (isRoomy) return roomy;
  const needed = Math.min(length, READABLE);
  if (paragraph && roomIn(paragraph, Math.min(height, most)) >= needed) return paragraph;
  return forms.slice(1).find((form) => roomIn(form, most) >= needed) ?? last;
}

/** From the one with all words to the one of two lines. */
function formsOf(
  questions: CardQuestions,
  current: Question,
  style: Style,
  look: FormLook,
  title: string,
): Form[] {
  const { paint } = style;
  const inner = look.width - MARGIN;
  const { request, task } = current;
  const why = request.ask.kind === "permission" ? (request.ask.why ?? "") : "";
  // That edits ask, and in which mode, is known before.
  const isUsual = request.ask.kind === "permission" && request.ask.diff && /^mode \S+ asks/.test(why);
  const named = [title, ...(task === "" ? [] : [paint("dim", shortened(`for ${oneLine(task)}`, inner))])];
  const reason =
    why === "" || isUsual
      ? []
      : wrapped(`why: ${oneLine(exact(why))}`, inner).map((line) => paint("dim", line));
  const whole = [...named, ...reason];
  const answers = (isLow: boolean): string[] => answersOf(questions, current, style, look, isLow);
  const low = answers(true);
  return [
    { head: whole, foot: ["", ...answers(false)] },
    { head: whole, foot: ["", ...low] },
    { head: whole, foot: low },
    { head: named, foot: low },
    { head: named, foot: low.slice(0, 1) },
    { head: [title], foot: low.slice(0, 1) },
  ];
}

/** With what it is about, where that is short enough: the title is never cut. */
function titleOf(
  questions: CardQuestions,
  current: Question,
  { paint }: Style,
  look: CardLook,
): { readonly line: string; readonly isWhole: boolean } {
  const { request } = current;
  const inner = look.width - MARGIN;
  const ask = request.ask.kind === "permission" ? request.ask : null;
  const left = look.isRead || request.ask.kind !== "question" ? leftText(request.deadline - look.now) : "";
  const place = `${questions.position} of ${questions.count}`;
  const places = [place + left, place].map((text) => paint("dim", text));
  const counts = countsOf(current);
  const titled = (subject: string): string =>
    `${paint(colourOf(request.by), request.by)} ${paint("strong", headOf(current, subject))}${counts === "" ? "" : `  ${counts}`}`;
  // The rows of a change do not name their file.
  const long = ask?.diff === undefined || ask.subject.includes("\n") ? null : titled(ask.subject);
  const isWhole = long !== null && visibleWidth(long) + place.length < inner;
  return { line: titleLine(isWhole ? long : titled(""), places, inner), isWhole };
}

/** The title is always shown whole: beside it stands the first of `places`, the longest first, that leaves room for it. */
function titleLine(title: string, places: readonly string[], width: number): string {
  const place = places.find((one) => visibleWidth(title) + visibleWidth(one) < width);
  return place === undefined ? shortened(title, width) : spread(title, place, width);
}

/** A question that waits as long as the team lives has no end to show. */
const leftText = (ms: number): string => (ms > DAY_MS ? "" : ` · ${span(Math.max(0, ms))} left`);
const DAY_MS = 86_400_000;

/** The answers, a line for each where there is room, and how one gives them. */
function answersOf(
  questions: CardQuestions,
  question: Question,
  style: Style,
  { width, now, isRead, editsKey, isLong }: FormLook,
  isLow: boolean,
): string[] {
  const { paint } = style;
  const inner = width - MARGIN;
  if (isRead) return [paint("dim", shortened("This screen only looks. Answer it in: ekiden attach", inner))];
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
  const { edits } = questions;
  const all = edits === 0 || editsKey === "" ? null : [editsKey, `accept all edits (answers ${edits})`];
  const low = chosen
    ? lineOf(chosen)
    : phrases(
        [...choices.map(({ key, label, short = label }) => [key, short]), ...(all ? [all] : [])].map(
          ([key = "", label]) => `${paint("busy", key)} ${label}`,
        ),
        inner,
        paint("dim", " · "),
      );
  const listed = [
    ...choices.flatMap(lineOf),
    ...(all ? [shortened(`  ${paint("busy", all[0] ?? "")} ${all[1]}`, inner)] : []),
  ];
  const hint = phrases(hintOf(questions, question, isSeen(question, now), isLong), inner);
  return [...(isLow ? low : listed), ...hint.map((line) => paint("dim", line))];
}

function hintOf(questions: CardQuestions, question: Question, seen: boolean, isLong: boolean): string[] {
  const { ask } = question.request;
  if (!seen) return ["a new question: keys answer it in half a second"];
  const isQuestion = ask.kind === "question";
  const { width, chosen } = questions;
  const rule =
    chosen?.rule === undefined
      ? ""
      : `${exact(chosen.rule)}${width === "" ? "" : ` ←→ (${width})`}, e edits it`;
  const whole = isLong && isJudged(question) ? keyHint("find", "whole change") : "";
  return [
    ...(isQuestion ? ["a number or your own words, then enter"] : []),
    ...(whole === "" ? [] : [whole.replace("change", wholeWord(question))]),
    "↓↑ choose",
    ...(rule === "" ? [] : [rule]),
    ...(questions.count > 1 ? [keyHint("next-question", "next question")] : []),
    ...(isQuestion ? ["/send lead TEXT talks past it"] : []),
  ];
}

const wholeWord = ({ request: { ask } }: Question): string =>
  ask.kind === "plan" ? "plan" : ask.kind === "permission" && ask.diff === undefined ? "command" : "change";
