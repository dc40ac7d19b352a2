/** The MCP servers of a project: `.mcp.json`, read as other programs read it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mcp } from "../adapters/mcp/index.ts";
import { messageOf } from "../core/errors.ts";
import { readServers } from "../core/mcp.ts";
import type { MemberKind } from "../core/member.ts";
import type { Store, Tool } from "../ports/index.ts";
import { connectMcp } from "../tools/mcp.ts";

const FILE = ".mcp.json";

/** Null where the file names none. Nothing is started before a member needs it; what is wrong is a warning in the journal. */
export async function openMcp(
  { workspace, store }: { workspace: string; store: Store },
  env: NodeJS.ProcessEnv,
): Promise<Mcp | null> {
  const path = join(workspace, FILE);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return null;
  const warn = (problem: string): void =>
    void store.journal
      .note([{ type: "warning.raised", who: null, text: `${FILE}: ${problem}` }])
      .catch(() => {});
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    warn(`it is not JSON: ${messageOf(error)}. No MCP server is used.`);
    return null;
  }
  const { servers, problems } = readServers(data, env);
  for (const problem of problems) warn(problem);
  if (servers.length === 0) return null;
  const { Mcp } = await import("../adapters/mcp/index.ts");
  return new Mcp(servers, {
    cwd: workspace,
    onProblem: (server, problem) => warn(`server "${server}": ${problem}`),
  });
}

/** The tools of the servers that a member of this role may use; the lead can connect further ones. */
export async function mcpTools(mcp: Mcp, kind: MemberKind, role: string): Promise<Tool[]> {
  const tools = await mcp.tools(kind === "lead" ? "lead" : role);
  return kind === "lead" ? [...tools, connectMcp((server) => mcp.connect(server))] : tools;
}
