/**
 * The agent programs that work as members of this process. A member whose model is "agent:NAME" (a preset) or "acp:COMMAND" has one;
 * it starts with the first request, in the folder of the task, inside the sandbox, and ends with the member.
 */
import type { Socket } from "node:net";
import manifest from "../../../package.json" with { type: "json" };
import { childEnvironment } from "../../adapters/shell/environment.ts";
import type { Profile } from "../../core/board/member.ts";
import type { Task } from "../../core/board/task.ts";
import { badInput, type EkidenError, notPermitted } from "../../core/errors.ts";
import { type Name, quote, type TaskId } from "../../core/ids.ts";
import type { AgentLine } from "../../core/settings/agent-line.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Clock, Sandbox, Shell, Store, ToolSpec, Worktrees } from "../../ports/index.ts";
import type { ProjectTrust } from "../../project/trust/weigh.ts";
import { contactOf } from "../../runtime/wraps/worktrees.ts";
import { warnOnce } from "../project-files.ts";
import type { HostedModel } from "./hosted-model.ts";
import { HOW_TO_WORK } from "./how-to-work.ts";
import { Logins } from "./logins.ts";
import { Standings } from "./standings.ts";

export type HostedParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: Pick<
    Settings,
    "planDeadlineMs" | "commandEnv" | "agentSilenceMs" | "teammates" | "model" | "lead" | keyof typeof BUDGETS
  >;
  readonly workspace: string;
  readonly trees: Worktrees | null;
  readonly sandbox: Sandbox;
  readonly shell: Pick<Shell, "newTag" | "variablesIn">;
  readonly trust: Pick<ProjectTrust, "runsAgent" | "steering">;
};

/** The unit of each budget. */
const BUDGETS = {
  budgetUsd: "money",
  teammateBudgetUsd: "money",
  budgetTokens: "tokens",
  teammateBudgetTokens: "tokens",
} as const;

export class HostedAgents {
  private readonly models = new Map<Name, HostedModel>();
  private readonly endings = new Set<Promise<void>>();
  private readonly logins = new Logins();
  /** Those of all teammates here, also of those with a model of ours. */
  readonly standings = new Standings();
  private readonly env: NodeJS.ProcessEnv;
  private readonly reported = new Set<string>();

  /** `env`: PATH, HOME, and the variables of logins. */
  constructor(env: NodeJS.ProcessEnv) {
    this.env = env;
  }

  /** The programs of the members that work now, as their models are written. */
  get specs(): ReadonlyMap<Name, string> {
    return new Map([...this.models].map(([name, { spec }]) => [name, spec]));
  }

  /** Whether the program of this member was started and has not answered yet. */
  isStarting(name: Name): boolean {
    return this.models.get(name)?.isStarting === true;
  }

  /** @throws EkidenError `bad_input` with `why` where the member is an agent program */
  refuse(name: Name, why: string): void {
    const spec = this.models.get(name)?.spec;
    if (spec !== undefined) throw badInput(`${name} is the agent program ${quote(spec)}, which ${why}.`);
  }

  /**
   * Before a member is added by another one. A program that no person has named is never started: it has the network and its login.
   * `isAsked`: a model names it, not the file of a role. @throws EkidenError `not_permitted` | `model_missing`
   */
  async check(line: AgentLine, isAsked: boolean, { settings, workspace }: HostedParts): Promise<void> {
    if (isAsked && !isNamed(line, settings)) throw notNamed(line, settings);
    const { agentProgram } = await import("../../adapters/agents/launch.ts");
    await agentProgram(line, { folder: workspace, env: this.env });
  }

  /** A member starts here. @throws EkidenError `model_missing` when there is no such program; `not_permitted` */
  async open(
    { name, kind, model: own }: Pick<Profile, "name" | "kind" | "model">,
    line: AgentLine,
    parts: HostedParts,
    task: () => TaskId | null,
  ): Promise<HostedModel> {
    await this.end(name);
    const { store, clock, settings, workspace, trees, sandbox, shell, trust } = parts;
    // A board may hold what another person wrote.
    if (own !== "" && !isNamed(line, settings) && !trust.runsAgent(line.spec)) throw notNamed(line, settings);
    // A team without such a member does not load what it needs.
    const [{ agentProgram }, { guestTools }, { HostedModel: Hosted }] = await Promise.all([
      import("../../adapters/agents/launch.ts"),
      import("../guest-tools.ts"),
      import("./hosted-model.ts"),
    ]);
    const found = await agentProgram(line, { folder: workspace, env: this.env });
    const env = childEnvironment(this.env, { passed: [...settings.commandEnv, ...found.variables] });
    const specs = guestTools(kind, settings.planDeadlineMs);
    const login = await this.logins.of(line.preset ?? line.spec, found.login, { store, clock });
    const model: HostedModel = new Hosted({
      spec: line.spec,
      howToWork: HOW_TO_WORK[kind],
      remedy: found.remedy,
      mustSpeak: kind === "lead",
      login,
      silenceMs: settings.agentSilenceMs,
      tools: specs.map((one) => one.name),
      onUsed: (reports) => void this.warn(line, reports, parts).catch(() => {}), // the store is away
      serve: (socket) => void serveBoard(socket, specs, model, found.asksByTool),
      place: async () => {
        const id = task();
        const current = id === null || trees === null ? null : await store.board.task(id);
        if (trees === null) return { cwd: workspace, readOnly: false };
        // A session that is resumed without its task would continue with it in the project itself.
        if (current?.status !== "in_progress" || current.owner !== name)
          return { cwd: workspace, readOnly: true };
        return { cwd: await workspaceFor(current, trees, store), readOnly: false };
      },
      start: async (place, host) => {
        const steering = await trust.steering(found.steeredBy, place.cwd);
        const tag = shell.newTag?.() ?? `agent-${name}-${process.pid}`;
        const warn = (text: string): void => void this.tell(parts, [text]).catch(() => {}); // as above
        const inFolder = { ...env, ...shell.variablesIn?.(place.cwd) };
        return found.start(
          { ...place, env: inFolder, sandbox, version: manifest.version, tag, steering, warn },
          host,
        );
      },
    });
    model.requests.onLimits = (notices) => login.used(notices);
    this.models.set(name, model);
    const key = JSON.stringify([line.preset ?? line.spec, found.login]);
    if (kind === "teammate")
      this.standings.join(name, { login: key, isStrong: found.isStrong, windows: () => login.windows });
    return model;
  }

  /** A budget that does not count what a program uses says so. */
  private async warn({ spec }: AgentLine, reports: Reports, parts: HostedParts): Promise<void> {
    const { settings } = parts;
    const set = Object.entries(BUDGETS).filter(
      ([name]) => settings[name as keyof typeof BUDGETS] !== undefined,
    );
    const blind = [...new Set(set.map(([, what]) => what))].filter((what) => !reports[what]);
    await this.tell(
      parts,
      blind.map(
        (what) =>
          `The agent program ${quote(spec)} does not report ${what === "money" ? "what it costs" : "its tokens"}: the budget in ${what} does not count it.`,
      ),
    );
  }

  private async tell({ store }: HostedParts, texts: readonly string[]): Promise<void> {
    await warnOnce(store.journal, this.reported, texts);
  }

  async end(name: Name): Promise<void> {
    const model = this.models.get(name);
    this.models.delete(name);
    this.standings.leave(name);
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

type Reports = Readonly<Record<(typeof BUDGETS)[keyof typeof BUDGETS], boolean>>;

const isNamed = ({ spec }: AgentLine, { teammates = [], model, lead }: HostedParts["settings"]): boolean =>
  [model, lead, ...teammates.map(({ agent }) => agent)].includes(spec);

function notNamed({ spec }: AgentLine, { teammates = [] }: HostedParts["settings"]): EkidenError {
  const named = teammates.flatMap(({ agent }) => agent ?? []);
  return notPermitted(
    `The person has not named the agent program ${quote(spec)} for this team${named.length === 0 ? "" : `, only ${named.join(", ")}`}. The option --teammate NAME@AGENT or the file of a role does.`,
  );
}

async function serveBoard(
  socket: Socket,
  specs: readonly ToolSpec[],
  { requests }: HostedModel,
  asksByTool: boolean,
): Promise<void> {
  const [{ serveTools }, { MAY_USE_SPEC, mayUse }] = await Promise.all([
    import("./board-server.ts"),
    import("./may-use.ts"),
  ]);
  serveTools(socket, asksByTool ? [...specs, MAY_USE_SPEC] : specs, (tool, input) =>
    tool === MAY_USE_SPEC.name ? mayUse(requests, input) : requests.call(tool, input),
  );
}

/** The program hears no error of this: what goes wrong with the set-up is told to the person. */
async function workspaceFor(task: Task, trees: Worktrees, store: Store): Promise<string> {
  const { openedAnyway } = await import("../workspaces/set-up.ts");
  return (await openedAnyway(trees, task, contactOf(store, new AbortController().signal))).workspace;
}
