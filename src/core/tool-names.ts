/** Our names of tools and of their fields, and those of other harnesses: rules, roles, hooks and calls written for them apply here. */

/** For each tool, its names elsewhere, in lower case. The one list for rules, roles, hooks and calls. */
const NAMES_ELSEWHERE: Readonly<Record<string, string>> = {
  bash: "shell local_shell container.exec exec_command shell_command run_shell_command run_terminal_cmd execute_command execute_bash",
  check_background: "bashoutput",
  stop_background: "killbash killshell",
  read_file: "read notebookread view open_file view_file",
  write_file: "write create_file",
  edit_file: "edit multiedit str_replace replace search_replace",
  apply_patch: "applypatch",
  glob: "ls list_dir list_directory find_files",
  grep: "grep_search search_file_content grep_files",
  fetch_url: "webfetch web_fetch fetch read_url",
  web_search: "websearch google_web_search search_web",
  ask_person: "askuserquestion ask_user request_user_input ask_followup_question",
  task: "agent",
  todo_write: "todowrite update_plan",
  load_skill: "skill",
};
const OUR_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES_ELSEWHERE).flatMap(([ours, names]) =>
    [ours, ...names.split(" ")].map((name) => [name, ours] as const),
  ),
);

/** Models write it before the name of a tool: what their providers call the list of tools. */
const LIST_OF_TOOLS = /^(?:default_api|functions)[_.:]/i;

/** Our name of a tool, in any case and of any harness; an unknown name stays unchanged. */
export function ourName(given: string): string {
  const name = given.replace(LIST_OF_TOOLS, "");
  const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
  return (
    OUR_NAMES.get(name.toLowerCase()) ?? OUR_NAMES.get(words) ?? (TOOL_NAMES.includes(words) ? words : name)
  );
}

type Fields = Readonly<Record<string, unknown>>;
const FILE = "file_path filepath filename absolute_path target_file notebook_path";
const OLD_AND_NEW = { old: "old_string old_str old_text", new: "new_string new_str new_text" };

const EDIT = { ...OLD_AND_NEW, all: "replace_all" };

/** For each field of our tools, the names of it elsewhere. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bash: { command: "cmd script", run_in_background: "is_background background" },
  check_background: { id: "bash_id shell_id job_id" },
  stop_background: { id: "shell_id bash_id job_id" },
  read_file: { path: FILE },
  write_file: { path: FILE, content: "contents file_text text" },
  edit_file: { path: FILE, ...EDIT },
  apply_patch: { patch: "input patch_text diff" },
  glob: { pattern: "glob_pattern", path: "dir_path directory target_directory" },
  grep: {
    pattern: "query regex",
    path: "dir_path directory",
    glob: "include",
    ignore_case: "-i",
    context: "-C -A -B",
  },
  fetch_url: { url: "uri link" },
  web_search: { query: "q search_query search_term" },
  task: { prompt: "task" },
  todo_write: { todos: "plan items" },
  load_skill: { name: "skill command" },
};

/** The fields whose values must be converted, too. */
const VALUES: Readonly<Record<string, (fields: Fields) => Fields>> = {
  bash: ({ workdir, timeout, ...fields }) => ({
    // Nobody means less than a second: such a figure is in seconds.
    ...(typeof timeout === "number" && { timeout_ms: timeout < 1_000 ? timeout * 1_000 : timeout }),
    ...fields,
    command: inFolder(lineOf(fields.command), workdir),
  }),
  read_file: ({ view_range: range, ...fields }) => {
    const [from, to] = Array.isArray(range) ? range : [];
    if (typeof from !== "number" || typeof to !== "number") return fields;
    return { offset: from, ...(to >= from && { limit: to - from + 1 }), ...fields };
  },
  glob: (fields) => (fields.path === undefined ? fields : { pattern: "*", ...fields }),
  grep: ({ output_mode: mode, ...fields }) =>
    mode === "files_with_matches" ? { files_only: true, ...fields } : fields,
  edit_file: (fields) => ({
    ...fields,
    ...(Array.isArray(fields.edits) && { edits: fields.edits.map((one) => renamed(one, EDIT)) }),
  }),
  todo_write: (fields) => ({
    ...fields,
    todos: Array.isArray(fields.todos)
      ? fields.todos.map((one) => renamed(one, { content: "step" }))
      : fields.todos,
  }),
};

/** A program with its arguments is one line; of `bash -lc LINE` only the line. */
function lineOf(command: unknown): unknown {
  if (!Array.isArray(command) || !command.every((word) => typeof word === "string")) return command;
  const [program = "", option = "", line] = command;
  if (command.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(program) && /^-l?c$/.test(option)) return line;
  return command.map(quoted).join(" ");
}

const inFolder = (line: unknown, folder: unknown): unknown =>
  typeof line !== "string" || typeof folder !== "string" || folder === "" || folder === "."
    ? line
    : `cd -- ${quoted(folder)} && {\n${line}\n}`;

const quoted = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** With our names of the fields. A field of our name counts before the same one of another name. */
function renamed(input: unknown, names: Readonly<Record<string, string>>): unknown {
  if (typeof input !== "object" || input === null) return input;
  const fields: Record<string, unknown> = { ...input };
  for (const [ours, elsewhere] of Object.entries(names))
    for (const name of elsewhere.split(" ")) {
      if (!Object.hasOwn(fields, name)) continue;
      if (!Object.hasOwn(fields, ours)) fields[ours] = fields[name];
      delete fields[name];
    }
  return fields;
}

type Called = { readonly tool: string; readonly input: unknown };

/**
 * A call in our names, whichever harness its model knows. The stored call, which is sent back to the provider, stays as the model sent
 * it: code that decides about a call, runs it or shows it reads it through this function.
 */
export function inOurNames(call: Called): Called {
  const { tool, input } = withoutCommand(call);
  const ours = ourName(tool);
  const names = FIELDS[ours];
  if (!names || typeof input !== "object" || input === null || Array.isArray(input))
    return { tool: ours, input };
  const fields = renamed(input, names);
  const patch = ours === "bash" ? patchIn(fields as Fields) : null;
  if (patch !== null) return { tool: "apply_patch", input: { patch } };
  return { tool: ours, input: VALUES[ours]?.(fields as Fields) ?? fields };
}

/** The patch of a program that GPT models know and that no machine has: as a word, or as text behind `<<`. */
function patchIn({ command, workdir, run_in_background }: Fields): string | null {
  if ((workdir !== undefined && workdir !== "" && workdir !== ".") || run_in_background) return null;
  if (
    Array.isArray(command) &&
    command.length === 2 &&
    /^apply_?patch$/.test(command[0]) &&
    typeof command[1] === "string"
  )
    return command[1];
  const line = lineOf(command);
  if (typeof line !== "string" || !/^\s*apply_?patch\b/.test(line)) return null;
  const [, , word, patch] = /^\s*apply_?patch\s*<<-?\s*(['"]?)(\w+)\1[ \t]*\n([\s\S]*)$/.exec(line) ?? [];
  const text = patch?.trimEnd() ?? "";
  return word !== undefined && text.endsWith(`\n${word}`) ? text.slice(0, -word.length - 1) : null;
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

/** The names that a file of another harness may use. */
export const FOREIGN_NAMES: readonly string[] = [...OUR_NAMES.keys()];

/** Tools that other harnesses have too: a role's list can name these. */
export const SHARED_TOOLS: ReadonlySet<string> = new Set(OUR_NAMES.values());

/** All tools except those of MCP servers. */
export const TOOL_NAMES: readonly string[] = [
  ...SHARED_TOOLS,
  ..."broadcast call_tool cancel_cron check_inbox claim_task compact complete_task connect_mcp create_task create_team".split(
    " ",
  ),
  ..."create_worktree delete_team fail_task get_task idle keep_worktree list_crons list_tasks".split(" "),
  ..."list_teammates recall release_task remember remove_worktree request_plan request_shutdown".split(" "),
  ..."respond_shutdown review_permission review_plan schedule_cron send_message spawn_teammate".split(" "),
  ..."split_task submit_plan update_task".split(" "),
];
