/** The tools of the board over MCP, on a connection of an agent program that this process has started. */
import type { Socket } from "node:net";
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import manifest from "../../../package.json" with { type: "json" };
import { unmarked } from "../../adapters/byte-order-mark.ts";
import type { ToolSpec } from "../../ports/index.ts";

type Call = (tool: string, input: unknown) => Promise<{ text: string; isError: boolean }>;

export function serveTools(socket: Socket, specs: readonly ToolSpec[], call: Call): void {
  const tools = specs.map(({ name, description, schema }) => ({
    name,
    description,
    inputSchema: { type: "object" as const, ...schema },
  }));
  const make = (): Server => {
    const server = new Server(
      { name: "ekiden", version: manifest.version },
      { capabilities: { tools: {} }, instructions: "The board and the mail of your team." },
    );
    server.setRequestHandler("tools/list", () => ({ tools }));
    server.setRequestHandler("tools/call", async ({ params: { name, arguments: input = {} } }) => {
      const isKnown = tools.some((one) => one.name === name);
      const { text, isError } = isKnown
        ? await call(name, input)
        : { text: `There is no tool ${name}.`, isError: true };
      return { content: [{ type: "text" as const, text }], isError };
    });
    return server;
  };
  const handle = serveStdio(make, {
    transport: new StdioServerTransport(unmarked(socket), socket),
    onerror: () => {},
  });
  socket.resume(); // it was paused behind the word
  socket.once("close", () => void handle.close().catch(() => {}));
}
