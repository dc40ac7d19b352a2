/**
 * The words that models of other harnesses use for our tools and for their fields. One table for calls, rules, roles and hooks. A word that
 * is not in it is refused with the fields that exist (`tool-faults.ts`): nothing of a call is dropped without a word.
 */

/** Left aside by each tool that has no such field. */
export const ASIDE =
  "explanation reason justification rationale reasoning thought thoughts thinking security_risk tool_call_description active_form";

const PATH = "file_path filepath file filename absolute_path target_file notebook_path relative_path";
const FOLDER = "dir_path directory dir folder target_directory relative_workspace_path";
const ID = "task_id task number";
const BLOCKERS =
  "depends_on depends dependencies deps dep dependency requires needs blockers prerequisites prerequisite waits_for wait_for follows";
const OWNER = "owner assignee assigned_to assign_to agent agent_name teammate member";
const PLAN = "plan_mode_required requires_plan require_plan plan_required plan_first require_plan_approval";
const MEMBER = "teammate teammate_name to recipient target member agent agent_name target_agent_id agent_id";
const TEXT = "content message body msg";
const REQUEST = "request_id req_id id";
const REASON = "message text content why error evidence details note";
const STATUS = "use claim_task, complete_task, fail_task, release_task, retry_task or cancel_task";
const WAITS = "call update_task with add_blocked_by for the task that waits";
const TASK = `
  subject: title name
  description: content body details prompt instructions text
  role: required_role role_name
  assign: ${OWNER}
  needs_plan: ${PLAN}
  priority:
  estimate: estimated_minutes
  check: verify verification test_command acceptance
  touches: files paths files_touched
  @status: status state
  - team_name metadata={}
  ?metadata: write it into the description`;

/**
 * All tools except those of MCP servers. Words are in snake_case: `blockedBy` is looked up as `blocked_by`.
 *
 *     tool: its names elsewhere
 *       field: its names elsewhere        list[].field: of the objects in a list
 *       - words that are left aside       list[]- words
 *       ?word: the way to the same end    +name: fields that this name of the tool stands for
 *
 * Short ones are on one line, with " | " between.
 */
export const TABLE = `
bash: shell local_shell container.exec exec_command shell_command run_shell_command run_terminal_cmd run_terminal_command execute_command execute_bash run_command run_bash terminal background_run
  command: cmd script command_line
  @lines: commands
  timeout_ms: timeout_milliseconds
  run_in_background: is_background background run_in_bg
  @cwd: cwd workdir working_directory working_dir path ${FOLDER}
  @timeout: timeout timeout_seconds timeout_sec timeout_secs
  - description require_user_approval requires_approval with_escalated_permissions sandbox_permissions prefix_rule login=true tty=false is_input=false yield_time_ms max_output_tokens dangerously_disable_sandbox=false
  ?env: set variables within the command
  ?stdin: commands get no input, use a here-document
  +background_run: {"run_in_background":true}
check_background: bashoutput bash_output task_output get_background background_output
  id: bash_id shell_id job_id task_id process_id
  tail_bytes: max_bytes
  - description block timeout wait_up_to
stop_background: killbash killshell kill_bash kill_shell task_stop kill_background
  id: bash_id shell_id job_id task_id process_id
  - description
read_file: read notebookread view open_file view_file cat_file view_image
  path: ${PATH}
  offset: start_line line_start start from_line first_line line_offset start_line_one_indexed
  limit: max_lines line_count num_lines line_limit
  @end: end_line line_end end to_line last_line end_line_one_indexed_inclusive end_line_one_indexed
  @range: view_range line_range range
  @pages: pages
  - description should_read_entire_file encoding="utf-8" encoding="utf8"
write_file: write create_file write_to_file save_file
  path: ${PATH}
  content: contents file_text text code
  append: is_append
  @mode: mode write_mode
  - description instruction instructions encoding="utf-8" encoding="utf8" overwrite=true create_dirs=true
edit_file: edit multiedit multi_edit str_replace replace search_replace replace_in_file
  path: ${PATH}
  old: old_string old_str old_text
  new: new_string new_str new_text
  all: replace_all allow_multiple
  edits: changes
  @count: expected_replacements
  - description instruction instructions
  edits[].old: old_string old_str old_text
  edits[].new: new_string new_str new_text
  edits[].all: replace_all allow_multiple
  edits[]- description
  ?code_edit: give the text that is there as old and the new one as new
apply_patch: applypatch patch | patch: input patch_text diff | - description
glob: ls list_dir list_directory list_files find_files file_search list
  pattern: glob_pattern file_pattern name_pattern query
  path: ${FOLDER}
  @recursive: recursive
  - description ignore=[] case_sensitive=true respect_git_ignore=true respect_gitignore=true max_results limit head_limit
grep: grep_search search_file_content grep_files search_files search_code ripgrep
  pattern: query regex search search_term
  path: ${FOLDER}
  glob: include include_pattern file_pattern
  files_only: files_with_matches
  ignore_case: -i case_insensitive
  context: -C context_lines
  @before: -B before before_context lines_before
  @after: -A after after_context lines_after
  @mode: output_mode
  @sensitive: case_sensitive
  - description -n line_numbers head_limit max_results limit multiline=false offset=0 is_regexp=true
  ?type: use glob, such as "*.ts"
  ?multiline: use bash with rg -U
fetch_url: webfetch web_fetch fetch read_url
  url: uri link
  offset: start_line
  - description prompt format timeout max_length
web_search: websearch google_web_search search_web
  query: q search_query search_term
  - description max_results num_results limit
  ?allowed_domains: name the sites within the query
ask_person: askuserquestion ask_user_question ask_user request_user_input ask_followup_question ask_human
  question: prompt message text
  options: choices suggestions follow_up answers
  go_on: non_blocking continue
  @questions: questions
  - header description multi_select=false
  options[].label: title value text
  options[].description: details
task: agent subagent delegate dispatch_agent spawn_agent run_subagent
  prompt: task message instructions instruction content
  read_only: readonly
  role: subagent_type agent_type agent role_name
  @name: name teammate_name agent_name
  @model: model
  @mode: mode
  @plan: needs_plan ${PLAN}
  - description team_name run_in_background=false
  ?run_in_background: its text comes as the result; spawn_teammate adds an agent that works beside you
  ?model: a subagent has your model; spawn_teammate takes a model
todo_write: todowrite update_plan write_todos todo update_todo_list update_todos
  todos: plan items tasks list steps
  - description merge=false
  todos[].content: step title text task description subject
  todos[].status: state
  todos[]- id priority
load_skill: skill activate_skill use_skill
  name: skill command skill_name
  - description
  ?args: load it, then follow its words with these arguments
list_tasks: task_list get_tasks show_tasks
  all: include_completed show_all
  @status: status filter state
  - owner assignee role limit team_name
get_task: task_get show_task read_task | id: ${ID}
create_task: task_create add_task
  blocked_by: add_blocked_by after ${BLOCKERS}
  review: needs_review
  judges: changes_tests
  replaces: replaces_task replacement_for${TASK}
  ?status: a new task is pending, and claim_task takes it
  ?blocks: ${WAITS}
  ?add_blocks: ${WAITS}
update_task: task_update edit_task modify_task
  id: ${ID}
  add_blocked_by: blocked_by after ${BLOCKERS}
  remove_blocked_by: remove_dependencies remove_depends_on
  @blocks: add_blocks blocks
  @result: result output outcome${TASK}
  ?status: ${STATUS}
  ?result: ${STATUS}
  ?blocks: ${WAITS}
  ?add_blocks: ${WAITS}
claim_task: task_claim take_task start_task pick_task
  id: ${ID}
  owner: ${OWNER.replace("owner ", "")}
  - status="in_progress"
answer_review: reply_to_review resolve_review | label: thread id | how: answer kind | text: message body content reply
complete_task: task_complete finish_task attempt_completion mark_complete close_task
  id: ${ID}
  result: summary output outcome message content text report description
  override: force
  - owner agent_name status="completed" status="done"
fail_task: task_fail mark_failed
  id: ${ID}
  reason: ${REASON}
  - owner agent_name status="failed"
release_task: unclaim_task give_back_task
  id: ${ID}
  reason: ${REASON}
  - owner agent_name status="pending"
retry_task: task_retry reopen_task requeue_task
  id: ${ID}
  reason: ${REASON}
  - status="pending"
cancel_task: task_cancel delete_task remove_task task_delete
  id: ${ID}
  reason: ${REASON}
  - status="cancelled" status="deleted"
split_task: task_split
  parts: subtasks tasks sub_tasks children
  note: summary progress notes
  - ${ID}
  parts[].subject: title name
  parts[].description: content body details prompt
  parts[].after: blocked_by add_blocked_by ${BLOCKERS}
send_message: sendmessage message send_mail send_input message_teammate tell
  to: recipient target target_agent_id teammate member agent agent_name name agent_id
  text: ${TEXT}
  urgent: is_urgent interrupt
  @type: msg_type type message_type
  @request: request_id
  @yes: approve accept approved
  - summary subject from sender priority="normal"
broadcast: message_all broadcast_message
  text: ${TEXT}
  - summary subject from sender msg_type="broadcast" type="broadcast" to="*" to="all" recipient="*" recipient="all"
note: add_note write_note share_note take_note
  text: ${TEXT} note
  kind: type category
  files: paths touches
  task: task_id task_number
  - title summary description
check_inbox: read_inbox inbox read_mail get_messages check_messages read_messages | - name agent_name agent
list_teammates: list_members team_status list_team list_agents team_list | - team_name
spawn_teammate: add_teammate create_teammate teammate_create
  name: teammate_name teammate agent_name
  role: subagent_type agent_type role_name
  prompt: task message instructions instruction content system_prompt
  model:
  effort: reasoning_effort
  needs_plan: ${PLAN}
  @mode: mode
  - description team_name run_in_background=true
request_shutdown: shutdown_request stop_teammate shutdown_teammate close_agent | name: ${MEMBER} | reason: ${TEXT}
respond_shutdown: shutdown_response answer_shutdown
  request: ${REQUEST}
  accept: approve approved accepted agree yes
  reason: ${TEXT} feedback
  - to recipient
request_plan: plan_request ask_plan | name: ${MEMBER} | text: ${TEXT} task prompt
submit_plan: plan_submit exit_plan_mode exitplanmode plan_approval_request | plan: ${TEXT} text steps | - allowed_prompts
review_plan: plan_approval plan_approval_response approve_plan plan_review
  request: ${REQUEST}
  approve: approved accept yes
  feedback: ${TEXT} reason comment text
  @plan: plan
  - to recipient
review_permission: permission_response answer_permission
  request: ${REQUEST}
  allow: approve approved accept yes
  reason: ${TEXT} feedback text
idle: go_idle end_turn wait | waiting_for: wait_for waiting until | - message note
schedule_cron: cron_create croncreate create_cron schedule add_cron
  cron: expression cron_expression schedule
  text: ${TEXT} prompt task
  to: recipient target member
  as_task: create_task
  once: one_shot run_once
  durable: persistent permanent
  time_zone: timezone tz zone
  @recurring: recurring repeat repeats
  - description name
list_crons: cron_list cronlist
cancel_cron: cron_delete crondelete delete_cron remove_cron | id: cron_id job_id
create_worktree: worktree_create add_worktree
  id: ${ID}
  name: worktree_name branch
  - description
keep_worktree: worktree_keep | id: ${ID}
remove_worktree: worktree_remove delete_worktree | id: ${ID} | - discard_changes=false force=false
create_team: new_team | name: | goal: description prompt task text
delete_team: remove_team | name: | force:
remember: save_memory memorize store_memory | topic: key title name | text: fact memory ${TEXT}
recall: read_memory get_memory | topic: key query name
compact: compress summarize summarise compact_conversation | - focus instructions
call_tool: use_tool invoke_tool | name: tool tool_name | input: arguments args params parameters
read_transcript: transcript search_transcript read_history
  search: query pattern text find
  from: start offset first
  to: end last
  - limit name
connect_mcp: mcp_connect add_mcp_server
  name: server server_name
  command:
  args: arguments
  url:
`;

/** Names that no tool of ours can stand for, with the way to the same end. */
export const NOT_HERE: Readonly<Record<string, string>> = {
  team_create: "You lead a team already: create_task adds tasks, spawn_teammate adds teammates.",
  team_delete: "The team ends by itself when nothing is left to do.",
  enter_plan_mode: "Look with tools that only read; submit_plan asks for approval of a plan.",
  enter_worktree: "Where the team uses worktrees, you are in the one of your task while you have the task.",
  exit_worktree: "Where the team uses worktrees, the one of your task goes when the task has landed.",
  sleep: "Do not wait in a loop: end your turn, and mail wakes you.",
  notebook_edit: "A notebook is JSON: change it with edit_file or a program.",
  tool_search: "You have the tools of your list; an <update> names those that were added later.",
};
