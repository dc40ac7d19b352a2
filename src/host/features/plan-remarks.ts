/** Remarks on the board for a lead that has planned: one mail at the end of its turn, of what it was not told before. */
import { readsProse } from "../../core/conversation/compaction.ts";
import { HARNESS, LEAD } from "../../core/ids.ts";
import type { MakeFeature } from "../setup.ts";

export const planRemarks: MakeFeature = ({ parts: { store }, profile, model }) => {
  if (profile.kind !== "lead" || !readsProse(model.window)) return null;
  let isPlanned = false;
  const told = new Set<string>();
  return {
    wrap: (next) => async (call) => {
      const text = await next(call);
      isPlanned ||= call.tool.effect === "creates" || call.tool.effect === "replans";
      return text;
    },
    onStintEnd: async () => {
      if (!isPlanned) return;
      isPlanned = false;
      const { remarksOn } = await import("../../core/plan/remarks.ts");
      const [board, members] = await Promise.all([store.board.tasks(), store.roster.members()]);
      const crew = members.filter(({ name, activity }) => name !== LEAD && activity.phase !== "shutdown");
      const remarks = remarksOn(board, crew).filter((one) => !told.has(one));
      if (remarks.length === 0) return;
      for (const one of remarks) told.add(one);
      const text = `Remarks on the board. Correct those that are right, and leave the others:\n${remarks.map((one) => `- ${one}`).join("\n")}`;
      await store.mail.send(HARNESS, { to: LEAD, body: { kind: "note", text } });
    },
  };
};
