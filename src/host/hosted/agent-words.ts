/** Translates the requests and acts of a program of another vendor into calls of a member's tools. */
import type { AgentAsk } from "../../adapters/agents/agent.ts";
import type { AssistantMessage, ToolCall } from "../../core/conversation/chat.ts";
import { AGENT_TOOLS } from "../../tools/agent-program.ts";

/** By the rules of the member's own tools. */
export function callOf({
  kind,
  title,
  tool,
  command,
  paths,
  change,
}: AgentAsk): Pick<ToolCall, "tool" | "input"> {
  const [path, ...also] = paths;
  if (kind === "run") return { tool: AGENT_TOOLS.run, input: { command: command ?? title } };
  if (kind === "edit" && path !== undefined)
    return { tool: AGENT_TOOLS.edit, input: { path, also, ...(change && { change: shown(change) }) } };
  if (kind === "read" && path !== undefined) return { tool: AGENT_TOOLS.read, input: { path, also } };
  return { tool: AGENT_TOOLS.other, input: { title: title.includes(tool) ? title : `${tool} ${title}` } };
}

const shown = ({ path, before, after }: NonNullable<AgentAsk["change"]>) =>
  before === null ? { path, after } : { path, before, after };

/** Programs write the name of a tool of a server in several ways; anything around it makes it another one. */
export function isOfBoard(tools: readonly string[], title: string): boolean {
  const [, name = ""] =
    /^(?:mcp__ekiden__|mcp[.:]ekiden[.:]|ekiden[._:/-]|ekiden: |Tool: ekiden\/)?(\w+)(?: \(ekiden MCP Server\))?$/.exec(
      title.trim(),
    ) ?? [];
  return tools.includes(name.replace(/^ekiden_/, ""));
}

/** No reply is without words; a program has often said all by what it did. */
export const orSilent = (parts: AssistantMessage["content"]): AssistantMessage["content"] =>
  parts.some((part) => part.type === "text" && part.text.trim() !== "")
    ? parts
    : [...parts, { type: "text", text: "(ended its turn without a word)" }];

/** The session stands with the reply, so that another process can continue with it. */
export function said(
  content: AssistantMessage["content"],
  at: { readonly session: string; readonly cwd: string } | null,
): AssistantMessage["content"] {
  if (!at) return content;
  const meta = { acp: { session: at.session, cwd: at.cwd } };
  return content.map((part, nth) => (nth === content.length - 1 ? { ...part, meta } : part));
}
