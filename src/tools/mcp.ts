/** Connects a further MCP server at run time. Only for the lead of a project that uses MCP. */
import { z } from "zod";
import { type NamedServer, readServers } from "../core/project/mcp.ts";
import type { Tool } from "../ports/index.ts";
import { defineTool } from "./define.ts";
import { maybe, text } from "./inputs.ts";

/** `connect` starts the server and resolves to its tools, which are offered from the next stint on. */
export const connectMcp = (connect: (server: NamedServer) => Promise<readonly Tool[]>): Tool =>
  defineTool({
    name: "connect_mcp",
    description: "Connect another MCP server for the team, by command or url.",
    access: "exec",
    input: () =>
      z.strictObject({
        name: text,
        command: maybe.text,
        args: maybe.texts,
        url: maybe.text,
      }),
    subject: ({ name, command, args = [], url = "" }) =>
      `${name}: ${command ? [command, ...args].join(" ") : url}`,
    run: async ({ name, ...entry }) => {
      const { servers, problems } = readServers({ mcpServers: { [name]: entry } }, {});
      const [server] = servers;
      if (!server) throw new Error(problems.join("; "));
      const tools = await connect(server);
      return `Connected ${name}. From your next stint on you have: ${tools.map((tool) => tool.name).join(", ") || "no tools"}.`;
    },
  });
