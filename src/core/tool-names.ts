/** Our names of tools, and the names in other harnesses: rules, roles and hooks written for those apply here. */

const OUR_NAMES: Readonly<Record<string, string>> = {
  bash: "bash",
  bashoutput: "check_background",
  killbash: "stop_background",
  killshell: "stop_background",
  read: "read_file",
  notebookread: "read_file",
  write: "write_file",
  edit: "edit_file",
  multiedit: "edit_file",
  glob: "glob",
  ls: "glob",
  grep: "grep",
  task: "task",
  agent: "task",
  todowrite: "todo_write",
  skill: "load_skill",
};

/** Our name of a tool, in any case and of any harness; an unknown name stays unchanged. */
export const ourName = (name: string): string =>
  Object.hasOwn(OUR_NAMES, name.toLowerCase()) ? (OUR_NAMES[name.toLowerCase()] ?? name) : name;

/** The names that a file of another harness may use. */
export const FOREIGN_NAMES: readonly string[] = Object.keys(OUR_NAMES);

/** Tools that other harnesses have too: a role's list can name these. */
export const SHARED_TOOLS: ReadonlySet<string> = new Set(Object.values(OUR_NAMES));

/** All tools except those of MCP servers. */
export const TOOL_NAMES: readonly string[] = [
  ...SHARED_TOOLS,
  ..."broadcast cancel_cron check_inbox claim_task compact complete_task connect_mcp create_task create_team".split(
    " ",
  ),
  ..."create_worktree delete_team fail_task get_task idle keep_worktree list_crons list_tasks".split(" "),
  ..."list_teammates recall release_task remember remove_worktree request_plan request_shutdown".split(" "),
  ..."respond_shutdown review_permission review_plan schedule_cron send_message spawn_teammate".split(" "),
  ..."submit_plan update_task".split(" "),
];
