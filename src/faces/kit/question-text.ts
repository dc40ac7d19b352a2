/** The words of a question to the person, for lines and for editors: what is asked, and what an answer would allow. */

import { optionLines } from "../../core/board/question.ts";
import { widthsOf } from "../../core/permission/widths.ts";
import { escapes } from "../../core/text/hidden.ts";
import { toDo } from "../../core/views/verbs.ts";
import type { Request } from "../../ports/index.ts";

/** Control characters are spelled out, so the person sees what will run. Empty for a request of another kind. */
export function questionText({ by, ask }: Pick<Request, "by" | "ask">): string {
  if (ask.kind === "question")
    return `${by} asks you: ${escapes(ask.question)}\n${optionLines(ask).map(escapes).join("\n")}\n`;
  if (ask.kind !== "permission") return "";
  const { tool, subject, diff, why = "", rule } = ask;
  return `${by} wants to ${toDo(tool, escapes(subject))}\n${diff === undefined ? "" : `${escapes(diff).trimEnd()}\n`}Why it is asked: ${escapes(why)}.\nAllow it? [y]es, [n]o (and what to do instead)${rule ? `, [all] that the rule ${escapes(rule)} covers now, [s] for this session, [a]lways (${escapes(rule)}: ${meaning(rule)}; another rule may follow${wider(rule)})` : ""}: `;
}

const wider = (rule: string): string => {
  const [, one] = widthsOf(rule);
  return one === undefined ? "" : `: a ${escapes(one)}`;
};

/** A rule for a file or a tool allows more than the one call that is shown. */
export const meaning = (rule: string): string =>
  /^(?:write_file|edit_file)\([^*]*\)$/.test(rule)
    ? "whatever is written into this file"
    : rule.endsWith(")")
      ? rule.includes("*")
        ? "whatever fits it"
        : "exactly this"
      : "every call of it";

/** What a rule allows, in words: "any edit of index.mjs", "any git push …", "exactly this". */
export function ruleWords(rule: string): string {
  const [, tool = rule, match = ""] = /^([\w-]+)\((.*)\)$/s.exec(rule) ?? [];
  const isEdit = /^(?:write_file|edit_file|apply_patch)$/.test(tool);
  if (match === "") return `any call of ${tool}`;
  if (isEdit) return `any edit of ${match}`;
  return /\*/.test(match) ? `any ${match.replace(/[ :]\*$/, " …")}` : "exactly this";
}
