/** Refuses tasks that come from tasks of tasks of tasks: a team that adds work to itself has no end. */

import { depthOf, lastTaskOf, ROOTS } from "../../core/board/task-depth.ts";
import { notPermitted } from "../../core/errors.ts";
import type { Wrap } from "../agent/call.ts";

/** `deepest`: so many tasks from one of the person, which has 0. */
export const depthLimit =
  (deepest: number): Wrap =>
  (next) =>
  async (call) => {
    const { tool, ctx } = call;
    if (tool.effect !== "creates" && tool.effect !== "splits") return next(call);
    const own = await ctx.currentTask();
    if (own && ROOTS.has(own.createdBy)) return next(call);
    const tasks = await ctx.store.board.tasks();
    const from = own ?? lastTaskOf(ctx.self, tasks);
    if (from && depthOf(from, tasks) >= deepest)
      throw notPermitted(
        `No task was added: #${from.id}, from which it would come, is ${deepest} tasks away from one of the person, the limit of the setting taskDepth. Do what is left as part of your task, or tell the lead what is left to do.`,
      );
    return next(call);
  };
