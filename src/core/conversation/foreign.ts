/**
 * Results of tools as models read them. They come from elsewhere: nothing in them can pass for a tag of this program, and no
 * character in them is hidden. Members copy results into edits, so an edit finds the text behind both marks again.
 */
import { codePoint, showHidden } from "../text/hidden.ts";
import { escapeTagsInResult, unescapeTags } from "./tags.ts";

/** A longer run carries a message. It is counted, not spelled out: each of its characters would be eight. */
const RUN_MAX = 8;

const marked = (run: string): string => {
  const characters = [...run];
  return characters.length > RUN_MAX
    ? `[${characters.length} invisible characters from U+${codePoint(run)} on]`
    : characters.map((character) => `[U+${codePoint(character)}]`).join("");
};

/** `[U+202E]` for a hidden character, `&lt;` before what looks like a tag of this program. */
export const shownResult = (text: string): string => escapeTagsInResult(showHidden(text, marked));

const MARK = /\[U\+([0-9A-F]{4,6})\]/g;

/** The text behind the marks of `shownResult`. Other marks of the same form are read, too: compare the result with the file. */
export const behindMarks = (text: string): string =>
  unescapeTags(text.replace(MARK, (mark, code: string) => characterOf(code) ?? mark));

function characterOf(code: string): string | null {
  const point = Number.parseInt(code, 16);
  const character = point > 0x10ffff ? "" : String.fromCodePoint(point);
  return character !== "" && showHidden(character, () => "") === "" ? character : null;
}

const ANY_MARK = /\[U\+[0-9A-F]{4,6}\]|&lt;\s*\/?\s*[\w:-]+/g;

/**
 * `text` with each mark replaced for which `stands` says so: marks that a member copied out of a result into a file. `stands` gets
 * the mark and the text behind it.
 */
export const withoutMarks = (text: string, stands: (mark: string, behind: string) => boolean): string =>
  text.replace(ANY_MARK, (mark) => {
    const behind = behindMarks(mark);
    return behind !== mark && stands(mark, behind) ? behind : mark;
  });
