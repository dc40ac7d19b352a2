/** An MCP server on stdin and stdout. */
import type { McpServerFactory } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { unmarked } from "../../adapters/byte-order-mark.ts";

/** Resolves when the client has closed stdin. `leave`: before the connection is closed. */
export async function serveOnStdio(server: McpServerFactory, leave: () => Promise<void>): Promise<void> {
  const handle = serveStdio(server, { transport: new StdioServerTransport(unmarked(process.stdin)) });
  await new Promise((done) => process.stdin.once("end", done).once("close", done));
  await leave();
  await handle.close();
}
