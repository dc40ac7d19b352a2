/** Plan approval: the gate, and its tools. A member may also plan when it was not asked to, and the lead may ask at any time. */
import { PLANS_FIRST } from "../../core/conversation/prompt.ts";
import { planGate } from "../../runtime/wraps/plan-approval.ts";
import { planTools } from "../../tools/index.ts";
import type { MakeFeature } from "../setup.ts";

export const planApproval: MakeFeature = ({ parts: { settings }, profile }) => {
  const { kind, needsPlan } = profile;
  const tools =
    kind === "teammate" ? [planTools.submit(settings.planDeadlineMs)] : [planTools.request, planTools.review];
  return {
    sections: () => [{ place: "own", about: "", text: needsPlan ? PLANS_FIRST : "" }],
    wrap: planGate(profile),
    tools: () => tools,
  };
};
