/**
 * Texts of a forge as data for a member: without what a reader of the page does not see, bounded, and quoted line by line. And the mark by
 * which a text is known as one of this team, so that it is never sent twice and never answered. Pure, linear.
 */
import type { Name, TaskId } from "../ids.ts";
import { withoutHidden } from "../text/hidden.ts";
import { markedLines } from "../text/marked-lines.ts";
import { cutEnd, wellFormed } from "../text/valid.ts";

const TEXT_MAX = 20_000;

/** Without HTML comments, also one that is not closed. A forge hides everything up to the end then. */
function withoutComments(text: string): string {
  const parts: string[] = [];
  for (let at = 0; ; ) {
    const begin = text.indexOf("<!--", at);
    if (begin === -1) return parts.concat(text.slice(at)).join("");
    parts.push(text.slice(at, begin));
    const end = text.indexOf("-->", begin + 4);
    if (end === -1) return parts.join("");
    at = end + 3;
  }
}

/** Without HTML comments, control characters, zero-width and bidirectional characters. */
export function cleaned(text: string): string {
  const bounded = wellFormed(text).slice(0, 4 * TEXT_MAX);
  return cutEnd(withoutHidden(withoutComments(bounded.replace(/\r\n?/g, "\n"))), TEXT_MAX).trim();
}

export const quotedLines = (text: string): string => markedLines(cleaned(text), ">");

const CLOSES =
  /\b(clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)(:?\s+)(?=\S*#\d)/gi;

/** For the forge: names nobody, closes nothing, orders nothing (a line such as /merge) and holds no marker, whatever a model wrote. */
export const outward = (text: string, max: number): string =>
  cutEnd(cleaned(text), max)
    .replace(/@(?=\w)/g, "@\u200b")
    .replace(/^(?=[ \t]*\/\w)/gm, "\u200b")
    .replace(CLOSES, "$1\u200b$2");

export type Marked = { readonly team: Name; readonly task: TaskId; readonly row: string };

/** A line that the page of a forge does not show. `row` names the text: "open", or what it answers. */
export const marker = ({ team, task, row }: Marked): string => `<!-- ekiden:${team}/${task}/${row} -->`;

const MARK = /<!-- ekiden:[a-z][a-z0-9-]{0,31}\/\d{1,15}\/[\w:.-]{1,120} -->/;

/** Whether a line that is no quotation has a mark. It says something only in a text of the team's own account: anybody can write one. */
export const isMarked = (text: string): boolean =>
  text.includes("<!-- ekiden:") &&
  text.split("\n").some((line) => !line.trimStart().startsWith(">") && MARK.test(line));
