/**
 * Runs the check of a task: before the first call of an attempt, so that its owner learns whether the work is done already, and at
 * the completion, which a red check refuses. The command is a call of the member's shell tool: it goes through the permissions and the
 * hooks, and runs where the member's own commands run and as confined as they.
 */
import { checkOf } from "../../core/project/mark.ts";
import type { CompletionInput } from "../../ports/index.ts";
import { completedBy, type Wrap } from "../agent/call.ts";
import type { TaskCheckParts } from "./run-check.ts";

const NONE = { attempt: "", note: Promise.resolve("") };

/** For one member and its subagents. */
export function checkedTasks(parts: TaskCheckParts): Wrap {
  /** The attempt that was looked at last, and what its check says. */
  let begun = NONE;
  return (next) => async (call) => {
    const { tool, ctx, input } = call;
    const isEnd = tool.effect === "completes";
    if (tool.effect !== undefined && !(isEnd && !(input as CompletionInput).override))
      return await next(call);
    const task = isEnd ? await completedBy(call) : await ctx.currentTask();
    const command =
      task?.status === "in_progress" && task.owner === ctx.self ? checkOf(task.description) : null;
    if (command === null || task?.status !== "in_progress") return await next(call);
    // Before its plan is approved nothing is run.
    if (!isEnd && task.needsPlan) return await next(call);
    const { atClaim, completing } = await import("./run-check.ts");
    const run = { parts, next, call, task, command };
    if (isEnd) return await completing(run);
    const attempt = `${task.id}.${task.attempt}`;
    const isFirst = begun.attempt !== attempt;
    if (isFirst) {
      begun = { attempt, note: atClaim(run) };
      // It was interrupted: the next call runs it again.
      begun.note.catch(() => {
        begun = NONE;
      });
    }
    const note = await begun.note;
    const text = await next(call);
    return isFirst && note !== "" ? `${text}\n\n${note}` : text;
  };
}
