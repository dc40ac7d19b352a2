/**
 * How a member is put together, from top to bottom: its model, its tools, the wraps around them, its prompt, its
 * conversation. The only place that constructs any of it.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Conversation } from "../../core/conversation/conversation.ts";
import { systemPrompt } from "../../core/conversation/prompt.ts";
import type { Name } from "../../core/ids.ts";
import type { Profile, Seat } from "../../core/member.ts";
import { isUnpriced } from "../../core/prices.ts";
import { mayMail, type Settings } from "../../core/settings.ts";
import { worktreeRules } from "../../core/worktree.ts";
import type { Delta, Model, Store, TeamControl, Tool } from "../../ports/index.ts";
import type { Agent } from "../../runtime/agent/agent.ts";
import { type PermissionPolicy, permitted, wrapped } from "../../runtime/agent/call.ts";
import { MemberHooks } from "../../runtime/hooks/member-hooks.ts";
import type { MemberLoop } from "../../runtime/member/member-loop.ts";
import type { ProviderTimeout } from "../../runtime/team/provider-timeout.ts";
import { aftercare } from "../../runtime/wraps/follow-up-tools.ts";
import { hookedCalls } from "../../runtime/wraps/hooked-calls.ts";
import { planGate } from "../../runtime/wraps/plan-approval.ts";
import { budgeted, type Spool } from "../../runtime/wraps/result-size.ts";
import { inWorktrees, landing } from "../../runtime/wraps/worktrees.ts";
import {
  cronTools,
  jobTools,
  leadTools,
  longTools,
  sendMessageAcross,
  specOf,
  teammateTools,
  teamsTools,
} from "../../tools/index.ts";
import { withWorktrees } from "../../tools/worktree.ts";
import { equip, type Kit } from "./equip.ts";
import { mcpTools } from "./mcp.ts";
import type { Parts } from "./parts.ts";
import type { PermissionQuestions } from "./permission-questions.ts";
import { plans } from "./plans.ts";

export type Crew = {
  readonly parts: Parts;
  readonly judge: PermissionPolicy;
  readonly questions: PermissionQuestions;
  readonly providerTimeout: ProviderTimeout | undefined;
  readonly onDelta: ((who: Name, delta: Delta) => void) | undefined;
  readonly kit: Kit;
};

export async function composeAgent(
  crew: Crew,
  profile: Profile,
  seat: Seat,
  team: TeamControl,
  life: () => MemberLoop | undefined,
): Promise<Agent> {
  const { parts, onDelta } = crew;
  const { store, settings, workspace, trees } = parts;
  const { name, kind, role } = profile;
  const [model, fallback, entries] = await Promise.all([
    parts.model(profile.model || (kind === "lead" ? settings.leadModel : undefined) || settings.model),
    settings.fallbackModel ? parts.model(settings.fallbackModel) : undefined,
    store.transcript.current(name),
  ]);
  const { budgetUsd, teammateBudgetUsd } = settings;
  if (budgetUsd !== undefined || teammateBudgetUsd !== undefined)
    await tellUnpriced([model, fallback], store, crew.kit.told);
  const planning = plans(parts, profile);
  const isLead = kind === "lead";
  const common = isLead ? leadTools : teammateTools;
  const placed = trees ? withWorktrees(common, trees, isLead) : common;
  const own = [...acrossTeams(placed, settings), ...(isLead && settings.teams ? teamsTools : [])];
  const conversation = new Conversation(entries);
  // Whoever has needed a tool keeps it: a list that shrinks and grows breaks the provider's cache of the whole conversation.
  const given = new Set<Tool>();
  const give = (tools: readonly Tool[], isNeeded: boolean): void => {
    if (isNeeded) for (const tool of tools) given.add(tool);
  };
  const sinceNeeded = async (): Promise<Iterable<Tool>> => {
    give(jobTools, (await store.jobs.list(kind === "lead" ? null : name, 1)).length > 0);
    give(cronTools, isLead && (await store.crons.list()).length > 0);
    give(longTools, conversation.size > LONG);
    return given;
  };
  /** What it has in a stint: nothing that it cannot need yet, for every tool is paid for in every request. */
  const offered = async (): Promise<readonly Tool[]> => [
    ...own,
    ...(await sinceNeeded()),
    ...(await planning.tools()),
    ...(isLead ? await crew.questions.toolsOfLead() : []),
    ...(parts.mcp ? await mcpTools(parts.mcp, kind, role) : []),
  ];
  let tools = await offered();
  const spool = spoolTo(parts.outputDir);
  const hooks = new MemberHooks(parts.hooks, store, profile);
  const started = await hooks.start(
    entries.length === 0 ? "startup" : "resume",
    AbortSignal.timeout(HOOK_MS),
  );
  const refresh = async (): Promise<void> => await equipped.beginStint?.();
  const agent: Agent = {
    seat,
    kind,
    model,
    fallback,
    store,
    team,
    workspace,
    workspaceOf: trees ? (task) => trees.workspaceOf(task) : undefined,
    clock: parts.clock,
    shell: parts.shell,
    commandTimeoutMs: settings.bashTimeoutMs,
    readable: [parts.outputDir],
    system: systemPrompt({ name, team: store.team, kind, role }, workspace, [
      ...(trees ? [worktreeRules(trees.target, trees.gate, isLead)] : []),
      ...planning.sections,
      ...(started ? [started] : []),
    ]),
    get tools() {
      return new Map(tools.map((tool) => [tool.name, tool]));
    },
    get specs() {
      return tools.map(specOf);
    },
    run: wrapped([
      planGate(profile, refresh),
      aftercare((tool) => equipped.tools.has(tool), refresh),
      ...(trees ? [inWorktrees(trees)] : []),
      permitted(crew.judge),
      hookedCalls(parts.hooks, profile),
      ...(trees ? [landing(trees)] : []),
      budgeted(model.window, spool),
    ]),
    hooks,
    jobs: parts.jobs,
    conversation,
    about: () => life()?.task ?? null,
    context: settings,
    spool,
    providerTimeout: crew.providerTimeout,
    onDelta: onDelta && ((delta) => onDelta(name, delta)),
    beginStint: async () => {
      tools = await offered();
    },
  };
  const equipped = await equip(agent, crew.kit, { role, hasOwnModel: profile.model !== "", entries });
  return equipped;
}

/** Characters of a conversation from which on its member may have it summed up by hand. */
const LONG = 40_000;
/** However long its own timeouts are, a hook does not hold up the start of a member for longer. */
const HOOK_MS = 60_000;

/** Once a process: whoever set a budget in money relies on it. */
async function tellUnpriced(
  models: readonly (Model | undefined)[],
  { journal }: Store,
  told: Set<string>,
): Promise<void> {
  for (const spec of models.flatMap((model) => (model && isUnpriced(model.spec) ? [model.spec] : []))) {
    const text = `No price of ${spec} is known, so a budget in money does not count what it costs. Set a budget in tokens.`;
    if (told.has(text)) continue;
    told.add(text);
    await journal.note([{ type: "warning.raised", who: null, text }]);
  }
}

const spoolTo =
  (folder: string): Spool =>
  async (label, text) => {
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${label.replace(/[^\w.-]+/g, "_").slice(0, 80)}.txt`);
    await writeFile(path, text);
    return path;
  };

const acrossTeams = (tools: readonly Tool[], settings: Settings): readonly Tool[] =>
  settings.mailAcrossTeams === false
    ? tools
    : tools.map((tool) =>
        tool.name === "send_message" ? sendMessageAcross((team) => mayMail(settings, team)) : tool,
      );
