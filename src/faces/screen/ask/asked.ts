/** What a question asks about, as rows: the command, the numbered diff, the plan. On the card and on the whole screen. */
import { does, toDo } from "../../../core/views/verbs.ts";
import { diffLine } from "../draw/highlight.ts";
import { GrowingMarkdown } from "../draw/markdown.ts";
import { exact, type Style, wrapped } from "../draw/style.ts";
import type { Question } from "./question.ts";

/** `isJudged`: one that must be seen before a yes, such as a changed line. */
export type AskedRow = { readonly text: string; readonly isJudged: boolean };

/** The words behind the name of the asker. `subject`: with it, where it is not among the rows. */
export function headOf({ request: { ask, of } }: Question, subject = ""): string {
  switch (ask.kind) {
    case "permission":
      return subject === "" ? `wants to ${toDo(ask.tool, "")}` : does(ask.tool, exact(subject));
    case "plan":
      return `plans #${ask.task}${of === "person" ? "" : ` (asked ${of}; you may answer, too)`}`;
    case "question":
      return "asks you";
    case "shutdown":
      return "asks whether to stop";
    default:
      return ask satisfies never;
  }
}

/** "+3 −1" */
export function countsOf({ request: { ask } }: Question): string {
  const lines = ask.kind === "permission" ? changeLines(ask.diff ?? "") : [];
  const [added, removed] = ["+", "-"].map((mark) => lines.filter((line) => line.startsWith(mark)).length);
  return [added ? `+${added}` : "", removed ? `−${removed}` : ""].filter((part) => part !== "").join(" ");
}

/** Whether there is more to be seen of it than its words: a change, a plan, a command. */
export const isJudged = ({ request: { ask } }: Question): boolean =>
  ask.kind === "permission" || ask.kind === "plan";

/** `withSubject`: the title does not name what the call is about. */
export function rowsOf(
  { request: { ask } }: Question,
  style: Style,
  width: number,
  withSubject = true,
): AskedRow[] {
  const all = (lines: readonly string[]): AskedRow[] => lines.map((text) => ({ text, isJudged: true }));
  switch (ask.kind) {
    case "permission": {
      const change = changeRows(ask.diff ?? "", style, width);
      const subject = wrapped(exact(ask.subject), width).map((line) => style.paint("strong", line));
      const isAll = !change.some((row) => row.isJudged);
      if (!withSubject && change.length > 0) return isAll ? all(change.map(({ text }) => text)) : change;
      return [...subject.map((text) => ({ text, isJudged: isAll })), ...change];
    }
    case "plan":
      return all(new GrowingMarkdown(style, ask.plan).render(width));
    case "question":
      return all(new GrowingMarkdown(style, ask.question).render(width));
    case "shutdown":
      return all(wrapped(exact(ask.reason), width));
    default:
      return ask satisfies never;
  }
}

/** Without the head of the diff: the file is named above it. */
const changeLines = (diff: string): string[] =>
  diff
    .split("\n")
    // Only the first two lines: "--- x" further down is a removed "-- x".
    .filter((line, i) => line !== "" && !(i < 2 && /^(?:---|\+\+\+) /.test(line)));

/** Each line with its number: of the old text for a removed one, else of the new one. */
function changeRows(diff: string, { paint }: Style, width: number): AskedRow[] {
  const lines = changeLines(diff);
  const starts = lines.flatMap((line) => HUNK.exec(line)?.slice(1) ?? []).map(Number);
  const columns = starts.length === 0 ? 0 : String(Math.max(...starts) + lines.length).length;
  let [old, fresh, hunks] = [0, 0, 0];
  return lines.flatMap((line) => {
    const [, from, to] = HUNK.exec(line) ?? [];
    if (from !== undefined && to !== undefined) {
      [old, fresh, hunks] = [Number(from), Number(to), hunks + 1];
      return hunks > 1 ? [{ text: paint("dim", `${" ".repeat(columns)} ⋮`), isJudged: false }] : [];
    }
    const isLine = hunks > 0 && /^[-+ ]/.test(line);
    const at = !isLine ? "" : String(line.startsWith("-") ? old : fresh);
    if (isLine && !line.startsWith("+")) old += 1;
    if (isLine && !line.startsWith("-")) fresh += 1;
    const number = columns === 0 ? "" : `${at.padStart(columns)} `;
    const isChanged = /^[-+]/.test(line);
    return wrapped(exact(line), width - number.length).map((part, i) => ({
      text: `${paint("dim", i === 0 ? number : " ".repeat(number.length))}${i > 0 && isChanged ? paint(line.startsWith("+") ? "good" : "bad", part) : diffLine(part, paint)}`,
      isJudged: isChanged,
    }));
  });
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)/;
