/** The card of the question that waits: who asks, for which task, why, and the whole command, diff or plan. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { optionLines } from "../../core/question.ts";
import { colourOf } from "../../core/views/identity.ts";
import { span } from "../../core/views/view.ts";
import { meaning } from "../terminal/asking.ts";
import { diffLine } from "./highlight.ts";
import { GrowingMarkdown } from "./markdown.ts";
import { headOf, isSeen, type Question, type Questions } from "./questions.ts";
import { exact, oneLine, type Style, shortened, spread, wrapped } from "./style.ts";

/** What the bar and the blanks of a card take. */
const MARGIN = 4;

export type CardLook = {
  readonly width: number;
  readonly height: number;
  readonly now: number;
  readonly isRead: boolean;
};

export type Card = { readonly lines: readonly string[]; readonly overflows: boolean };

/** Without lines when there is no question. `scroll`: lines of a long body that are above the card. */
export function cardOf(questions: Questions, style: Style, look: CardLook, scroll: number): Card {
  const { current } = questions;
  if (!current) return { lines: [], overflows: false };
  const { paint } = style;
  const { width, height, now } = look;
  const inner = width - MARGIN;
  const bar = paint("warn", "┃");
  const { request, task } = current;
  const why = request.ask.kind === "permission" ? (request.ask.why ?? "") : "";
  const head = [
    titleLine(
      `${paint(colourOf(request.by), request.by)} ${paint("strong", headOf(current))}`,
      paint("dim", `${questions.position} of ${questions.count}${leftText(request.deadline - now)}`),
      inner,
    ),
    ...(task === "" ? [] : [paint("dim", shortened(`task: ${oneLine(task)}`, inner))]),
    ...(why === "" ? [] : wrapped(`why:  ${oneLine(exact(why))}`, inner).map((line) => paint("dim", line))),
  ];
  const foot = answersOf(questions, current, style, look);
  const body = bodyOf(current, style, inner);
  const room = Math.max(3, height - head.length - foot.length);
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

/** Who wants what is read whole: the place among the questions only stands where it leaves room for that. */
const titleLine = (title: string, place: string, width: number): string =>
  visibleWidth(title) + visibleWidth(place) < width ? spread(title, place, width) : shortened(title, width);

/** What waits as long as the team lives has no end to show. */
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
      return [
        ...new GrowingMarkdown(style, ask.question).render(width),
        "",
        ...optionLines(ask).flatMap((line) => wrapped(exact(line), width)),
      ];
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

function answersOf(
  questions: Questions,
  question: Question,
  style: Style,
  { width, now, isRead }: CardLook,
): string[] {
  const { ask } = question.request;
  const { paint } = style;
  if (isRead)
    return [
      "",
      paint("dim", shortened("This screen only looks. Answer it in: ekiden attach", width - MARGIN)),
    ];
  const key = (letter: string, text: string): string => `${paint("busy", letter)} ${text}`;
  const rule = ask.kind === "permission" ? ask.rule : undefined;
  if (ask.kind === "question") {
    const numbers = ask.options.map((_, i) => i + 1).join("/");
    const next = questions.count > 1 ? ` · ${key("tab", "next question")}` : "";
    const seen = isSeen(question, now) ? "then enter" : "a new question";
    return [
      "",
      ...wrapped(
        `${key(numbers, "an option")} · or your own words${next} — ${seen}; /send lead TEXT talks past it`,
        width - MARGIN,
      ),
    ];
  }
  const answers = [
    key("y", "yes"),
    ...(rule && questions.alike > 0
      ? [key("all", `yes to all ${questions.alike + 1} that this rule covers`)]
      : []),
    key("n", "no, because …"),
    ...(questions.count > 1 ? [key("tab", "next question")] : []),
  ].join(paint("dim", " · "));
  const always = rule
    ? wrapped(
        key("a", `always: allow ${exact(rule)} (${meaning(rule)}), written to .ekiden/settings.json`),
        width - MARGIN,
      )
    : [];
  const how = paint("dim", isSeen(question, now) ? " — type it, then enter" : " — a new question");
  return ["", ...always, ...wrapped(`${answers}${how}`, width - MARGIN)];
}
