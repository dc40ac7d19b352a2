/**
 * Plan approval as a gate in code: a teammate that must plan changes nothing before its plan for this task and attempt is approved.
 * Reading and talking stay free. Every `bash` command is refused, also one that only reads: the reading tools are enough for a plan,
 * and "no commands before the plan" is easy to trust.
 */

import type { Profile } from "../../core/board/member.ts";
import type { Claimed } from "../../core/board/task.ts";
import { type EkidenError, notPermitted } from "../../core/errors.ts";
import type { Request, Tool } from "../../ports/index.ts";
import type { Wrap } from "../agent/call.ts";

/** For one member and its subagents. */
export function planGate({ kind, needsPlan }: Pick<Profile, "kind" | "needsPlan">): Wrap {
  let approved = "";
  return (next) => async (call) => {
    const { tool, ctx } = call;
    if (kind === "lead" || !isGated(tool)) return next(call);
    const task = await ctx.currentTask();
    if (!needsPlan && !task?.needsPlan) return next(call);
    if (!task)
      throw refused(tool, "you must plan first, and you have no task to plan. Claim one, then submit_plan.");
    const attempt = `${task.id}.${task.attempt}`;
    if (approved !== attempt) {
      const plan = await ctx.store.requests.planFor(task.id, task.attempt);
      if (plan?.state !== "answered" || !plan.answer?.yes) throw refused(tool, whyNot(task, plan));
      approved = attempt;
    }
    return next(call);
  };
}

const isGated = ({ access, effect }: Tool): boolean =>
  access === "write" || access === "exec" || effect === "completes";

const refused = (tool: Tool, why: string): EkidenError =>
  notPermitted(`${tool.name} is not permitted yet: ${why}`);

function whyNot({ id, attempt }: Claimed, plan: Request | null): string {
  const which = `#${id} (attempt ${attempt})`;
  const again = "Change it and submit_plan again";
  switch (plan?.state) {
    case undefined:
    case "withdrawn":
      return `${which} needs an approved plan. Look with read_file, glob and grep, then submit_plan.`;
    case "open":
      return `your plan for ${which} waits for its answer, which comes as mail. End your turn.`;
    case "expired":
      return `nobody answered your plan for ${which} in time. submit_plan again, or release_task.`;
    case "answered":
      return `your plan for ${which} was rejected: ${plan.answer?.text || "no reason was given."} ${again}.`;
  }
}
