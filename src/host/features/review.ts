/** The review of tasks before they are completed, by a subagent that only reads. */

import { REVIEWER } from "../../core/board/review.ts";
import { readsProse } from "../../core/conversation/compaction.ts";
import { roleNamed } from "../../core/project/role.ts";
import { agentLine } from "../../core/settings/agent-line.ts";
import { effortFor } from "../../core/settings/effort.ts";
import type { Model } from "../../ports/index.ts";
import type { Agent, Feature } from "../../runtime/agent/agent.ts";
import { subagents as delegating } from "../../runtime/turn/subagent.ts";
import { type ReviewParts, reviewed } from "../../runtime/wraps/review.ts";
import { thinking } from "../models/member-effort.ts";
import type { MakeFeature, Setup } from "../setup.ts";
import { delegationParts } from "./subagents.ts";

/** The reviewers of a member: subagents of it. They begin when the member has its tools. */
export type Reviewer = {
  readonly tools: NonNullable<Feature["tools"]>;
  readonly reviewer: ReviewParts["reviewer"];
  /** Whether a model can be had that reads prose. */
  readonly canReview: () => Promise<boolean>;
};

export function reviewerOf(setup: Setup): Reviewer {
  const { parts, files } = setup;
  const { settings } = parts;
  const delegate = delegating(delegationParts(setup));
  const roleOf = () => roleNamed(files.library.roles, REVIEWER);
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
    reviewer: async (prompt, ctx) => {
      if (!owner) throw new Error("its member has not begun");
      return await delegate(owner, { prompt, readOnly: true, role: roleOf()?.name ?? "", model }, ctx);
    },
    canReview: async () => {
      try {
        const own = roleOf()?.model;
        await model(own ? await parts.models.open(own) : setup.model);
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** The signals that the lines of a change show. */
export const signalsIn =
  ({ parts: { settings } }: Setup): ReviewParts["signals"] =>
  async (diff) => {
    const { signsIn } = await import("../../core/gate/tampering.ts");
    return await signsIn(diff, settings.judges);
  };

export const review: MakeFeature = (setup) => {
  const { parts, model } = setup;
  const { settings } = parts;
  // Nobody asked a model without prose to review, and it could not.
  const isOff = settings.review === "all" && !readsProse(model.window);
  if (isOff || settings.review === "none") return null;
  const { tools, reviewer } = reviewerOf(setup);
  return {
    tools,
    wrap: reviewed({
      setting: settings.review,
      rounds: settings.reviewRounds,
      reviewer,
      changes: parts.taskChanges,
      signals: signalsIn(setup),
    }),
  };
};
