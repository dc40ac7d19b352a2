/** Lines of a description that say something about its task: "Review: yes", "Judges: yes", "Check: `npm test`". The first such line counts. Pure. */
import { badInput } from "../errors.ts";

/**
 * Review: an independent agent judges the task before it is completed. Judges: the task is meant to change what judges it. Check: the
 * command that proves it, as a code span, because "Check: all is well" is a sentence.
 */
const LINES = {
  Review: /^[ \t]*(?:[-*][ \t]+)?Review:[ \t]*(\w+)[ \t]*$\n?/gim,
  Judges: /^[ \t]*(?:[-*][ \t]+)?Judges:[ \t]*(\w+)[ \t]*$\n?/gim,
  Check: /^[ \t]*(?:[-*][ \t]+)?Check:[ \t]*((`+)[^\n`](?:[^\n]*?[^\n`])?\2(?!`))[ \t]*$\n?/gim,
} as const;
type Key = keyof typeof LINES;
export type Mark = Exclude<Key, "Check">;
export type Marks = { readonly review?: boolean; readonly judges?: boolean; readonly check?: string };

const saidOf = (description: string, key: Key): string | undefined =>
  description.matchAll(LINES[key]).next().value?.[1];

export const isMarked = (description: string, mark: Mark): boolean =>
  saidOf(description, mark)?.toLowerCase() === "yes";

/** The command that proves a task; null for none. */
export const checkOf = (description: string): string | null =>
  saidOf(description, "Check")
    ?.replace(/^`+|`+$/g, "")
    .trim() || null;

/** The description with the line, or without it. */
export const withMark = (description: string, mark: Mark, wanted: boolean): string =>
  isMarked(description, mark) === wanted ? description : replaced(description, mark, wanted ? "yes" : "");

/** The description with the line of this command; "" takes it away. */
export const withCheck = (description: string, command: string): string =>
  replaced(description, "Check", spanOf(command));

export function withMarks(description: string, { review, judges, check }: Marks): string {
  const checked = check === undefined ? description : withCheck(description, check);
  const judging = judges === undefined ? checked : withMark(checked, "Judges", judges);
  return review === undefined ? judging : withMark(judging, "Review", review);
}

/** A new description with the lines of the one before that it does not have: who rewrites the words does not mean to drop a check or a review. */
export const withMarksOf = (before: string, after: string): string =>
  (Object.keys(LINES) as Key[]).reduce((text, key) => {
    const said = saidOf(before, key);
    return said === undefined || saidOf(text, key) !== undefined ? text : replaced(text, key, said);
  }, after);

/** What of a description another one changes: "description", or the lines about the task. */
export function changedIn(before: string, after: string): string[] {
  const keys = Object.keys(LINES) as Key[];
  const rest = (text: string): string => keys.reduce((left, key) => replaced(left, key, ""), text);
  return [
    ...(rest(before) === rest(after) ? [] : ["description"]),
    ...keys.filter((key) => saidOf(before, key) !== saidOf(after, key)).map((key) => key.toLowerCase()),
  ];
}

function replaced(description: string, key: Key, value: string): string {
  const rest = description.replace(LINES[key], "").trim();
  return value === "" ? rest : `${rest}\n\n${key}: ${value}`.trim();
}

/** A command as a code span, or the span that it is; "" for none. @throws EkidenError `bad_input` for several lines */
export function spanOf(command: string): string {
  const text = command.trim();
  if (text.includes("\0")) throw badInput("A check holds no NUL character. Remove it.");
  if (/[\n\r]/.test(text))
    throw badInput("A check is one line. Put several commands into a script, or join them with &&.");
  if (text === "" || /^(`+)[^`](?:.*[^`])?\1$/.test(text)) return text;
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  return longest === 0 ? `\`${text}\`` : `${"`".repeat(longest + 1)} ${text} ${"`".repeat(longest + 1)}`;
}
