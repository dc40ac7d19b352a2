/** The looks of the screen, from the sixteen colours of the terminal's own theme: readable on light and dark grounds. */

import type { EditorTheme, MarkdownTheme } from "@earendil-works/pi-tui";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { type Name, PERSON } from "../../../core/ids.ts";
import type { Colour } from "../../../core/views/identity.ts";
import type { Tone } from "../../../core/views/view.ts";
import { clean, escapes, type Terminal } from "../../kit/terminal.ts";
import { colourOf } from "./colours.ts";
import { highlighted } from "./highlight.ts";
import type { Paint } from "./paint.ts";

export type Style = {
  readonly paint: Paint;
  readonly markdown: MarkdownTheme;
  readonly editor: EditorTheme;
};

export function styleOf(out: Terminal): Style {
  const paint: Paint = (tone, text) => out.paint(tone, text);
  const tone =
    (name: Tone | Colour) =>
    (text: string): string =>
      paint(name, text);
  const sgr =
    (on: number, off: number) =>
    (text: string): string =>
      out.colour ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return {
    paint,
    markdown: {
      heading: tone("strong"),
      link: tone("blue"),
      linkUrl: tone("dim"),
      code: tone("busy"),
      codeBlock: (text) => text,
      codeBlockBorder: tone("dim"),
      quote: tone("dim"),
      quoteBorder: tone("dim"),
      hr: tone("dim"),
      listBullet: tone("dim"),
      bold: tone("strong"),
      italic: sgr(3, 23),
      strikethrough: sgr(9, 29),
      underline: sgr(4, 24),
      highlightCode: (code, language) => highlighted(code, language ?? "", paint),
    },
    editor: {
      borderColor: tone("dim"),
      selectList: {
        selectedPrefix: tone("busy"),
        selectedText: tone("busy"),
        description: tone("dim"),
        scrollInfo: tone("dim"),
        noMatch: tone("dim"),
      },
    },
  };
}

/** Text from elsewhere as one line: no line breaks, no control characters. */
export const oneLine = (text: string): string => clean(text).replace(/\s+/g, " ").trim();

/** Text from elsewhere with its line breaks; tabs become blanks, which have a width. */
export const safe = (text: string): string => clean(text).replaceAll("\t", "    ");

/** The last lines that are not empty; a progress bar gives only its last state. */
export const lastLines = (text: string, count: number): string[] =>
  safe(text)
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .slice(-count);

/** A line that will be run, as it is: nothing of it may be invisible. */
export const exact = (text: string): string => escapes(text).replaceAll("\t", "    ");

export const shortened = (text: string, width: number): string =>
  visibleWidth(text) <= width ? text : truncateToWidth(text, Math.max(1, width), "…");

/** `left` and `right` on one line of `width` columns; `left` is cut to make room. */
export function spread(left: string, right: string, width: number): string {
  const room = width - visibleWidth(right) - 1;
  if (room < 8) return shortened(left, width);
  const shown = shortened(left, room);
  return `${shown}${" ".repeat(room - visibleWidth(shown) + 1)}${right}`;
}

/** A name of the team as the person reads it. */
export const nameOf = (name: string, paint: Style["paint"]): string =>
  paint(colourOf(name as Name), name === PERSON ? "you" : name);

/** Phrases with dots between them; a line does not end between the first word of one, often a key, and the next. */
export const phrases = (parts: readonly string[], width: number, dot = " · "): string[] =>
  wrapped(parts.map((part) => part.replace(" ", NO_BREAK)).join(dot), width).map((line) =>
    line.replaceAll(NO_BREAK, " "),
  );
const NO_BREAK = "\ue000"; // for private use, so in no text

/** Broken at words to `width` columns, behind an indentation. */
export const wrapped = (text: string, width: number, indent = ""): string[] =>
  text
    .split("\n")
    .flatMap((line) =>
      line === "" ? [""] : wrapTextWithAnsi(line, Math.max(8, width - visibleWidth(indent))),
    )
    .map((line) => (line === "" ? "" : `${indent}${line}`));
