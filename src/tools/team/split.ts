/** A teammate splits its task into parts and continues with it when they have ended. */
import { z } from "zod";
import type { NewTask } from "../../core/board/task.ts";
import { given } from "../../core/given.ts";
import { defineTool } from "../define.ts";
import { maybe, text, whole } from "../inputs.ts";
import { own } from "./claims.ts";

export const splitTask = defineTool({
  name: "split_task",
  description: "Split your task. It waits for its parts, then is yours again.",
  access: "team",
  effect: "splits",
  input: () =>
    z.strictObject({
      parts: z
        .array(
          z.strictObject({
            subject: text,
            description: maybe.text,
            after: z.array(whole).optional().describe("parts, from 1"),
          }),
        )
        .optional(),
      note: text.describe("done, left"),
    }),
  subject: ({ parts = [] }) => parts.map((part) => part.subject).join("; "),
  run: async ({ parts = [], note }, ctx) => {
    const task = await own(undefined, ctx);
    const tasks = parts.map(
      ({ subject, description, after = [] }): NewTask => ({
        subject,
        ...given({ description }),
        blockedBy: after.map((nth) => ({ nth: nth - 1 })),
      }),
    );
    let said = "";
    const held = { seat: ctx.seat, task: task.id, attempt: task.attempt };
    await ctx.store.board.split(held, tasks, note, (added) => {
      const names = added.map(({ id, subject }) => `#${id} ${subject}`).join(", ");
      said = `#${task.id} waits for its parts${names && `: ${names}`}. It comes back to you when they have ended, or when one of them fails. End your turn to get the next task, or claim a part.`;
      return ctx.answer(said);
    });
    return said;
  },
});
