/** Plan approval: the gate, and its tools for the members that need them now. */
import { PLANS_FIRST } from "../../../core/conversation/prompt.ts";
import { LEAD } from "../../../core/ids.ts";
import { planGate } from "../../../runtime/wraps/plan-approval.ts";
import { planTools } from "../../../tools/index.ts";
import type { MakeFeature } from "../setup.ts";

export const planApproval: MakeFeature = ({ parts: { store, settings }, profile }) => {
  const { name, kind, needsPlan } = profile;
  const submit = planTools.submit(settings.planDeadlineMs);
  return {
    section: () => (needsPlan ? PLANS_FIRST : ""),
    wrap: planGate(profile),
    toolsOnceNeeded: async () => {
      if (kind === "teammate") return needsPlan || (await store.board.mine(name))?.needsPlan ? [submit] : [];
      const [members, waiting] = await Promise.all([
        store.roster.members(),
        store.requests.open({ of: LEAD, kind: "plan" }),
      ]);
      const hasTeammates = members.some(
        (one) => one.kind === "teammate" && one.activity.phase !== "shutdown",
      );
      return [
        ...(hasTeammates ? [planTools.request] : []),
        ...(waiting.length > 0 ? [planTools.review] : []),
      ];
    },
  };
};
