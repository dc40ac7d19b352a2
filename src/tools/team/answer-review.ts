/** A member answers what a review of its pull request asks; the answers are posted after the next push. */
import { z } from "zod";
import { ANSWERS } from "../../core/forge/memory.ts";
import { defineTool } from "../define.ts";
import { text } from "../inputs.ts";
import { own } from "./claims.ts";

export const answerReview = defineTool({
  name: "answer_review",
  description:
    "Answer one question of the review of your task, such as R1. Posted when you complete the task.",
  access: "team",
  input: () =>
    z.strictObject({
      label: text.describe("R1"),
      how: z.enum(ANSWERS).describe("changed; declined, with the reason; asked back"),
      text,
    }),
  subject: ({ label, how }) => `${label} ${how}`,
  run: async ({ label, how, text: said }, ctx) => {
    const task = await own(undefined, ctx);
    const claim = { seat: ctx.seat, task: task.id, attempt: task.attempt };
    const left = await ctx.store.forge.answer(claim, label.trim().toUpperCase(), { how, text: said });
    return left.length > 0
      ? `Noted. Still without an answer: ${left.join(", ")}.`
      : "Noted. All are answered: complete_task posts them.";
  },
});
