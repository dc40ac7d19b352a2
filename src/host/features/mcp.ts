/**
 * The tools of the project's MCP servers for the role of a member; the lead can connect further servers. A server that comes up in
 * the middle of a conversation is reached through `call_tool`, because the list of tools stays as it was. So is what does not fit
 * into the list: OpenAI refuses more than 128 tools.
 */
import { cutEnd } from "../../core/text/valid.ts";
import type { Tool } from "../../ports/index.ts";
import { callTool } from "../../tools/call-tool.ts";
import { connectMcp } from "../../tools/mcp.ts";
import type { MakeFeature } from "../setup.ts";

/** Tools of servers in the list. The program's own are fewer than 40. */
const LISTED = 80;
/** Characters of the names of the others. */
const NAMES_MAX = 8_000;

function namesOf(tools: readonly Tool[]): string {
  const names = tools.map(({ name }) => name).join(", ");
  return names.length > NAMES_MAX ? `${cutEnd(names, NAMES_MAX)}… (${tools.length} in all)` : names;
}

export const mcp: MakeFeature = ({ parts: { mcp: servers }, profile: { kind, role } }) => {
  if (!servers) return null;
  const connect = connectMcp((server) => servers.connect(server));
  let more = "";
  return {
    tools: async (agent) => [
      ...(await servers.tools(kind === "lead" ? "lead" : role).then((tools) => {
        more = namesOf(tools.slice(LISTED));
        return tools.map((tool, nth) => (nth < LISTED ? tool : { ...tool, unlisted: true as const }));
      })),
      ...(kind === "lead" ? [connect] : []),
      callTool((name) => agent.loadout.tools.get(name)),
    ],
    sections: () => [
      {
        about: "more tools",
        place: "own",
        text: more && `More tools, which call_tool calls: ${more}.`,
      },
    ],
  };
};
