/** Prints views as text: tables cut to the width of the terminal, everything else broken into lines of it. */
import type { Event } from "../../core/event.ts";
import type { Sentence } from "../../core/views/sentence.ts";
import type { Cell, Column, FeedLine, Figure, Tone, View } from "../../core/views/view.ts";
import { clean, columns, cut, pad, type Terminal, wrap } from "./terminal.ts";

export function print(out: Terminal, views: readonly View[]): void {
  const parts = views.map((view) => lines(out, view).join("\n")).filter((part) => part !== "");
  if (parts.length > 0) out.write(`${parts.join("\n\n")}\n`);
}

export function lines(out: Terminal, view: View): string[] {
  switch (view.kind) {
    case "table":
      return view.rows.length === 0 ? [out.paint("dim", view.empty)] : table(out, view.columns, view.rows);
    case "figures":
      return figures(out, view.figures);
    case "feed":
      return view.lines.length === 0 ? [out.paint("dim", view.empty)] : feed(out, view.lines);
    default:
      return view satisfies never;
  }
}

const GAP = 2;

function table(out: Terminal, heads: readonly Column[], rows: readonly (readonly Cell[])[]): string[] {
  const texts = rows.map((row) => row.map((cell) => clean(cell.text).replace(/\s+/g, " ")));
  // A column that has nothing to say in any row is left out.
  const shown = heads.map((_, i) => i).filter((i) => texts.some((row) => row[i] !== ""));
  const widths = heads.map((head, i) => widest([head.name, ...texts.map((row) => row[i] ?? "")]));
  shrink(heads, widths, shown, out.width());
  const line = (cell: (i: number) => string): string => shown.map(cell).join(" ".repeat(GAP)).trimEnd();
  const fitted = (i: number, text: string): string =>
    pad(cut(text, widths[i] ?? 0), widths[i] ?? 0, heads[i]?.align === "right");
  return [
    line((i) => out.paint("dim", fitted(i, heads[i]?.name ?? ""))),
    ...rows.map((row, r) =>
      line((i) => out.paint(row[i]?.colour ?? row[i]?.tone ?? "plain", fitted(i, texts[r]?.[i] ?? ""))),
    ),
  ];
}

/** A loop, because a board may have more rows than a call may have arguments. */
const widest = (texts: readonly string[]): number =>
  texts.reduce((width, text) => Math.max(width, columns(text)), 0);

/**
 * Makes room: long cells are cut to what is still readable, then minor columns are left out, then others from the right;
 * only where even that is not enough is everything squeezed.
 */
function shrink(heads: readonly Column[], widths: number[], shown: number[], width: number): void {
  const whole = [...widths];
  const spare = (): number =>
    width - shown.reduce((sum, i) => sum + (widths[i] ?? 0), GAP * (shown.length - 1));
  const tooMuch = (): number => Math.max(0, -spare());
  const take = (i: number, least: number): void => {
    const now = widths[i] ?? 0;
    widths[i] = Math.min(now, Math.max(least, now - tooMuch()));
  };
  const widestFirst = (): number[] => [...shown].sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
  const leaveOut = (i: number): void => {
    if (tooMuch() > 0) shown.splice(shown.indexOf(i), 1);
  };
  for (const i of shown) if (heads[i]?.grow) take(i, 16);
  for (const i of widestFirst()) if (!heads[i]?.grow) take(i, 12);
  for (const i of shown.filter((one) => heads[one]?.minor)) leaveOut(i);
  const main = Math.max(
    0,
    heads.findIndex((head) => head.grow),
  );
  for (const i of shown.filter((one) => one > main).reverse()) leaveOut(i);
  for (const i of shown) if (heads[i]?.grow) widths[i] = Math.min(whole[i] ?? 0, (widths[i] ?? 0) + spare());
  for (const i of widestFirst()) take(i, 4);
  while (tooMuch() > 0 && shown.length > 1) shown.pop();
}

/** Less room than this for a text is worse than lines that the terminal breaks. */
const ROOM_MIN = 16;

const broken = (out: Terminal, text: string, indent: number): string[] => {
  const room = out.width() - indent;
  return room < ROOM_MIN ? [text] : wrap(text, room);
};

/** The least room beside a label that is longer than this, and the indentation below one. */
const BESIDE_MIN = 40;
const LABEL_MAX = 16;
const BELOW = 4;

function figures(out: Terminal, list: readonly Figure[]): string[] {
  const width = widest(list.map((figure) => clean(figure.label)));
  // Beside long labels a narrow terminal has too little room: there the text stands below.
  const hasBars = list.some(({ share }) => share !== undefined);
  if (!hasBars && out.width() - width - GAP < BESIDE_MIN && width > LABEL_MAX)
    return list.flatMap(({ label, text, tone = "plain" }) => [
      out.paint("dim", clean(label)),
      ...broken(out, clean(text).trimEnd().replace(/\s+/g, " "), BELOW).map(
        (line) => `${" ".repeat(BELOW)}${out.paint(tone, line)}`,
      ),
    ]);
  return list.flatMap((figure) => {
    const bar = figure.share === undefined ? "" : `${progressBar(out, figure.share, 20)} `;
    const [first = "", ...more] = clean(figure.text)
      .trimEnd()
      .split("\n")
      .flatMap((text, i) => broken(out, text, width + GAP + (i === 0 && bar ? 21 : 0)));
    const head = `${out.paint("dim", pad(clean(figure.label), width))}  ${bar}${out.paint(figure.tone ?? "plain", first)}`;
    return [
      head,
      ...more.map((text) => `${" ".repeat(width + GAP)}${out.paint(figure.tone ?? "plain", text)}`),
    ];
  });
}

export function progressBar(out: Terminal, share: number, width: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return out.paint("good", "█".repeat(full)) + out.paint("dim", "░".repeat(width - full));
}

/** Feed lines aligned among themselves; further lines of a text are indented under its first. */
function feed(out: Terminal, list: readonly FeedLine[]): string[] {
  const width = Math.min(18, widest(list.map((line) => clean(line.who))));
  return list.flatMap((line) => feedLine(out, line, width));
}

/** One feed line; `width` is that of its who. A text that is too long for the terminal continues below, or is cut off. */
export function feedLine(
  out: Terminal,
  line: FeedLine,
  width: number,
  tooLong: Overflow = "goes on",
): string[] {
  const time = line.at === null ? "" : `${clock(line.at)}  `;
  const who = pad(cut(clean(line.who), width), width);
  const indent = columns(time) + width + GAP;
  const [first = "", ...more] = clean(line.text)
    .trimEnd()
    .split("\n")
    .flatMap((text) =>
      tooLong === "is cut" ? [cut(text, out.width() - indent)] : broken(out, text, indent),
    );
  const paint = (text: string): string => out.paint(line.tone, text);
  return [
    `${out.paint("dim", time)}${out.paint(line.who === "" ? "plain" : "strong", who)}  ${paint(first)}`.trimEnd(),
    ...more.map((text) => (text === "" ? "" : `${" ".repeat(indent)}${paint(text)}`)),
  ];
}

/** An event in a feed that runs along: on one line, unless it is something to act on. */
export const newsLines = (
  out: Terminal,
  at: Event["at"],
  said: Sentence,
  tooLong = overflow(said.tone),
): string[] => feedLine(out, { at, ...said }, 12, tooLong);

export type Overflow = "goes on" | "is cut";
export const overflow = (tone: Tone): Overflow => (tone === "bad" || tone === "warn" ? "goes on" : "is cut");

/** The time of day, in the person's own zone; with the day where that is not today. */
export function clock(at: number, now = Date.now()): string {
  const [then, today] = [new Date(at), new Date(now)];
  const time = then.toTimeString().slice(0, 8);
  if (then.toDateString() === today.toDateString()) return time;
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())} ${time}`;
}
