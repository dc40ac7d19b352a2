/** The models with which a team starts: that of the lead, and that of the members that name none. */

import type { AgentProgram } from "../../adapters/agents/look.ts";
import { chooseModel } from "../../adapters/models/index.ts";
import { EkidenError, isEkidenError } from "../../core/errors.ts";
import type { Embedded } from "../../core/project/runbook.ts";
import { agentLine } from "../../core/settings/agent-line.ts";
import type { Settings } from "../../core/settings/settings.ts";

/** The embedded model, which only runs the steps of runbooks: there is no other. */
const NO_MODEL = "runbook";

/** The model that a member has for good; "" where it follows the start, as one does that joined without a model. */
export const lastingModel = (model: string): string => (model === NO_MODEL ? "" : model);

export type Choosing = {
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
  /** The project. */
  readonly folder: string;
  readonly embedded?: Embedded;
};

/** An agent program that could lead. */
export type Ready = Pick<AgentProgram, "name" | "title">;

export type UsualModels = {
  /** With the model that was found, where the environment does not say it by itself. */
  readonly settings: Settings;
  readonly lead: string;
  /** The model of new members: "" follows the settings, "runbook" keeps the embedded one, or an agent program. */
  readonly ofNew: string;
  /** One sentence about what was found; "" where the person has named it. */
  readonly said: string;
};

/**
 * `ofStore`: the model of the lead of a team that continues; "" follows the settings.
 * @throws EkidenError `model_missing` with what to set, or when the agent program is not there
 */
export async function usualModels(choosing: Choosing, ofStore = ""): Promise<UsualModels> {
  const { settings, env, folder } = choosing;
  const isFree = settings.lead === undefined && settings.model === undefined;
  const found = isFree ? await foundOr(choosing, ofStore) : await usualModel(choosing);
  const kept = isFree && found.spec === ofStore ? ofStore : "";
  const { spec } = found;
  const lead = settings.lead ?? spec;
  for (const line of new Set([lead, spec].map(agentLine)))
    if (line) await (await import("../../adapters/agents/launch.ts")).agentProgram(line, { folder, env });
  const isOwn = kept === "" && agentLine(spec) === null && spec !== settings.lead;
  return {
    settings: isOwn ? settings : { ...settings, model: spec },
    lead,
    ofNew: agentLine(spec) || spec === NO_MODEL ? spec : "",
    said: found.said,
  };
}

/** The model of a store continues, but the lack of one does not: what is found now counts. */
async function foundOr(choosing: Choosing, ofStore: string): ReturnType<typeof usualModel> {
  if (ofStore !== "" && ofStore !== NO_MODEL) return { spec: ofStore, said: "" };
  try {
    return await usualModel(choosing);
  } catch (error) {
    if (ofStore === NO_MODEL && isEkidenError(error, "model_missing")) return { spec: NO_MODEL, said: "" };
    throw error;
  }
}

/**
 * The setting, a key, an Ollama that answers, the embedded model for a runbook, the lead's own, and at last the agent program that is
 * ready on this machine, where it is the only one. @throws EkidenError `model_missing` with what to set; `details.programs` are those
 * that are ready (`Ready`)
 */
export async function usualModel({
  settings,
  env,
  folder,
  embedded = false,
}: Choosing): Promise<{ readonly spec: string; readonly said: string }> {
  try {
    const spec = await chooseModel({ env, setting: settings.model, runbook: embedded === true });
    return { spec, said: "" };
  } catch (error) {
    if (!isEkidenError(error, "model_missing")) throw error;
    if (settings.lead !== undefined) return { spec: settings.lead, said: "" };
    const { agentPrograms } = await import("../../adapters/agents/look.ts");
    const programs = await agentPrograms({ folder, env });
    const ready = programs.filter(({ state }) => state === "ready");
    const [only] = ready;
    if (only && ready.length === 1)
      return {
        spec: `agent:${only.name}`,
        said: `No key is set, so ${only.title}, which is installed here and logged in, is the model of all members. Another one: --lead, --model or ekiden agents.`,
      };
    if (embedded === "last") return { spec: NO_MODEL, said: "" };
    const several = ready.map(({ name, title }) => ({ name, title }));
    throw new EkidenError("model_missing", withPrograms(error.message, programs), {
      details: { programs: several },
    });
  }
}

/** The choice of several programs, or what is missing of those that are installed. */
function withPrograms(message: string, programs: readonly AgentProgram[]): string {
  const ready = programs.filter(({ state }) => state === "ready");
  if (ready.length > 1) {
    const flags = ready.map(({ name, title }) => `--lead ${name} (${title})`);
    return `No model is configured, and ${ready.length} agent programs are ready. Choose one: ${flags.join(", ")}. For the next starts: "lead": "${ready[0]?.name}" in your settings.`;
  }
  const lacking = programs.filter(({ state }) => state !== "absent" && state !== "ready");
  if (programs.every(({ state }) => state === "absent"))
    return `${message} Or install an agent program that you have a login of, such as Claude Code: ekiden agents shows how.`;
  const lines = lacking.map(({ title, missing }) => `${title} is installed, but not ready: ${missing[0]}`);
  return [message, ...lines].join("\n");
}
