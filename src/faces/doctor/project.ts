/** Checks of the files that a project has for its agents: rules, roles, skills, MCP servers, hooks. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { quote } from "../../core/ids.ts";
import type { NamedServer } from "../../core/project/mcp.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { ourName, TOOL_NAMES } from "../../core/tool-names.ts";
import { counted } from "../../core/views/view.ts";
import type { Sandbox } from "../../ports/index.ts";
import { userFile, userFolder } from "../../project/own-folders.ts";
import { projectFile } from "../../project/settings.ts";
import { readMcpFile } from "../../project/trust/mcp-file.ts";
import type { ProjectTrust } from "../../project/trust/weigh.ts";
import type { Invocation } from "../kit/invocation.ts";
import { sandboxOf } from "../kit/sandbox-question.ts";
import { type Finding, ok, wrong } from "./finding.ts";

/** The settings files that exist, as they are shown. */
export function settingsFiles(cwd: string): string {
  const files = [projectFile(cwd), userFile()].filter((file) => existsSync(file));
  const shown = files.map((file) => (file === projectFile(cwd) ? relative(cwd, file) : file));
  return shown.length > 0 ? `read ${shown.join(" and ")}` : "no settings file, so the defaults";
}

/** Rules, roles and skills, with every file that was read. */
export async function agentFiles({ cwd }: Invocation): Promise<Finding[]> {
  const library = await import("../../adapters/disk/library.ts");
  const folder = userFolder();
  const [whole, rules] = await Promise.all([library.loadLibrary(cwd, folder), library.loadRules(cwd)]);
  const shown = (path: string): string => (path.startsWith(cwd) ? relative(cwd, path) : path);
  const finding = (name: string, files: readonly string[]): Finding =>
    ok(name, files.map(shown).join(", ") || "none");
  const faults = [
    ...whole.problems.map(({ file, why }) => `${shown(file)} is not used: ${why}`),
    ...whole.doubts,
  ];
  return [
    finding(
      "rules",
      rules.items.map(({ file }) => file),
    ),
    finding(
      "roles",
      whole.roles.map(({ source }) => source),
    ),
    finding(
      "skills",
      whole.skills.map(({ folder }) => join(folder, "SKILL.md")),
    ),
    ...(faults.length > 0 ? [wrong("agent files", faults.join("\n"), "Correct these files.")] : []),
  ];
}

/** Every MCP server that may be started is started in the sandbox, asked for its tools, and ended. */
export async function mcpServers(
  { cwd, env }: Invocation,
  settings: Settings,
  trust: ProjectTrust,
): Promise<Finding[]> {
  const { namedServers } = await import("../../host/mcp.ts");
  const { fault } = readMcpFile(cwd);
  if (fault) return [wrong("mcp", fault, "Correct the file. None of its servers is used.")];
  if (Object.keys({ ...trust.servers, ...settings.mcpServers }).length === 0) return [];
  const { servers, problems } = await namedServers(trust, settings, env);
  const faulty = problems.length > 0 ? [wrong("mcp", problems.join("\n"), "Correct these entries.")] : [];
  const sandbox = await sandboxOf(cwd, settings);
  try {
    const tried = servers.map((server) => tryServer(server, cwd, env, sandbox));
    return [...faulty, ...(await Promise.all(tried))];
  } finally {
    await sandbox.close();
  }
}

async function tryServer(
  server: NamedServer,
  cwd: string,
  env: NodeJS.ProcessEnv,
  sandbox: Sandbox,
): Promise<Finding> {
  const [{ Mcp }, { childEnvironment }] = await Promise.all([
    import("../../adapters/mcp/index.ts"),
    import("../../adapters/shell/environment.ts"),
  ]);
  let problem: string | null = null;
  const mcp = new Mcp([{ ...server, config: { ...server.config, roles: undefined } }], {
    cwd,
    env: childEnvironment(env),
    sandbox,
    onProblem: (_, text) => {
      problem = text;
    },
  });
  const name = `mcp: ${server.name}`;
  try {
    const tools = await mcp.tools("lead");
    if (problem === null) return ok(name, counted(tools.length, "tool"));
    const what = "command" in server.config ? `its command ${quote(server.config.command)}` : "its url";
    return wrong(name, problem, `Check ${what}, or set "disabled": true.`);
  } finally {
    await mcp.close();
  }
}

/** Whether the programs of the hooks exist, and whether their matchers name tools. */
export async function hooks({ cwd }: Invocation, settings: Settings): Promise<Finding[]> {
  const all = Object.entries(settings.hooks).flatMap(([event, list]) =>
    (list ?? []).map((hook) => ({ event, ...hook })),
  );
  if (all.length === 0) return [];
  const faults: string[] = [];
  for (const { event, matcher, command } of all) {
    const program = /^[\w./~-]+/.exec(command.trim())?.[0];
    if (program && !command.trim().startsWith(`${program}=`) && !(await isProgram(program, cwd)))
      faults.push(`${event}: ${program} is not found`);
    if (event === "PreToolUse" || event === "PostToolUse")
      for (const tool of matcher.split("|").map((part) => part.trim()))
        if (/^\w+$/.test(tool) && !tool.startsWith("mcp__") && !TOOL_NAMES.includes(ourName(tool)))
          faults.push(`${event}: no tool is called ${quote(tool)}.${didYouMean(tool, TOOL_NAMES)}`);
  }
  const name = "hooks";
  if (faults.length === 0) return [ok(name, counted(all.length, "command"))];
  return [wrong(name, faults.join("\n"), "Correct these hooks in the settings.")];
}

/** As the shell of a hook would find it: a file, a program on the path, a builtin. */
const isProgram = (word: string, cwd: string): Promise<boolean> =>
  new Promise((resolve) => {
    const path = word.startsWith("~/") ? join(process.env.HOME ?? "", word.slice(2)) : word;
    execFile("/bin/sh", ["-c", 'command -v -- "$1"', "sh", path], { cwd }, (error) =>
      resolve(error === null),
    );
  });
