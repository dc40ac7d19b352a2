/** Subagents: a member gives a job to a fresh conversation. */
import { guidance } from "../../core/conversation/prompt.ts";
import { skillCatalogue } from "../../core/project/skill.ts";
import type { Feature } from "../../runtime/agent/agent.ts";
import { subagents as delegating, report, type SubagentParts } from "../../runtime/turn/subagent.ts";
import { taskTool } from "../../tools/subagent.ts";
import type { Models } from "../parts.ts";
import type { Setup } from "../setup.ts";

type SubagentSetup = Pick<Setup, "files" | "onCost"> & {
  readonly parts: Pick<Setup["parts"], "surroundings"> & { readonly models: Pick<Models, "open"> };
};

export const delegationParts = ({ files, onCost, parts }: SubagentSetup): SubagentParts => ({
  model: parts.models.open,
  sections: async (model) => {
    const { environment, project } = await parts.surroundings(model);
    return [
      { place: "system", about: "", text: guidance("subagent", environment) },
      { place: "shared", about: "", text: project },
      { place: "shared", about: "", text: files.library.rules },
      { place: "shared", about: "", text: skillCatalogue(files.library.skills) },
    ];
  },
  roles: () => files.library.roles,
  onTurn: onCost,
});

export const subagents = (setup: SubagentSetup): Feature => {
  const delegate = delegating(delegationParts(setup));
  const { roles } = setup.files.library;
  return {
    tools: (agent) => [taskTool(async (job, ctx) => report(await delegate(agent, job, ctx)), roles)],
  };
};
