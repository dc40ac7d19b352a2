/** The project's `.mcp.json`: one reader for the question whether it may be used and for its use. */
import { join } from "node:path";
import { PROJECT_FILE_MAX, readRegular, whyNotRead } from "../../adapters/small-files.ts";
import { parseJson, whyUnread } from "../../core/plain-data.ts";
import { MCP_FILE } from "./items.ts";

/** `fault`: why the file cannot be used; null if it can, or is not there. */
export function readMcpFile(cwd: string): {
  readonly servers: Readonly<Record<string, unknown>>;
  readonly fault: string | null;
} {
  let text: string;
  try {
    text = readRegular(join(cwd, MCP_FILE), PROJECT_FILE_MAX);
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code !== "ENOENT";
    return { servers: {}, fault: isThere ? `${MCP_FILE}: ${whyNotRead(error)}` : null };
  }
  try {
    const { mcpServers } = (parseJson(text) ?? {}) as { mcpServers?: unknown };
    const isMap = typeof mcpServers === "object" && mcpServers !== null && !Array.isArray(mcpServers);
    return { servers: isMap ? (mcpServers as Record<string, unknown>) : {}, fault: null };
  } catch (error) {
    return { servers: {}, fault: `${MCP_FILE} is not JSON that can be used: ${whyUnread(error)}` };
  }
}
