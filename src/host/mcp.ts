/** The MCP servers of a project, from `.mcp.json` (the format of other programs) and from the settings. */
import type { Mcp } from "../adapters/mcp/index.ts";
import { childEnvironment } from "../adapters/shell/environment.ts";
import type { NamedServer } from "../core/project/mcp.ts";
import type { Settings } from "../core/settings/settings.ts";
import type { Sandbox, Shell, Store } from "../ports/index.ts";
import { readMcpFile } from "../project/trust/mcp-file.ts";
import type { ProjectTrust } from "../project/trust/weigh.ts";

/** Null where neither names any. No server starts before a member needs it. Problems are warnings in the journal. */
export async function openMcp(
  parts: {
    readonly workspace: string;
    readonly store: Store;
    readonly settings: Settings;
    readonly sandbox: Sandbox;
    readonly trust: ProjectTrust;
    readonly shell: Shell;
  },
  env: NodeJS.ProcessEnv,
): Promise<Mcp | null> {
  const { workspace, store, settings, sandbox, trust, shell } = parts;
  const warn = (problem: string): void => void store.journal.warn(null, `MCP: ${problem}`).catch(() => {});
  const fault = readMcpFile(workspace).fault;
  if (fault) warn(`${fault}. None of its servers is used.`);
  for (const { id, text } of trust.waiting)
    if (id.startsWith("MCP "))
      warn(`not started, because the person has not agreed to it (ekiden trust): ${text}`);
  if (Object.keys({ ...trust.servers, ...settings.mcpServers }).length === 0) return null;
  const { servers, problems } = await namedServers(trust, settings, env);
  for (const problem of problems) warn(problem);
  if (servers.length === 0) return null;
  const { Mcp } = await import("../adapters/mcp/index.ts");
  return new Mcp(servers, {
    cwd: workspace,
    env: childEnvironment(env),
    sandbox,
    newTag: shell.newTag,
    onProblem: (server, problem) => warn(`server "${server}": ${problem}`),
  });
}

/** A project's entries are never filled with a variable that may hold a secret of the person. */
const NO_SECRETS =
  "a project's entry gets only variables that hold no secret. Write the entry into your own settings file instead";

/** The servers that may be started, and the faults of other entries. One in the settings replaces one of the project. */
export async function namedServers(
  trust: Pick<ProjectTrust, "servers" | "env">,
  settings: Pick<Settings, "mcpServers">,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly servers: NamedServer[]; readonly problems: string[] }> {
  const { readServers } = await import("../core/project/mcp.ts");
  const servers = new Map<string, NamedServer>();
  const problems: string[] = [];
  for (const [where, mcpServers, variables, hint] of [
    ["the project", trust.servers, trust.env, NO_SECRETS],
    ["the settings", settings.mcpServers, env, undefined],
  ] as const) {
    const read = readServers({ mcpServers }, variables, hint);
    problems.push(...read.problems.map((problem) => `${where}: ${problem}`));
    for (const server of read.servers) servers.set(server.name, server);
  }
  return { servers: [...servers.values()], problems };
}
