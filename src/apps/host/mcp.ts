/** The MCP servers of a project: `.mcp.json`, read as other programs read it, and the settings. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mcp } from "../../adapters/mcp/index.ts";
import { withoutSecrets } from "../../adapters/shell/secrets.ts";
import { messageOf } from "../../core/errors.ts";
import type { MemberKind } from "../../core/member.ts";
import type { NamedServer } from "../../core/project/mcp.ts";
import type { Settings } from "../../core/settings.ts";
import type { Store, Tool } from "../../ports/index.ts";
import { connectMcp } from "../../tools/mcp.ts";

const FILE = ".mcp.json";

/** Null where neither names any. Nothing is started before a member needs it; what is wrong is a warning in the journal. */
export async function openMcp(
  { workspace, store, settings }: { workspace: string; store: Store; settings: Pick<Settings, "mcpServers"> },
  env: NodeJS.ProcessEnv,
): Promise<Mcp | null> {
  const warn = (problem: string): void =>
    void store.journal.note([{ type: "warning.raised", who: null, text: `MCP: ${problem}` }]).catch(() => {});
  const data = await readFileServers(workspace, warn);
  if (data === null && Object.keys(settings.mcpServers).length === 0) return null;
  const { readServers } = await import("../../core/project/mcp.ts");
  const servers = new Map<string, NamedServer>();
  for (const [where, source] of [
    [FILE, data],
    ["the settings", { mcpServers: settings.mcpServers }],
  ] as const) {
    if (source === null) continue;
    const read = readServers(source, env);
    for (const problem of read.problems) warn(`${where}: ${problem}`);
    for (const server of read.servers) servers.set(server.name, server);
  }
  if (servers.size === 0) return null;
  const { Mcp } = await import("../../adapters/mcp/index.ts");
  return new Mcp([...servers.values()], {
    cwd: workspace,
    env: withoutSecrets(env, []),
    onProblem: (server, problem) => warn(`server "${server}": ${problem}`),
  });
}

/** What the file says, unread; null when there is none or it is no JSON. */
async function readFileServers(workspace: string, warn: (problem: string) => void): Promise<unknown> {
  const text = await readFile(join(workspace, FILE), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT")
      warn(`${FILE} cannot be read: ${error.message}. None of its servers is used.`);
    return null;
  });
  if (text === null) return null;
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")); // some editors begin a file so
  } catch (error) {
    warn(`${FILE} is not JSON: ${messageOf(error)}. None of its servers is used.`);
    return null;
  }
}

/** The tools of the servers that a member of this role may use; the lead can connect further ones. */
export async function mcpTools(mcp: Mcp, kind: MemberKind, role: string): Promise<Tool[]> {
  const tools = await mcp.tools(kind === "lead" ? "lead" : role);
  return kind === "lead" ? [...tools, connectMcp((server) => mcp.connect(server))] : tools;
}
