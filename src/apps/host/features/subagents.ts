/** Subagents: a member gives a job to a fresh conversation. */
import { skillCatalogue } from "../../../core/project/skill.ts";
import type { Feature } from "../../../runtime/agent/feature.ts";
import { subagents as delegating } from "../../../runtime/turn/subagent.ts";
import { taskTool } from "../../../tools/subagent.ts";
import type { Setup } from "../setup.ts";

type SubagentSetup = Pick<Setup, "files" | "onCost"> & { readonly parts: Pick<Setup["parts"], "model"> };

export const subagents = ({ files, onCost, parts }: SubagentSetup): Feature => {
  const delegate = delegating({
    model: parts.model,
    sections: () => [files.library.rules, skillCatalogue(files.library.skills)],
    roles: () => files.library.roles,
    onTurn: (member, { tokens, usd }) => onCost(member, tokens, usd),
  });
  return {
    tools: (agent) => [taskTool((job, ctx) => delegate(agent, job, ctx), files.library.roles)],
  };
};
