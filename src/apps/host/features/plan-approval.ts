/** Plan approval: the gate, and its tools. A member may also plan when it was not asked to, and the lead may ask at any time. */
import { PLANS_FIRST } from "../../../core/conversation/prompt.ts";
import { LEAD } from "../../../core/ids.ts";
import { planGate } from "../../../runtime/wraps/plan-approval.ts";
import { planTools } from "../../../tools/index.ts";
import type { MakeFeature } from "../setup.ts";

export const planApproval: MakeFeature = ({ parts: { store, settings }, profile }) => {
  const { kind, needsPlan } = profile;
  const submit = planTools.submit(settings.planDeadlineMs);
  return {
    section: () => (needsPlan ? PLANS_FIRST : ""),
    wrap: planGate(profile),
    tools: () => (kind === "teammate" ? [submit] : [planTools.request]),
    toolsOnceNeeded: async () => {
      if (kind === "teammate") return [];
      const waiting = await store.requests.open({ of: LEAD, kind: "plan" });
      return waiting.length > 0 ? [planTools.review] : [];
    },
  };
};
