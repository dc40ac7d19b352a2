/** The change of an edit as numbered, coloured lines: from the input of its call, and its place from the result. */
import { structuredPatch } from "diff";
import { type Called, shownCall } from "../../../core/views/shown-call.ts";
import { diffLine } from "./highlight.ts";
import type { Paint } from "./paint.ts";
import { safe } from "./style.ts";

/** `at`: the line, from 1, of the old text for what was removed, else of the new one; null for what is no line of the file. */
type ChangedLine = { readonly at: number | null; readonly text: string };
export type Change = {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  /** As in a unified diff, without its head. */
  readonly lines: readonly ChangedLine[];
  /** The lines are those of the whole file. */
  readonly isWhole: boolean;
};

const CONTEXT = 3;
/** A larger text is not compared: seconds of work for something that nobody reads. */
const COMPARED_MAX = 400_000;

/** The change by the call alone: a part of a file for an edit, all lines as new for a whole file. Null for calls that change no file. */
export function changeOf(call: Called): Change | null {
  const shown = shownCall(call);
  if (shown.kind === "edit") return between(shown.path, shown.old, shown.new, false);
  return shown.kind === "write" ? between(shown.path, "", shown.content, true) : null;
}

function between(path: string, before: string, after: string, isWhole: boolean): Change {
  const far = before.length + after.length > COMPARED_MAX;
  const lines = far
    ? [{ at: null, text: `(${after.length} characters, too many to show here)` }]
    : structuredPatch("", "", ended(before), ended(after), "", "", { context: CONTEXT }).hunks.flatMap(
        (hunk, i) => [...(i > 0 ? [{ at: null, text: "⋮" }] : []), ...numbered(hunk)],
      );
  const count = (mark: string): number => lines.filter(({ text }) => text.startsWith(mark)).length;
  return { path, added: count("+"), removed: count("-"), lines, isWhole };
}

/** The part of a line that an edit names ends without a line break: that is no change of the line. */
const ended = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

function numbered(hunk: { oldStart: number; newStart: number; lines: readonly string[] }): ChangedLine[] {
  let [old, fresh] = [hunk.oldStart, hunk.newStart];
  return hunk.lines.map((text) => {
    const at = text.startsWith("-") ? old : fresh;
    if (!text.startsWith("+")) old += 1;
    if (!text.startsWith("-")) fresh += 1;
    return { at, text };
  });
}

/** `result`: the answer of the call; it names the line where an edit begins. */
export function diffLines({ lines, isWhole }: Change, result: string, paint: Paint): string[] {
  const first = isWhole ? 1 : Number(/^Replaced (?:line|\d+ places, lines) (\d+)/.exec(result)?.[1] ?? 0);
  const numbers = lines.map(({ at }) => (at === null || first === 0 ? "" : String(at + first - 1)));
  const width = Math.max(0, ...numbers.map((number) => number.length));
  return lines.map(({ text }, i) => {
    const number = width === 0 ? "" : `${paint("dim", (numbers[i] ?? "").padStart(width))} `;
    return `${number}${diffLine(safe(text), paint)}`;
  });
}
