/** Holds back a completion until what was changed has been run once, see core/board/exit-check.ts. */
import type { ExitCheck } from "../../core/board/exit-check.ts";
import { completedBy, type Wrap } from "../agent/call.ts";

/** For one member and its subagents. */
export const checkedAtExit =
  (check: ExitCheck): Wrap =>
  (next) =>
  async (call) => {
    const { tool, input, access, ctx } = call;
    if (tool.effect === "completes") {
      const task = await completedBy(call);
      const isOwn = task?.status === "in_progress" && task.owner === ctx.self;
      const question = isOwn ? check.question(task) : null;
      if (question !== null) throw new Error(question);
    }
    const text = await next(call);
    check.observe(access, tool.writes?.(input) ?? []);
    return text;
  };
