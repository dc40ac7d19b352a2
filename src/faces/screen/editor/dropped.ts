/**
 * A file that is dropped onto a terminal arrives as a pasted path, quoted or escaped as for a shell. Images among such files become
 * `@path`: the editor shows what will be sent, and one can delete it.
 */

import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { isImageName, mention } from "../../../core/conversation/image.ts";
import { tried } from "../../../core/tried.ts";

/** A longer paste is a text. */
const LONGEST = 10_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a paste begins with one
const PASTE = /^(\x1b\[200~)([\s\S]*)(\x1b\[201~)$/;

/** `data`: a key or a paste. `before`: the text in front of the cursor. */
export function withDropped(data: string, before: string): string {
  const [, begin = "", text = "", end = ""] = PASTE.exec(data) ?? [];
  if (text === "" || text.length > LONGEST) return data;
  const images = droppedImages(text.trim());
  if (images.length === 0) return data;
  const words = `${images.map(mention).join(" ")} `;
  const put = before.endsWith("@") ? words.slice(1) : /\S$/.test(before) ? ` ${words}` : words;
  return begin + put + end;
}

const WORD = /(?:'[^']*'|"[^"]*"|\\[^\n]|[^ \t\r\n'"\\])+/g;
const PIECE = /'([^']*)'|"([^"]*)"|\\([^\n])/g;

/** From the plainest to the shell's: a blank in a path that nobody quoted belongs to the path. */
const READINGS: readonly ((text: string) => string[])[] = [
  (text) => [text],
  (text) => text.split(/\s*[\r\n]\s*/),
  (text) =>
    (text.match(WORD) ?? []).map((word) =>
      word.replace(PIECE, (_, single, double, escaped) => single ?? double ?? escaped),
    ),
];

/** The paths, if the text is nothing but absolute paths of image files that exist. */
function droppedImages(text: string): string[] {
  for (const read of READINGS) {
    const paths = read(text).map(pathOf);
    if (paths.every(isImageFile)) return paths;
  }
  return [];
}

const pathOf = (word: string): string =>
  tried(() => (word.startsWith("file:") ? fileURLToPath(word) : word), word);

const isImageFile = (path: string): boolean =>
  tried(() => isAbsolute(path) && isImageName(path) && statSync(path).isFile(), false);
