/** The text of a file before a call changed it, as far as its member's conversation tells: from its earlier reads and writes. Pure. */
import type { ToolCall, ToolResult } from "../../../../core/conversation/chat.ts";
import { type ShownCall, shownCall } from "../../../../core/views/shown-call.ts";
import type { ConversationPage } from "../../wire.ts";

type Line = ConversationPage["entries"][number];
type Edit = Extract<ShownCall, { kind: "edit" }>;
/** Null: there was no file. */
export type Before = string | null | undefined;

/** The text after an edit; null when the edit does not fit the text. */
export function edited(text: string, { old, new: fresh, all }: Omit<Edit, "kind" | "path">): string | null {
  if (old === "" || !text.includes(old)) return null;
  return all ? text.replaceAll(old, () => fresh) : text.replace(old, () => fresh);
}

/** By the id of each call that writes or edits a file. */
export function contentsBefore(
  lines: readonly Line[],
  results: ReadonlyMap<string, ToolResult>,
): Map<string, Before> {
  const files = new Map<string, string>();
  const before = new Map<string, Before>();
  for (const { entry } of lines) {
    if (entry.kind !== "said") continue;
    for (const part of entry.message.content)
      if (part.type === "call") follow(part, results.get(part.id), files, before);
  }
  return before;
}

function follow(
  call: ToolCall,
  result: ToolResult | undefined,
  files: Map<string, string>,
  before: Map<string, Before>,
): void {
  const shown = shownCall(call);
  if (!("path" in shown)) return;
  const known = files.get(shown.path);
  const isDone = result !== undefined && !result.isError;
  if (shown.kind === "file") {
    const text = isDone && shown.isWhole ? wholeFile(result.text) : null;
    if (text !== null) files.set(shown.path, text);
  } else if (shown.kind === "write") {
    before.set(call.id, isDone && result.text.startsWith("Created ") ? null : known);
    if (isDone) files.set(shown.path, shown.content);
  } else {
    before.set(call.id, known);
    const after = isDone && known !== undefined ? edited(known, shown) : null;
    if (after !== null) files.set(shown.path, after);
    else if (isDone) files.delete(shown.path);
  }
}

const LINE_CHARS = 1_000;

/** The text of a file that was read from its beginning to its end; null for a part of one. */
function wholeFile(result: string): string | null {
  const lines = result.split("\n").map((line, i) => {
    const prefix = `${i + 1}\t`;
    return line.startsWith(prefix) && line.length < LINE_CHARS ? line.slice(prefix.length) : null;
  });
  // The result does not tell whether the last line had an end; nearly all have.
  return lines.includes(null) ? null : `${lines.join("\n")}\n`;
}
