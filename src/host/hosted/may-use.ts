/** The tool by which `claude -p` asks whether it may use one of its own: the answer is JSON in a form of its own. */
import { claudeTool, MAY_USE } from "../../adapters/agents/dialects.ts";
import type { ToolSpec } from "../../ports/index.ts";
import type { AgentRequests } from "./agent-requests.ts";

export const MAY_USE_SPEC: ToolSpec = {
  name: MAY_USE,
  description: "For the program, not for the model: asks the team whether a tool may be used.",
  schema: {
    type: "object",
    properties: { tool_name: { type: "string" }, input: { type: "object" } },
    required: ["tool_name", "input"],
  },
};

export async function mayUse(
  requests: Pick<AgentRequests, "mayDo">,
  input: unknown,
): Promise<{ text: string; isError: boolean }> {
  const { tool_name: tool, input: given } = (input ?? {}) as { tool_name?: unknown; input?: unknown };
  const updatedInput = (typeof given === "object" && given !== null ? given : {}) as Record<string, unknown>;
  const may = await requests.mayDo(claudeTool(typeof tool === "string" ? tool : "", updatedInput));
  const answer = may
    ? { behavior: "allow", updatedInput }
    : { behavior: "deny", message: "The rules of the team, or its person, do not permit it." };
  return { text: JSON.stringify(answer), isError: false };
}
