/** The review of tasks before they are completed, by a subagent that only reads. */

import { REVIEWER } from "../../core/board/review.ts";
import { readsProse } from "../../core/conversation/compaction.ts";
import { roleNamed } from "../../core/project/role.ts";
import { agentLine } from "../../core/settings/agent-line.ts";
import { effortFor } from "../../core/settings/effort.ts";
import type { Model } from "../../ports/index.ts";
import type { Agent } from "../../runtime/agent/agent.ts";
import { subagents as delegating } from "../../runtime/turn/subagent.ts";
import { reviewed } from "../../runtime/wraps/review.ts";
import { thinking } from "../models/member-effort.ts";
import type { MakeFeature } from "../setup.ts";
import { delegationParts } from "./subagents.ts";

export const review: MakeFeature = (setup) => {
  const { parts, files } = setup;
  const { settings } = parts;
  // Nobody asked a model without prose to review, and it could not.
  const isOff = settings.review === "all" && !readsProse(setup.model.window);
  if (isOff || settings.review === "none") return null;
  const delegate = delegating(delegationParts(setup));
  const model = async (usual: Model): Promise<Model> => {
    // The model of a guest, or of an agent program, waits for the end of this call.
    const isProgram = usual.spec === "mcp" || agentLine(usual.spec) !== null;
    const chosen = isProgram ? await parts.models.open(settings.model) : usual;
    if (readsProse(chosen.window))
      return thinking(chosen, () => Promise.resolve(effortFor(settings.effort, REVIEWER, "review")));
    throw new Error(
      `${chosen.spec} reads no prose, so it cannot review (a role "${REVIEWER}" may name a model)`,
    );
  };
  let owner: Agent | undefined;
  return {
    tools: (agent) => {
      owner = agent;
      return [];
    },
    wrap: reviewed({
      setting: settings.review,
      rounds: settings.reviewRounds,
      reviewer: async (prompt, ctx) => {
        if (!owner) throw new Error("its member has not begun");
        const role = roleNamed(files.library.roles, REVIEWER)?.name ?? "";
        return await delegate(owner, { prompt, readOnly: true, role, model }, ctx);
      },
      changes: parts.taskChanges,
      signals: async (diff) => {
        const { signsIn } = await import("../../core/gate/tampering.ts");
        return await signsIn(diff, settings.judges);
      },
    }),
  };
};
