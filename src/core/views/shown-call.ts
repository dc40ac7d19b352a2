/**
 * A call as people see it. The names of the fields of its input tell what it is: a command, an edit, a whole file. A tool whose fields have
 * other names says so in `shows`, which is stored with the call: faces have no list of tools, and read conversations of other versions.
 */
import { inOurNames, STORED_WITHOUT } from "../tool-names.ts";

/** For each part that people see: the field of the input that holds it. */
export type Shows = Partial<Readonly<Record<Part, string>>>;
type Part = "command" | "path" | "old" | "new" | "all" | "content" | "from" | "subagent";

export type ShownCall =
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "subagent" }
  /** `all`: each place, not only the first. */
  | {
      readonly kind: "edit";
      readonly path: string;
      readonly old: string;
      readonly new: string;
      readonly all: boolean;
    }
  | { readonly kind: "write"; readonly path: string; readonly content: string }
  /** `isWhole`: from its beginning. */
  | { readonly kind: "file"; readonly path: string; readonly isWhole: boolean }
  | { readonly kind: "other" };

export type Called = { readonly tool: string; readonly input: unknown; readonly shows?: Shows | undefined };

/** The fields that a tool need not declare. A subagent has no usual field: many tools take a prompt. */
const USUAL: Shows = {
  command: "command",
  path: "path",
  old: "old",
  new: "new",
  all: "all",
  content: "content",
  from: "offset",
};

export function shownCall(call: Called): ShownCall {
  const { tool, input } = inOurNames(call);
  const { shows = STORED_WITHOUT[tool]?.shows } = call;
  const fields = (typeof input === "object" && input !== null ? input : {}) as Readonly<
    Record<string, unknown>
  >;
  const names = { ...USUAL, ...shows };
  const fieldOf = (part: Part): unknown => {
    const name = names[part];
    return name !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined;
  };
  const text = (part: Part): string | undefined => {
    const value = fieldOf(part);
    if (typeof value !== "string") return undefined;
    return part === "old" || part === "new"
      ? [value, ...otherEdits(fields.edits, part)].join("\n…\n")
      : value;
  };
  const [command, path, old, fresh, content] = [
    text("command"),
    text("path"),
    text("old"),
    text("new"),
    text("content"),
  ];
  if (text("subagent") !== undefined) return { kind: "subagent" };
  if (command !== undefined) return { kind: "command", command };
  if (path === undefined) return { kind: "other" };
  if (old !== undefined && fresh !== undefined)
    return { kind: "edit", path, old, new: fresh, all: fieldOf("all") === true };
  if (content !== undefined) return { kind: "write", path, content };
  return { kind: "file", path, isWhole: fieldOf("from") === undefined };
}

/** The further edits of one call. */
const otherEdits = (edits: unknown, part: "old" | "new"): string[] =>
  Array.isArray(edits)
    ? edits.map((edit: Partial<Record<"old" | "new", unknown>> | null) => String(edit?.[part] ?? ""))
    : [];
