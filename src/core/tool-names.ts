/** Reads calls, rules, roles and hooks that use the words of other harnesses: the table of habits, applied. */
import { NOT_HERE } from "./tool-habits.ts";
import { type Fields, patchIn, VALUES } from "./tool-values.ts";
import { folded, HABITS, isFields, renamed } from "./tool-words.ts";

/** All tools except those of MCP servers. */
export const TOOL_NAMES: readonly string[] = Object.keys(HABITS);

const OUR_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(HABITS).flatMap(([ours, { names }]) =>
    [ours, ...names].map((name) => [name, ours] as const),
  ),
);

/** The names that a file of another harness may use. */
export const FOREIGN_NAMES: readonly string[] = [...OUR_NAMES.keys()];

/** Tools that other harnesses have too: a role's list can name these. */
export const SHARED_TOOLS: ReadonlySet<string> = new Set(
  "bash check_background stop_background read_file write_file edit_file apply_patch glob grep fetch_url web_search ask_person task todo_write load_skill".split(
    " ",
  ),
);

/** Models write it before the name of a tool: what their providers call the list of tools. */
const LIST_OF_TOOLS = /^(?:default_api|functions)[_.:]/i;

/** Our name of a tool, in any case and of any harness; an unknown name stays unchanged. */
export function ourName(given: string): string {
  const name = given.replace(LIST_OF_TOOLS, "");
  return OUR_NAMES.get(name.toLowerCase()) ?? OUR_NAMES.get(folded(name)) ?? name;
}

/** The way to the end of a tool that is not here; undefined for a name of no habit. */
export const insteadOf = (tool: string): string | undefined => {
  const name = folded(tool.replace(LIST_OF_TOOLS, ""));
  return Object.hasOwn(NOT_HERE, name) ? NOT_HERE[name] : undefined;
};

type Called = { readonly tool: string; readonly input: unknown };

/**
 * A call in our names, whichever harness its model knows. The stored call, which is sent back to the provider, stays as the model sent
 * it: code that decides about a call, runs it or shows it reads it through this function. A word that is not understood stays as it is.
 */
export function inOurNames(call: Called): Called {
  const { tool, input } = withoutCommand(call);
  const ours = ourName(tool);
  const habit = Object.hasOwn(HABITS, ours) ? HABITS[ours] : undefined;
  if (!habit || !isFields(input)) return { tool: ours, input };
  const { fields, words } = renamed({ ...habit.stands[folded(tool)], ...input }, habit);
  for (const [name, one] of Object.entries(habit.lists)) {
    const list = listIn(fields[name]);
    if (Array.isArray(list))
      fields[name] = list.map((part) => (isFields(part) ? renamed(part, one).fields : part));
  }
  const patch = ours === "bash" ? patchIn(fields) : null;
  if (patch !== null) return { tool: "apply_patch", input: { patch } };
  const meant = VALUES[ours]?.(fields) ?? { tool: ours, input: fields };
  // The words that only describe a call are those of the tool that it has become.
  const became = meant.tool === ours ? undefined : HABITS[meant.tool];
  const read = became ? renamed(meant.input, became).fields : meant.input;
  return { tool: meant.tool, input: inTheirWords(read, words) };
}

/** Some models write a list as text. */
function listIn(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*\[/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** A form that no conversion has taken is shown to the model by its own word. */
function inTheirWords(fields: Fields, words: ReadonlyMap<string, string>): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.startsWith("@") ? (words.get(name) ?? name.slice(1)) : name,
      value,
    ]),
  );
}

/** One tool elsewhere whose field `command` says which of ours is meant. */
function withoutCommand(call: Called): Called {
  const { command, ...input } = (call.input ?? {}) as Fields;
  if (!/^str_replace_(?:based_edit_tool|editor)$/.test(call.tool)) return call;
  return typeof command === "string" && /^(?:view|create|str_replace)$/.test(command)
    ? { tool: command === "create" ? "write_file" : command, input }
    : call;
}

/** The names of file and shell use in permission rules: `deny write_file(x)` means the file, not the one tool of that name. */
export const RULE_NAMES = {
  read: ["read_file"],
  write: ["write_file", "edit_file"],
  run: ["bash"],
} as const;

/** The names by which hooks mean a tool: one for edits is also about patches, or a patch would get around it. */
export const hookedAs = (tool: string): readonly string[] =>
  tool === "apply_patch" ? [tool, ...RULE_NAMES.write] : [tool];

/** Traits of tools that older versions did not store with their calls and results. New versions store them. */
export const STORED_WITHOUT: Readonly<
  Record<string, { readonly shows?: { readonly subagent: string }; readonly lasting?: true }>
> = {
  task: { shows: { subagent: "prompt" } },
  read_file: { lasting: true },
  load_skill: { lasting: true },
};
