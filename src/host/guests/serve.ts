/** An MCP server on stdin and stdout. */
import type { McpServerFactory } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

/** Resolves when the client has closed stdin. `leave`: before the connection is closed. */
export async function serveOnStdio(server: McpServerFactory, leave: () => Promise<void>): Promise<void> {
  const handle = serveStdio(server);
  await new Promise((done) => process.stdin.once("end", done).once("close", done));
  await leave();
  await handle.close();
}
