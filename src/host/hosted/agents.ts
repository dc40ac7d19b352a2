/**
 * The agent programs that work as members of this process. A member whose model is "agent:NAME" (a preset) or "acp:COMMAND" has one;
 * it starts with the first request, in the folder of the task, inside the sandbox, and ends with the member.
 */
import type { Socket } from "node:net";
import manifest from "../../../package.json" with { type: "json" };
import { agentProgram } from "../../adapters/agents/launch.ts";
import { childEnvironment } from "../../adapters/shell/environment.ts";
import { type AgentLine, agentLine } from "../../core/agent-line.ts";
import type { Name, TaskId } from "../../core/ids.ts";
import type { Settings } from "../../core/settings.ts";
import type { Sandbox, Shell, Store, ToolSpec, Worktrees } from "../../ports/index.ts";
import { guestTools } from "../guest-tools.ts";
import { HostedModel } from "./hosted-model.ts";

export type HostedParts = {
  readonly store: Store;
  readonly settings: Pick<Settings, "planDeadlineMs" | "commandEnv">;
  readonly workspace: string;
  readonly trees: Worktrees | null;
  readonly sandbox: Sandbox;
  readonly shell: Pick<Shell, "newTag">;
};

export class HostedAgents {
  private readonly models = new Map<Name, HostedModel>();
  private readonly endings = new Set<Promise<void>>();
  private readonly env: NodeJS.ProcessEnv;

  /** `env`: PATH, HOME, and the variables of logins. */
  constructor(env: NodeJS.ProcessEnv) {
    this.env = env;
  }

  /** @throws EkidenError `model_missing` when there is no such program */
  async check(spec: string, folder: string): Promise<void> {
    const line = agentLine(spec);
    if (line) await agentProgram(line, { folder, env: this.env });
  }

  /** A member starts here. @throws EkidenError `model_missing` when there is no such program */
  async open(
    name: Name,
    line: AgentLine,
    parts: HostedParts,
    task: () => TaskId | null,
  ): Promise<HostedModel> {
    await this.end(name);
    const { store, settings, workspace, trees, sandbox, shell } = parts;
    const found = await agentProgram(line, { folder: workspace, env: this.env });
    const env = childEnvironment(this.env, { passed: [...settings.commandEnv, ...found.variables] });
    const specs = guestTools(settings.planDeadlineMs);
    const model: HostedModel = new HostedModel({
      spec: line.spec,
      tools: specs.map((one) => one.name),
      serve: (socket) => void serveBoard(socket, specs, model),
      place: async () => {
        const id = task();
        const current = id === null || trees === null ? null : await store.board.task(id);
        if (trees === null || current?.status !== "in_progress" || current.owner !== name) return workspace;
        return (await trees.open(current)).workspace;
      },
      start: (cwd, host) =>
        found.start(
          {
            cwd,
            env,
            sandbox,
            version: manifest.version,
            tag: shell.newTag?.() ?? `agent-${name}-${process.pid}`,
          },
          host,
        ),
    });
    this.models.set(name, model);
    return model;
  }

  async end(name: Name): Promise<void> {
    const model = this.models.get(name);
    this.models.delete(name);
    if (!model) return;
    const ending = model.close().finally(() => this.endings.delete(ending));
    this.endings.add(ending);
    await ending;
  }

  /** Resolves when nothing of any program is left. */
  async close(): Promise<void> {
    await Promise.all([...[...this.models.keys()].map((name) => this.end(name)), ...this.endings]);
  }
}

async function serveBoard(socket: Socket, specs: readonly ToolSpec[], model: HostedModel): Promise<void> {
  const { serveTools } = await import("./board-server.ts");
  serveTools(socket, specs, (tool, input) => model.requests.call(tool, input));
}
