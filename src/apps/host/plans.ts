/** Which members are offered the tools of plan approval: those who need them at this moment, for every tool is paid for. */
import { PLANS_FIRST } from "../../core/conversation/prompt.ts";
import { LEAD } from "../../core/ids.ts";
import type { Profile } from "../../core/member.ts";
import type { Tool } from "../../ports/index.ts";
import { planTools } from "../../tools/index.ts";
import type { Parts } from "./parts.ts";

export function plans(
  { store, settings }: Pick<Parts, "store" | "settings">,
  { name, kind, needsPlan }: Profile,
): { readonly sections: readonly string[]; tools(): Promise<Tool[]> } {
  const submit = planTools.submit(settings.planDeadlineMs);
  const wanted = async (): Promise<Tool[]> => {
    if (kind === "teammate") return needsPlan || (await store.board.mine(name))?.needsPlan ? [submit] : [];
    const [members, waiting] = await Promise.all([
      store.roster.members(),
      store.requests.open({ of: LEAD, kind: "plan" }),
    ]);
    const hasTeammates = members.some((one) => one.kind === "teammate" && one.activity.phase !== "shutdown");
    return [...(hasTeammates ? [planTools.request] : []), ...(waiting.length > 0 ? [planTools.review] : [])];
  };
  // Whoever has needed a tool keeps it: what it remembers of it stays true, and the provider's cache holds.
  const given = new Set<Tool>();
  return {
    sections: needsPlan ? [PLANS_FIRST] : [],
    async tools() {
      for (const tool of await wanted()) given.add(tool);
      return [...given];
    },
  };
}
