/** The tools of the project's MCP servers for the role of a member; the lead can connect further servers. */
import { connectMcp } from "../../../tools/mcp.ts";
import type { MakeFeature } from "../setup.ts";

export const mcp: MakeFeature = ({ parts: { mcp: servers }, profile: { kind, role } }) => {
  if (!servers) return null;
  const connect = connectMcp((server) => servers.connect(server));
  return {
    tools: async () =>
      kind === "lead" ? [...(await servers.tools("lead")), connect] : await servers.tools(role),
  };
};
