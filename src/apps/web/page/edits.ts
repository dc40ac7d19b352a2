/** What a file held before a call changed it, as far as its member's conversation tells: by what it read and wrote before. Pure. */
import type { ToolCall, ToolResult } from "../../../core/conversation/chat.ts";
import type { ConversationPage } from "../wire.ts";

type Line = ConversationPage["entries"][number];
/** Null: there was no file. */
export type Before = string | null | undefined;

const field = (input: unknown, key: string): string => {
  const value = (input as Record<string, unknown> | null)?.[key];
  return typeof value === "string" ? value : "";
};

/** The text after an edit; null when the edit does not fit the text. */
export function edited(text: string, input: unknown): string | null {
  const [old, fresh] = [field(input, "old"), field(input, "new")];
  if (old === "" || !text.includes(old)) return null;
  const isAll = (input as { replace_all?: unknown }).replace_all === true;
  return isAll ? text.replaceAll(old, () => fresh) : text.replace(old, () => fresh);
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
  { id, tool, input }: ToolCall,
  result: ToolResult | undefined,
  files: Map<string, string>,
  before: Map<string, Before>,
): void {
  const path = field(input, "path");
  const known = files.get(path);
  const isDone = result !== undefined && !result.isError;
  if (tool === "read_file" && isDone) {
    const text = wholeFile(input, result.text);
    if (text !== null) files.set(path, text);
  } else if (tool === "write_file") {
    before.set(id, isDone && result.text.startsWith("Created ") ? null : known);
    if (isDone) files.set(path, field(input, "content"));
  } else if (tool === "edit_file") {
    before.set(id, known);
    const after = isDone && known !== undefined ? edited(known, input) : null;
    if (after !== null) files.set(path, after);
    else if (isDone) files.delete(path);
  }
}

const LINE_CHARS = 1_000;

/** The text of a file that was read from its beginning to its end; null for a part of one. */
function wholeFile(input: unknown, result: string): string | null {
  if ((input as { offset?: unknown }).offset !== undefined) return null;
  const lines = result.split("\n").map((line, i) => {
    const prefix = `${i + 1}\t`;
    return line.startsWith(prefix) && line.length < LINE_CHARS ? line.slice(prefix.length) : null;
  });
  // The result does not tell whether the last line had an end; nearly all have.
  return lines.includes(null) ? null : `${lines.join("\n")}\n`;
}
