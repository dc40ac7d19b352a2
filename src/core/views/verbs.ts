/** What a call does, in words of people, who do not know tools by their names: "edits index.mjs", "wants to edit index.mjs". */

/** Infinitives, behind "|" what it is about where nothing says it. A tool that is not here, such as one of an MCP server, is used by its name. */
const VERBS: Readonly<Record<string, string>> = {
  ...{
    edit_file: "edit|a file",
    apply_patch: "edit|files",
    write_file: "write|a file",
    read_file: "read|a file",
  },
  ...{ bash: "run|a command", glob: "look for|files", grep: "search for|a text", fetch_url: "fetch|a page" },
  ...{
    web_search: "search the web for|something",
    connect_mcp: "connect|a server",
    load_skill: "read the skill",
  },
  ...{ task: "ask a subagent:", recall: "recall", remember: "remember", todo_write: "list the steps:" },
  ...{ create_task: "add", claim_task: "claim", complete_task: "complete", fail_task: "fail" },
  ...{ release_task: "give back", cancel_task: "cancel", retry_task: "retry", split_task: "split" },
  ...{ list_tasks: "read the board", get_task: "read", update_task: "change", send_message: "write to" },
  ...{ broadcast: "write to all:", check_inbox: "read the mail", ask_person: "ask you:", idle: "rest" },
  ...{ spawn_teammate: "add", list_teammates: "look at the team", request_shutdown: "ask to stop:" },
  ...{ submit_plan: "submit a plan", read_transcript: "read the words of", check_background: "look at" },
};

/** The person's no in the result of a call, as the person said it: "you said no: use single quotes". Null for any other result. */
export function noOf(result: string): string | null {
  const [found, why] =
    /^(?:\w+: )?The person said no to [^(\n]*?(?:\(.*\))?(?:: (.*?))?(?:\. Do it another way.*|$)/s.exec(
      result,
    ) ?? [];
  return found === undefined ? null : `you said no${why ? `: ${why}` : ""}`;
}

const partsOf = (tool: string, subject: string): readonly [verb: string, object: string] => {
  const [verb = "", object = ""] =
    (Object.hasOwn(VERBS, tool) ? VERBS[tool] : `use ${tool}`)?.split("|") ?? [];
  return subject === "" ? [verb.replace(/:$/, ""), object] : [verb, subject];
};

/** "edit index.mjs"; "edit a file" without a subject. */
export const toDo = (tool: string, subject: string): string => partsOf(tool, subject).join(" ").trimEnd();

/** "edits index.mjs" */
export function does(tool: string, subject: string): string {
  const [verb, object] = partsOf(tool, subject);
  const [first = "", ...rest] = verb.split(" ");
  return `${[`${first}${/(?:s|sh|ch)$/.test(first) ? "es" : "s"}`, ...rest].join(" ")} ${object}`.trimEnd();
}
