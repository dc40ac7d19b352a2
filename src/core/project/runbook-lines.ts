/**
 * The lines of a runbook that say something about a task, such as `After: Build`. They may also be written in the words of the table of
 * habits: `Depends on:`, `Blocked by:`. A line that looks like one of them and is none is refused, because an order that is taken for
 * text is lost.
 */
import { nearest } from "../text/nearest.ts";
import { dictionaryOf, folded, HABITS } from "../tool-words.ts";

const OPTIONS = [
  "after",
  "role",
  "estimate",
  "priority",
  "touches",
  "plan",
  "effort",
  "review",
  "judges",
  "check",
] as const;
export type Option = (typeof OPTIONS)[number];

/** The option for a field of `create_task`. */
const OF_FIELD: Readonly<Record<string, Option>> = {
  blocked_by: "after",
  needs_plan: "plan",
  review: "review",
  judges: "judges",
  check: "check",
  touches: "touches",
  estimate: "estimate",
  role: "role",
};
/** Words that begin ordinary sentences of a description, too. */
const PROSE = new Set(["files", "paths", "name", "title"]);

export type OptionLine =
  | { readonly option: Option; readonly key: string; readonly value: string }
  | { readonly refused: string };

/** Within a quote, a list, a list of boxes; the word may be set off. */
const LINE =
  /^\s*(?:>\s*)*(?:[-*+]\s+)?(?:\[[ xX]?\]\s+)?[*_`]{0,2}([A-Za-z][\w -]{0,30}?)[*_`]{0,2}\s*:[*_`]{0,2}(?:\s(.*))?$/;
/** Elsewhere these say that another task waits for this one. */
const OTHER_WAY = new Set(["before", "blocks", "blocking", "precedes", "unblocks"]);

/** `isHead`: no sentence of the description is before it. Null: text. */
export function optionIn(text: string, isHead: boolean): OptionLine | null {
  const [, key = "", said = ""] = LINE.exec(text.replace(/：\s*/, ": ")) ?? [];
  const value = said.trim();
  if (key === "") return null;
  const word = folded(key.replace(/[ -]+/g, "_"));
  const own = OPTIONS.find((option) => option === word);
  // "Check: all is well" is a sentence, where it does not stand at the head.
  const isCommand = own !== "check" || isHead || value.startsWith("`");
  if (own !== undefined && isCommand) return { option: own, key, value };
  if (PROSE.has(word)) return null;
  const field = wordsOfTasks().get(word);
  const option = field === undefined ? undefined : OF_FIELD[field];
  // One word may begin a sentence anywhere: "Needs: a database".
  const isMeant = isHead || word.includes("_");
  if (option !== undefined && isMeant) return { option, key, value };
  if (field === "assign" && isMeant)
    return {
      refused: `"${key}:" is not known in a runbook. Write "Role:" for the members that may take the task, or assign it afterwards with ekiden edit ID --assign NAME.${TEXT}`,
    };
  if (OTHER_WAY.has(word) && isHead)
    return {
      refused: `"${key}:" is not known in a runbook. Write "After:" in the task that waits for this one.${TEXT}`,
    };
  const near = isHead ? nearest(word, NEAR) : null;
  return near === null
    ? null
    : {
        refused: `"${key}:" is not known. Did you mean "${near[0]?.toUpperCase()}${near.slice(1).replace("_", " ")}:"?${TEXT}`,
      };
}

const TEXT = " If it is text, write it as a sentence, behind the first sentence of the task.";

/** Short words are near to too many: "Rule" to "Role". */
const NEAR = [...OPTIONS.filter((option) => option.length > 4), "depends_on", "blocked_by"];

const wordsOfTasks = (): ReadonlyMap<string, string> =>
  dictionaryOf(HABITS.create_task as (typeof HABITS)[string]).ours;
