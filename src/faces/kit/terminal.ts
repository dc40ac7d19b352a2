/**
 * The two output streams as this program uses them. Nothing that others wrote (models, mail, files) reaches a terminal with
 * its control characters: an escape sequence in a task's subject must not move the cursor or set the window's title.
 */
import yocto from "yoctocolors";
import { spellHidden } from "../../core/text/hidden.ts";
import type { Colour } from "../../core/views/identity.ts";
import type { Tone } from "../../core/views/view.ts";
import { wantsColour } from "./wanted.ts";

export { escapes } from "../../core/text/hidden.ts";

/** Said when the person leaves a conversation. */
export const FAREWELL = "Stopped; nothing is lost. Continue: ekiden, or ekiden resume for the work alone.";

export type Terminal = {
  readonly isTTY: boolean;
  readonly colour: boolean;
  /** Columns now; Infinity when it is not a terminal and nothing needs to be cut. */
  width(): number;
  write(text: string): void;
  paint(tone: Tone | Colour, text: string): string;
};

const PAINT: Readonly<Record<Tone | Colour, (text: string) => string>> = {
  blue: yocto.blueBright,
  green: yocto.greenBright,
  magenta: yocto.magentaBright,
  cyan: yocto.cyanBright,
  yellow: yocto.yellowBright,
  red: yocto.redBright,
  plain: (text) => text,
  strong: yocto.bold,
  dim: yocto.dim,
  good: yocto.green,
  busy: yocto.cyan,
  warn: yocto.yellow,
  bad: yocto.red,
};

export function terminal(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Terminal {
  const colour = wantsColour(stream, env);
  return {
    isTTY: stream.isTTY === true,
    colour,
    width: () => (stream.isTTY ? stream.columns || 80 : Number.POSITIVE_INFINITY),
    write: (text) => void stream.write(text),
    paint: (tone, text) => (colour && text !== "" ? PAINT[tone](text) : text),
  };
}

const CONTROL = new RegExp(
  [
    "\\x1b\\[[0-9;?]*[ -/]*[@-~]", // colours, cursor
    "\\x1b\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)?", // titles, links
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]",
  ].join("|"),
  "g",
);

/** Without control characters; line breaks and tabs stay. Characters that hide something are spelled out. */
export const clean = (text: string): string => spellHidden(text.replace(/\r\n?/g, "\n").replace(CONTROL, ""));

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /\p{Mn}|\p{Me}|\p{Cf}/u;

/** Columns a text takes on a terminal. */
export function columns(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : NO_WIDTH.test(character) ? 0 : 1;
  return width;
}

/** At most `width` columns, with … where something was cut off. */
export function cut(text: string, width: number): string {
  if (columns(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const character of text) {
    const next = columns(character);
    if (used + next > width - 1) break;
    kept += character;
    used += next;
  }
  return width < 1 ? "" : `${kept.trimEnd()}…`;
}

/** A line in pieces of at most `width` columns, broken at blanks where there are any. */
export function wrap(line: string, width: number): string[] {
  if (columns(line) <= width || width < 1) return [line];
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  /** Where the piece may be broken: behind its last blank that is not indentation. */
  let blank = 0;
  for (const character of line) {
    const next = columns(character);
    if (used + next > width && piece !== "") {
      if (character === " ") blank = piece.length;
      const at = blank > 0 ? blank : piece.length;
      pieces.push(piece.slice(0, at).trimEnd());
      piece = piece.slice(at).trimStart();
      used = columns(piece);
      blank = 0;
      if (character === " " && piece === "") continue;
    }
    piece += character;
    used += next;
    if (character === " " && piece.trim() !== "") blank = piece.length;
  }
  return piece === "" ? pieces : [...pieces, piece];
}

export const pad = (text: string, width: number, right = false): string => {
  const blanks = " ".repeat(Math.max(0, width - columns(text)));
  return right ? blanks + text : text + blanks;
};
