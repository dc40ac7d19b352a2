/** The MCP servers of a project, from `.mcp.json` (the format of other programs) and from the settings. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mcp } from "../../adapters/mcp/index.ts";
import { childEnvironment } from "../../adapters/shell/environment.ts";
import { messageOf } from "../../core/errors.ts";
import type { NamedServer } from "../../core/project/mcp.ts";
import type { Settings } from "../../core/settings.ts";
import type { Sandbox, Store } from "../../ports/index.ts";

const FILE = ".mcp.json";

/** Null where neither names any. No server starts before a member needs it. Problems are warnings in the journal. */
export async function openMcp(
  {
    workspace,
    store,
    settings,
    sandbox,
  }: { workspace: string; store: Store; settings: Pick<Settings, "mcpServers">; sandbox: Sandbox },
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
    env: childEnvironment(env),
    sandbox,
    onProblem: (server, problem) => warn(`server "${server}": ${problem}`),
  });
}

/** The content of the file; null when there is no file, or it is not JSON. */
async function readFileServers(workspace: string, warn: (problem: string) => void): Promise<unknown> {
  const text = await readFile(join(workspace, FILE), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT")
      warn(`${FILE} cannot be read: ${error.message}. None of its servers is used.`);
    return null;
  });
  if (text === null) return null;
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")); // some editors write it at the start of a file
  } catch (error) {
    warn(`${FILE} is not JSON: ${messageOf(error)}. None of its servers is used.`);
    return null;
  }
}
