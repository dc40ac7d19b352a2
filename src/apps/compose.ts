/**
 * How a member is put together, from top to bottom: its model, its tools, the wraps around them, its prompt, its
 * conversation. The only place that constructs any of it.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mcp } from "../adapters/mcp/index.ts";
import { Conversation } from "../core/conversation.ts";
import type { Name } from "../core/ids.ts";
import type { Profile, Seat } from "../core/member.ts";
import { systemPrompt } from "../core/prompt.ts";
import type { Delta, TeamControl, Tool } from "../ports/index.ts";
import { permitted, wrapped } from "../runtime/call.ts";
import type { Life } from "../runtime/life.ts";
import type { Patience } from "../runtime/outage.ts";
import { budgeted, type Spool } from "../runtime/spool.ts";
import type { Agent } from "../runtime/turn.ts";
import { leadTools, specOf, teammateTools } from "../tools/index.ts";
import { equip, type Kit } from "./equip.ts";
import type { Judges } from "./judge.ts";
import { mcpTools } from "./mcp.ts";
import type { Parts } from "./parts.ts";

export type Crew = {
  readonly parts: Parts;
  readonly judges: Judges;
  readonly patience: Patience | undefined;
  readonly onDelta: ((who: Name, delta: Delta) => void) | undefined;
  readonly kit: Kit;
  /** Null where the project names no MCP servers. */
  readonly mcp: Mcp | null;
};

export async function composeAgent(
  crew: Crew,
  profile: Profile,
  seat: Seat,
  team: TeamControl,
  life: () => Life | undefined,
): Promise<Agent> {
  const { parts, onDelta } = crew;
  const { store, settings, workspace } = parts;
  const { name, kind, role } = profile;
  const [model, fallback, entries] = await Promise.all([
    parts.model(profile.model || (kind === "lead" ? settings.leadModel : undefined) || settings.model),
    settings.fallbackModel ? parts.model(settings.fallbackModel) : undefined,
    store.transcript.current(name),
  ]);
  const own = kind === "lead" ? leadTools : teammateTools;
  const served = async (): Promise<readonly Tool[]> =>
    crew.mcp ? [...own, ...(await mcpTools(crew.mcp, kind, role))] : own;
  let tools = await served();
  const spool = spoolTo(parts.outputDir);
  const agent: Agent = {
    seat,
    kind,
    model,
    fallback,
    store,
    team,
    workspace,
    clock: parts.clock,
    shell: parts.shell,
    readable: [parts.outputDir],
    system: systemPrompt({ name, team: store.team, kind, role }, workspace),
    get tools() {
      return new Map(tools.map((tool) => [tool.name, tool]));
    },
    get specs() {
      return tools.map(specOf);
    },
    run: wrapped([permitted(crew.judges.judge), budgeted(model.window, spool)]),
    conversation: new Conversation(entries),
    about: () => life()?.task ?? null,
    context: settings,
    spool,
    patience: crew.patience,
    onDelta: onDelta && ((delta) => onDelta(name, delta)),
    beginStint: async () => {
      tools = await served();
    },
  };
  return await equip(agent, crew.kit, { role, hasOwnModel: profile.model !== "", entries });
}

const spoolTo =
  (folder: string): Spool =>
  async (label, text) => {
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${label.replace(/[^\w.-]+/g, "_").slice(0, 80)}.txt`);
    await writeFile(path, text);
    return path;
  };
