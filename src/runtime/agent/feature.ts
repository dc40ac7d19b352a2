/**
 * A feature is one capability of a member. The order of an agent's features is the order of the sections of its prompt and of the
 * wraps around its calls, the first outermost. Together they make its loadout, which is replaced as a whole.
 */
import type { Entry } from "../../core/conversation/chat.ts";
import type { Task } from "../../core/task.ts";
import type { Tool, ToolSpec } from "../../ports/index.ts";
import type { Agent } from "./agent.ts";
import { type Run, type Wrap, wrapped } from "./call.ts";

export type Feature = {
  /** Updates what the other parts read, such as files of the project, before a stint. */
  refresh?(): Promise<void>;
  /** Tools of the coming stint. A later feature replaces a tool of the same name. */
  tools?(agent: Agent): readonly Tool[] | Promise<readonly Tool[]>;
  /** Tools that are offered when they are first needed. They stay, or the provider's cache of the conversation would break. */
  toolsOnceNeeded?(agent: Agent): readonly Tool[] | Promise<readonly Tool[]>;
  /** Leaves out tools of any feature. */
  narrow?(tools: readonly Tool[]): readonly Tool[];
  /** Its part of the system prompt; "" for none. */
  section?(): string;
  /** Around every call of the member and its subagents. May refuse or change it. */
  readonly wrap?: Wrap;
  /** The folder in which the tools work during a task, if not the project. */
  workspaceOf?(task: Task): string;
  /** Folders outside the workspace that file tools may read. */
  readable?(): readonly string[];
  /** After each round of calls: a reminder that is due. */
  afterRound?(round: readonly Entry[]): Entry | null;
  /** What a summary of the conversation keeps word for word; "" for nothing. */
  pinned?(): string;
  /** A summary is about to replace the conversation. An error becomes a warning. */
  onSummary?(agent: Agent, signal: AbortSignal): Promise<void>;
  /** The member has nothing more to do. An error becomes a warning. */
  onStintEnd?(agent: Agent, signal: AbortSignal): Promise<void>;
  /** The member is about to let go of its task, or to end here. Has a few seconds; an error becomes a warning. */
  beforeRelease?(signal: AbortSignal): Promise<void>;
};

/** What a member reads and may call. System prompt and tools stay the same during a stint; only `offerTools` adds tools. */
export type Loadout = {
  readonly system: string;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly specs: readonly ToolSpec[];
  /** Tools that stay on offer. */
  readonly kept: ReadonlySet<Tool>;
  readonly readable: readonly string[];
  /** A tool behind all wraps. */
  readonly run: Run;
};

const NO_TOOLS = { tools: new Map(), specs: [], kept: new Set<Tool>() };
export const EMPTY: Loadout = { ...NO_TOOLS, system: "", readable: [], run: wrapped([]) };

export async function beginStint(agent: Agent): Promise<void> {
  await Promise.all(agent.features.map((feature) => feature.refresh?.()));
  await collect(agent);
}

/** Collects the features as they are now. */
export async function collect(agent: Agent): Promise<void> {
  const { features } = agent;
  const current = await Promise.all(features.map((feature) => feature.tools?.(agent) ?? []));
  agent.loadout = {
    ...(await offered(agent, current.flat())),
    system: features.flatMap((feature) => feature.section?.() || []).join("\n\n"),
    readable: features.flatMap((feature) => feature.readable?.() ?? []),
    run: wrapped(features.flatMap((feature) => feature.wrap ?? [])),
  };
}

/** In the middle of a stint: adds the tools that the member needs from now on, and changes nothing else. */
export async function offerTools(agent: Agent): Promise<void> {
  const tools = await offered(agent, [...agent.loadout.tools.values()]);
  agent.loadout = { ...agent.loadout, ...tools };
}

async function offered(
  agent: Agent,
  current: readonly Tool[],
): Promise<Pick<Loadout, "tools" | "specs" | "kept">> {
  const { features, loadout, specOf } = agent;
  const needed = await Promise.all(features.map((feature) => feature.toolsOnceNeeded?.(agent) ?? []));
  const kept = new Set([...loadout.kept, ...needed.flat()]);
  const all = new Map([...current, ...kept].map((tool) => [tool.name, tool]));
  const tools = features.reduce<readonly Tool[]>(
    (left, feature) => feature.narrow?.(left) ?? left,
    [...all.values()],
  );
  return { tools: new Map(tools.map((tool) => [tool.name, tool])), specs: tools.map(specOf), kept };
}
