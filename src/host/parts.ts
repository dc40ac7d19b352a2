/** Opens what a hosting process needs: the store, the shell, the models. */

import { realpathSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { systemClock } from "../adapters/clock.ts";
import { JobHost } from "../adapters/jobs/index.ts";
import { LiveOutputWriter } from "../adapters/live-output.ts";
import type { Mcp } from "../adapters/mcp/index.ts";
import { modelsOffered, openModel } from "../adapters/models/index.ts";
import { markOf } from "../adapters/process-identity.ts";
import { childEnvironment } from "../adapters/shell/environment.ts";
import { endOrphans } from "../adapters/shell/orphans.ts";
import { checkOpenFiles } from "../adapters/shortages.ts";
import type { OutageWatch } from "../adapters/store/databases/outage.ts";
import { openStore, scopeOf } from "../adapters/store/index.ts";
import type { Recruit } from "../core/board/recruit.ts";
import { LEAD, type Name } from "../core/ids.ts";
import type { Embedded } from "../core/project/runbook.ts";
import { agentLine } from "../core/settings/agent-line.ts";
import type { Settings } from "../core/settings/settings.ts";
import { namedSecrets, type Secrets } from "../core/text/secrets.ts";
import type {
  Clock,
  Cursor,
  HostProcess,
  Model,
  PortBlocks,
  Sandbox,
  Shell,
  Store,
  Worktrees,
} from "../ports/index.ts";
import { makeStoreFile } from "../project/open.ts";
import { checkTemporary, makeOwnFolders, userFolder } from "../project/own-folders.ts";
import { makeProjectFolder } from "../project/project-folder.ts";
import { secretsOf } from "../project/secrets.ts";
import { refuseInReach, storeUrl } from "../project/store-address.ts";
import { signing } from "../project/trust/signing.ts";
import { untrusted } from "../project/trust/untrusted.ts";
import { isStore, type ProjectTrust, weighProject } from "../project/trust/weigh.ts";
import { Hooks } from "../runtime/hooks/hooks.ts";
import { HostedAgents } from "./hosted/agents.ts";
import { Logins } from "./hosted/logins.ts";
import { openMcp } from "./mcp.ts";
import { type Choosing, type UsualModels, usualModel, usualModels } from "./models/usual-models.ts";
import { type SurroundingsOf, surroundingsOf } from "./surroundings.ts";
import type { Telemetry } from "./telemetry.ts";
import { openWorkspaces } from "./workspaces/open.ts";
import { type TaskChanges, taskChanges } from "./workspaces/task-changes.ts";

export type Parts = {
  readonly settings: Settings;
  readonly store: Store;
  readonly clock: Clock;
  readonly shell: Shell;
  readonly sandbox: Sandbox;
  readonly jobs: JobHost;
  /** Ends the commands that dead hosts of this team left on this machine, and those of hosts that lost their lease. */
  readonly endOrphans: (lost?: readonly HostProcess[]) => Promise<void>;
  readonly hooks: Hooks;
  /** Null if the project names no MCP servers. */
  readonly mcp: Mcp | null;
  /** Programs of other vendors that are members here. */
  readonly agents: HostedAgents;
  /** Null if no OTEL_ variable asks for it. */
  readonly telemetry: Telemetry | null;
  /** The parts of the project's files that the person agreed to. */
  readonly trust: ProjectTrust;
  /** Null: all members work in the project itself. */
  readonly trees: Worktrees | null;
  /** The project, absolute and without symlinks. */
  readonly workspace: string;
  readonly outputDir: string;
  /** Shows other processes what commands print. */
  readonly liveOutput: LiveOutputWriter;
  /** The files of the project that calls have changed here, relative to it. */
  readonly changed: Set<string>;
  /** Under way: which files the commands that have ended changed. Each resolves. */
  readonly looks: Set<Promise<unknown>>;
  /** The teammates that this process is about to add, in their order: those that are there already name them, so that no opening changes. */
  readonly coming: Map<Name, Pick<Recruit, "name" | "role">>;
  /** Ekiden's folder in the person's configuration; it need not exist. */
  readonly userFolder: string;
  /** The secrets that are taken out of results, questions and records. */
  readonly secrets: Secrets;
  /** Where the journal of this run begins; with a new team that is its creation. */
  readonly since: Cursor;
  /** Where agents work, for their prompts. */
  readonly surroundings: SurroundingsOf;
  readonly taskChanges: TaskChanges;
  readonly models: Models;
};

export type Models = {
  /** Opens a model once; without a spec, the one that the settings and the environment choose. */
  readonly open: (spec: string | undefined) => Promise<Model>;
  /** The specs of those that were opened. */
  readonly opened: () => readonly string[];
  /** Those of the providers in use, by their names, and of those whose key is there. */
  readonly offered: (inUse: ReadonlySet<string>) => Promise<readonly string[]>;
  /** The model of new members: "" follows the settings, "runbook" keeps the embedded one, or an agent program. */
  readonly ofNew: string;
};

export type PartsOptions = {
  readonly settings: Settings;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly embedded: Embedded;
  /** The team exists and has its models. */
  readonly resume: boolean;
  /** The person talks to the lead. */
  readonly interactive?: boolean;
  /** The value of `HostOptions.trust`, or the trust that the command line has read already. */
  readonly trust?: boolean | ProjectTrust | undefined;
  /** Instead of the providers. */
  readonly openModel?: ((spec: string) => Promise<Model>) | undefined;
  /** While the store is away, the team waits for it. */
  readonly outage?: OutageWatch;
  readonly onNotice?: ((text: string) => void) | undefined;
};

/** Opens a model before it creates or takes over anything: a run without a model changes nothing. */
export async function openParts(options: PartsOptions): Promise<Parts> {
  const { settings, cwd, env, embedded, resume } = options;
  const workspace = realpathSync(cwd);
  checkOpenFiles();
  refuseInReach(settings, workspace);
  makeOwnFolders(workspace);
  if (settings.sandbox !== "off") checkTemporary();
  const trust = await trustOf(options, workspace);
  const outputDir = join(workspace, ".ekiden", "output");
  const provided = (spec: string): Promise<Model> =>
    openModel(spec, {
      ...{ env, clock: systemClock, baseUrl: settings.baseUrl },
      progressMs: settings.progressTimeoutMs,
      fallbackSilenceMs: settings.fallbackSilenceMs,
      fallbackContentMs: settings.fallbackContentMs,
      models: settings.models,
      outputDir,
    });
  const logins = new Logins();
  const throughLogin = (opened: Model): Model =>
    logins.through(opened, () => ({ store, clock: systemClock, random: Math.random }));
  const models = new Map<string, Promise<Model>>();
  const choosing: Choosing = { settings, env, folder: workspace, embedded };
  let usual: UsualModels | null = null;
  const model = async (wanted: string | undefined): Promise<Model> => {
    const spec = wanted || usual?.settings.model || (await usualModel(choosing)).spec;
    const opened = models.get(spec) ?? (options.openModel ?? provided)(spec).then(throughLogin);
    models.set(spec, opened);
    return opened;
  };
  const choose = async (ofStore?: string): Promise<UsualModels> => {
    const found = await usualModels(choosing, ofStore);
    if (agentLine(found.lead) === null) await model(found.lead);
    if (found.said !== "") options.onNotice?.(found.said);
    return found;
  };
  if (!resume) usual = await choose();
  const url = storeUrl(settings, workspace);
  const scope = scopeOf(url, settings.team);
  let warn = (_: string): void => {};
  let ports: PortBlocks | null = null;
  const { sandbox, shell, trees, said } = await openWorkspaces({
    ...{ settings, workspace, embedded, resume, env, outputDir, trust },
    interactive: options.interactive === true,
    lead: usual?.lead ?? "",
    mark: markOf(scope),
    warn: (text) => warn(text),
    ports: () => ports,
    hasModel: () => usual?.ofNew !== "runbook",
  });
  if (said !== "") options.onNotice?.(said);
  makeProjectFolder(workspace);
  const { leaseMs, maxAttempts, team, leadMayHoldSeveralTasks: leadMayHoldSeveral } = settings;
  const { version } = manifest;
  const lands = {
    remote: trees?.remoteLabel ?? null,
    targetBranch: trees?.target ?? null,
    gate: trees?.gate ?? null,
  };
  makeStoreFile(url, workspace);
  const secrets = secretsOf(env, settings);
  secrets.add(namedSecrets(trust.servers));
  const opened = await openStore({
    redact: secrets.redact,
    ...{ url, team, clock: systemClock, leaseMs, maxAttempts, leadMayHoldSeveral, version, lands },
    ...(options.outage && { outage: options.outage }),
    tell: (text) => options.onNotice?.(text),
  });
  const store = signing(opened, url);
  ports = store.portBlocks;
  warn = (text) => void store.journal.warn(null, text).catch(() => {});
  try {
    usual ??= await choose((await store.roster.member(LEAD))?.model);
  } catch (error) {
    await store.close();
    throw error;
  }
  const environment = childEnvironment(env);
  const surroundings = surroundingsOf({
    ...{ workspace, env: environment, trusted: trust.runsGit, sandbox, clock: systemClock },
  });
  const ofLead = agentLine(usual.lead) ? { window: Number.MAX_SAFE_INTEGER } : await model(usual.lead);
  void surroundings(ofLead); // while the rest is opened
  const begun = await store.journal.read("" as Cursor, { limit: 2 });
  const since = begun.events.length < 2 ? ("" as Cursor) : await store.journal.end();
  const clock = systemClock;
  return {
    settings: usual.settings,
    store,
    clock,
    shell,
    sandbox,
    jobs: new JobHost({ store, shell, clock, machine: hostname(), outputDir }),
    endOrphans: (lost = []) => endOrphans(scope, new Set(lost.map(({ identity }) => identity))),
    hooks: new Hooks({ hooks: settings.hooks, shell, store, cwd: workspace }),
    mcp: await openMcp({ workspace, store, settings, sandbox, trust, shell }, env),
    agents: new HostedAgents(env),
    telemetry: await telemetryOf(env, { store, clock, version }),
    trust,
    trees,
    since,
    workspace,
    outputDir,
    surroundings,
    taskChanges: taskChanges({ workspace, env: environment, trusted: trust.runsGit, sandbox, trees }),
    liveOutput: new LiveOutputWriter(outputDir, scope, secrets.redact),
    changed: new Set(),
    looks: new Set(),
    coming: new Map(),
    userFolder: userFolder(),
    secrets,
    models: {
      open: model,
      opened: () => [...models.keys()],
      offered: (inUse) => modelsOffered(inUse, { env, baseUrl: settings.baseUrl ?? "" }),
      ofNew: usual.ofNew,
    },
  };
}

/** A variable that cannot be used is a warning: monitoring must not keep a team from its work. */
async function telemetryOf(
  env: NodeJS.ProcessEnv,
  parts: { readonly store: Store; readonly clock: Clock; readonly version: string },
): Promise<Telemetry | null> {
  if (!Object.keys(env).some((name) => /^OTEL_EXPORTER_OTLP_(TRACES_|METRICS_)?ENDPOINT$/.test(name)))
    return null;
  const { otlpFrom } = await import("../adapters/telemetry/otlp.ts");
  const otlp = otlpFrom(env);
  if (typeof otlp === "string") await parts.store.journal.warn(null, `No telemetry: ${otlp}.`);
  if (otlp === null || typeof otlp === "string") return null;
  return await (await import("./telemetry.ts")).openTelemetry(otlp, parts);
}

/** @throws EkidenError `not_trusted` for a store in the project that this person did not make */
async function trustOf({ trust, settings, env }: PartsOptions, cwd: string): Promise<ProjectTrust> {
  if (typeof trust === "object") return trust;
  const { store } = settings;
  const weighed = { cwd, layer: null, above: [], below: [], env, all: trust === true, store };
  const found = (await weighProject(weighed)).trust;
  if (found.waiting.some(isStore)) throw untrusted(found);
  return found;
}
