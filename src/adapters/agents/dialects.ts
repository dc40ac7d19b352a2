/** The arguments and the events of programs that print JSON: `claude -p` and `codex exec`. Their fields are read as they come. */
import { codexRateLimits } from "../../core/limits/notices.ts";
import type { AgentAsk, AgentHost, AgentStep, BoardServer } from "./agent.ts";
import type { Dialect } from "./headless.ts";
import { numbersOf } from "./usage.ts";

/** The tool of our server by which Claude Code asks whether it may. */
export const MAY_USE = "may_use";

type Fields = Readonly<Record<string, unknown>>;
const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : []);

const CLAUDE_KINDS: Readonly<Record<string, AgentAsk["kind"]>> = {
  Bash: "run",
  Edit: "edit",
  MultiEdit: "edit",
  NotebookEdit: "edit",
  Write: "edit",
  Read: "read",
  Glob: "read",
  Grep: "read",
};

/** A tool of Claude Code, as it asks for it or says that it used it. */
export function claudeTool(tool: string, input: Fields): AgentAsk {
  const kind = CLAUDE_KINDS[tool] ?? "other";
  const path = text(input.file_path) || text(input.notebook_path) || text(input.path);
  const command = kind === "run" ? text(input.command) : null;
  const after = text(input.content) || text(input.new_string);
  return {
    title: command ?? (path === "" ? tool : `${tool} ${path}`),
    tool,
    kind,
    command,
    paths: path === "" ? [] : [path],
    change: kind === "edit" && path !== "" ? { path, before: text(input.old_string) || null, after } : null,
  };
}

export const claude: Dialect = {
  args: ({ server, session }) => [
    ...["-p", "--output-format", "stream-json", "--verbose"],
    ...["--mcp-config", JSON.stringify({ mcpServers: { [server.name]: commandOf(server) } })],
    ...["--allowedTools", `mcp__${server.name}`],
    ...["--permission-prompt-tool", `mcp__${server.name}__${MAY_USE}`],
    ...(session === "" ? [] : ["--resume", session]),
  ],
  reader: () => {
    const begun = new Map<string, AgentAsk>();
    let usd = 0;
    return (event, host) => {
      const parts = list(fields(event.message).content);
      if (event.type === "assistant")
        for (const part of parts) {
          if (part.type === "text") host.said("text", text(part.text));
          if (part.type === "thinking") host.said("thinking", text(part.thinking));
          if (part.type === "tool_use")
            begun.set(text(part.id), claudeTool(text(part.name), fields(part.input)));
        }
      if (event.type === "user")
        for (const part of parts) {
          const call = begun.get(text(part.tool_use_id));
          begun.delete(text(part.tool_use_id));
          if (call) host.did(stepOf(call, contentText(part.content), part.is_error === true));
        }
      const session = text(event.session_id);
      if (event.type !== "result") return session === "" ? {} : { session };
      // Each run counts from its own beginning, and a session continues over several.
      usd += numbersOf(event)("total_cost_usd");
      host.cost(usd);
      const used = numbersOf(event.usage);
      const cachedTokens = used("cache_read_input_tokens");
      return {
        ...(session !== "" && { session }),
        end: event.is_error === true ? text(event.result) || text(event.subtype) : "",
        usage: {
          inputTokens: used("input_tokens") + cachedTokens + used("cache_creation_input_tokens"),
          cachedTokens,
          outputTokens: used("output_tokens"),
        },
      };
    };
  },
};

export const codex: Dialect = {
  args: ({ server, session, isConfined }) => [
    ...["exec", "--json", "--skip-git-repo-check"],
    ...["-c", `mcp_servers.${server.name}=${toml(server)}`],
    // Its own sandbox cannot begin inside of ours.
    ...(isConfined ? ["--dangerously-bypass-approvals-and-sandbox"] : ["--sandbox", "workspace-write"]),
    ...(session === "" ? [] : ["resume", session]),
    "-",
  ],
  reader: () => (event, host) => {
    host.limits(codexRateLimits(event));
    if (event.type === "thread.started") return { session: text(event.thread_id) };
    if (event.type === "item.completed") codexItem(fields(event.item), host);
    if (event.type === "turn.failed") return { end: text(fields(event.error).message) || "the turn failed" };
    if (event.type !== "turn.completed") return {};
    const used = numbersOf(event.usage);
    return {
      end: "",
      usage: {
        inputTokens: used("input_tokens"),
        cachedTokens: used("cached_input_tokens"),
        outputTokens: used("output_tokens"),
      },
    };
  },
};

type Act = Pick<AgentStep, "kind" | "title"> & Partial<Pick<AgentStep, "output" | "paths">>;
const CODEX_ACTS: Readonly<Record<string, (item: Fields) => Act>> = {
  command_execution: (item) => ({
    kind: "execute",
    title: text(item.command),
    output: text(item.aggregated_output),
  }),
  mcp_tool_call: (item) => ({
    kind: "other",
    title: `${text(item.server)}.${text(item.tool)}`,
    output: contentText(fields(item.result).content),
  }),
  file_change: (item) => {
    const paths = list(item.changes).map(({ path }) => text(path));
    return { kind: "edit", title: `Edit ${paths.join(", ")}`, paths };
  },
};

function codexItem(item: Fields, host: AgentHost): void {
  if (item.type === "agent_message") host.said("text", text(item.text));
  if (item.type === "reasoning") host.said("thinking", text(item.text));
  const act = CODEX_ACTS[text(item.type)]?.(item);
  if (act)
    host.did({ paths: [], output: "", ...act, tool: text(item.tool), failed: item.status === "failed" });
}

const stepOf = ({ title, tool, kind, paths }: AgentAsk, output: string, failed: boolean): AgentStep => ({
  title,
  tool,
  kind: kind === "run" ? "execute" : kind,
  paths,
  output,
  failed,
});

const contentText = (content: unknown): string =>
  typeof content === "string"
    ? content
    : list(content)
        .map((part) => text(part.text))
        .join("\n");

/** The secret is in the environment of the program, which hands it on: command lines can be read by everybody on a machine. */
const commandOf = ({ command, args, env }: BoardServer): object => ({
  command,
  args,
  env: Object.fromEntries(env.map(({ name }) => [name, `\${${name}}`])),
});

function toml({ command, args, env }: BoardServer): string {
  const names = env.map(({ name }) => name);
  return `{command=${JSON.stringify(command)},args=${JSON.stringify(args)},env_vars=${JSON.stringify(names)},default_tools_approval_mode="approve"}`;
}
