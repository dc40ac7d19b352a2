/** What an edit changes, as coloured lines: from the input of its call. */
import { structuredPatch } from "diff";
import { diffLine } from "./highlight.ts";
import { type Paint, safe } from "./style.ts";

/** Lines of a unified diff without its head. */
export type Change = {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  readonly lines: readonly string[];
};

type Edit = { readonly tool: string; readonly input: unknown };

const CONTEXT = 2;
/** A larger text is not compared: seconds of work for something that nobody reads. */
const COMPARED_MAX = 400_000;

/** Of the call alone: a part of a file for `edit_file`, all lines as new for `write_file`. Null for calls that edit nothing. */
export function changeOf({ tool, input }: Edit): Change | null {
  const { path, old, new: fresh, content } = (input ?? {}) as Record<string, unknown>;
  if (!isText(path)) return null;
  if (tool === "edit_file" && isText(old) && isText(fresh)) return between(path, old, fresh);
  return tool === "write_file" && isText(content) ? between(path, "", content) : null;
}

const isText = (value: unknown): value is string => typeof value === "string";

function between(path: string, before: string, after: string): Change {
  const far = before.length + after.length > COMPARED_MAX;
  const lines = far
    ? [`(${after.length} characters, too many to show here)`]
    : structuredPatch("", "", before, after, "", "", { context: CONTEXT }).hunks.flatMap((hunk, i) => [
        ...(i > 0 || hunk.oldStart > 1 ? [`@@ line ${hunk.newStart} @@`] : []),
        ...hunk.lines.filter((line) => !line.startsWith("\\")),
      ]);
  const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  return { path, added: count("+"), removed: count("-"), lines };
}

export const diffLines = ({ lines }: Change, paint: Paint): string[] =>
  lines.map((line) => diffLine(safe(line), paint));
