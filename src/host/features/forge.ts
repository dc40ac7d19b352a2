/** With a forge, teammates answer the reviews of their pull requests. */
import type { MakeFeature } from "../setup.ts";

export const forge: MakeFeature = async ({ parts: { settings }, profile }) => {
  if (settings.forge === undefined || profile.kind === "lead") return null;
  const tools = [(await import("../../tools/team/answer-review.ts")).answerReview];
  return { tools: () => tools };
};
