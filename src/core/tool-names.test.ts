/** A call in the words of another harness means one of ours. */
import { expect, it } from "vitest";
import { inOurNames } from "./tool-names.ts";
import { shownCall } from "./views/shown-call.ts";

const file = { path: "a.ts" };
it.each([
  // [the call of another harness, the same in ours]
  ["Bash", { command: "ls", description: "x" }, "bash", { command: "ls" }],
  ["Bash", { command: "ls", timeout: 60000 }, "bash", { command: "ls", timeout_ms: 60000 }],
  ["shell", { command: ["bash", "-lc", "ls -l"] }, "bash", { command: "ls -l" }],
  ["shell", { command: ["grep", "a b", "it's"] }, "bash", { command: "grep 'a b' 'it'\\''s'" }],
  ["shell", { command: ["cd a && ls"] }, "bash", { command: "cd a && ls" }],
  ["bash", { commands: ["cd a", "ls"] }, "bash", { command: "set -e\ncd a\nls" }],
  ["bash", { command: "ls", tty: "false" }, "bash", { command: "ls" }],
  ["list_dir", { path: "src", recursive: "true" }, "glob", { path: "src", pattern: "**" }],
  ["grep_search", { query: "x", case_sensitive: "false" }, "grep", { pattern: "x", ignore_case: true }],
  [
    "CronCreate",
    { cron: "x", prompt: "y", recurring: "false" },
    "schedule_cron",
    { cron: "x", text: "y", once: true },
  ],
  ["TodoWrite", { todos: '[{"step":"a"}]' }, "todo_write", { todos: [{ content: "a" }] }],
  [
    "MultiEdit",
    { path: "a", edits: '[{"old_string":"x","new_string":"y"}]' },
    "edit_file",
    { path: "a", old: "x", new: "y" },
  ],
  [
    "Agent",
    { name: "bob", prompt: "x", run_in_background: true },
    "spawn_teammate",
    { name: "bob", prompt: "x" },
  ],
  ["TaskUpdate", { taskId: 3, status: "COMPLETED", result: "ok" }, "complete_task", { id: 3, result: "ok" }],
  ["shell", { command: ["rm", 3] }, "bash", { command: ["rm", 3] }],
  ["exec_command", { cmd: "ls", workdir: "a b" }, "bash", { command: "cd -- 'a b' && {\nls\n}" }],
  ["bash", { cmd: "ls", timeout: 20 }, "bash", { command: "ls", timeout_ms: 20000 }],
  ["shell", { command: ["sh", "-c", "ls"], timeout: 5 }, "bash", { command: "ls", timeout_ms: 5000 }],
  ["Read", { file_path: "a.ts", limit: 3 }, "read_file", { ...file, limit: 3 }],
  ["default_api:read_file", file, "read_file", file],
  ["default_api_read_file", file, "read_file", file],
  ["ReadFile", file, "read_file", file],
  ["ListTasks", {}, "list_tasks", {}],
  ["NotATool", {}, "NotATool", {}],
  ["functions.shell", { cmd: "ls" }, "bash", { command: "ls" }],
  ["functions_mcp__a__b", {}, "mcp__a__b", {}],
  ["Write", { file_path: "a.ts", content: "x" }, "write_file", { ...file, content: "x" }],
  [
    "Edit",
    { file_path: "a.ts", old_string: "x", new_string: "y" },
    "edit_file",
    { ...file, old: "x", new: "y" },
  ],
  [
    "edit_file",
    { path: "a.ts", file_path: "b.ts", filepath: "a.ts", old: "x", new_str: "" },
    "edit_file",
    { ...file, file_path: "b.ts", old: "x", new: "" },
  ],
  [
    "str_replace_based_edit_tool",
    { command: "view", path: "a.ts", view_range: [2, 4] },
    "read_file",
    { ...file, offset: 2, limit: 3 },
  ],
  [
    "str_replace_editor",
    { command: "create", path: "a.ts", file_text: "x" },
    "write_file",
    { ...file, content: "x" },
  ],
  [
    "str_replace_editor",
    { command: "str_replace", path: "a.ts", old_str: "x", new_str: "y" },
    "edit_file",
    { ...file, old: "x", new: "y" },
  ],
  [
    "str_replace_editor",
    { command: "undo_edit", path: "a.ts" },
    "str_replace_editor",
    { command: "undo_edit", path: "a.ts" },
  ],
  ["LS", { path: "src" }, "glob", { path: "src", pattern: "*" }],
  [
    "Grep",
    { pattern: "x", "-i": true, "-C": 2, output_mode: "files_with_matches" },
    "grep",
    { pattern: "x", ignore_case: true, context: 2, files_only: true },
  ],
  ["BashOutput", { bash_id: "3" }, "check_background", { id: "3" }],
  [
    "TodoWrite",
    { todos: [{ content: "a", status: "pending" }] },
    "todo_write",
    { todos: [{ content: "a", status: "pending" }] },
  ],
  [
    "update_plan",
    { plan: [{ step: "a", status: "pending" }] },
    "todo_write",
    { todos: [{ content: "a", status: "pending" }] },
  ],
  ["mcp__x__Edit", { file_path: "a" }, "mcp__x__Edit", { file_path: "a" }],
  ["constructor", { file_path: "a" }, "constructor", { file_path: "a" }],
  ["__proto__", null, "__proto__", null],
  ["Edit", "words", "edit_file", "words"],
  ["Bash", ["ls"], "bash", ["ls"]],
])("%s(%j) is %s(%j)", (tool, input, ours, fields) => {
  const before = JSON.stringify(input);
  expect(inOurNames({ tool, input })).toEqual({ tool: ours, input: fields });
  expect(JSON.stringify(input), "the stored call").toBe(before);
});

it("shows such a call as ours", () => {
  const input = { file_path: "a.ts", old_string: "x", new_string: "y", replace_all: true };
  expect(shownCall({ tool: "Edit", input })).toEqual({
    kind: "edit",
    path: "a.ts",
    old: "x",
    new: "y",
    all: true,
  });
  expect(shownCall({ tool: "shell", input: { command: ["ls", "-l"] } })).toEqual({
    kind: "command",
    command: "ls -l",
  });
});
