/**
 * Hooks around tool calls. They run inside of the permissions: a hook is only asked about an allowed call, so it cannot override a
 * deny.
 *
 * A completion that a hook blocks is refused with the evidence, and the task stays with its owner. The hook runs before the
 * transaction that completes the task, so no other task starts on work that did not pass. After three refusals the task fails.
 */

import type { Profile } from "../../core/board/member.ts";
import { REFUSALS_MAX, type Task } from "../../core/board/task.ts";
import { notPermitted } from "../../core/errors.ts";
import { HARNESS } from "../../core/ids.ts";
import type { HookEvent } from "../../core/project/hooks.ts";
import type { CompletionInput, NewTaskInput, SplitInput } from "../../ports/index.ts";
import { type Call, completedBy, type Wrap } from "../agent/call.ts";
import type { HookOutcome, Hooks } from "../hooks/hooks.ts";

type Who = Pick<Profile, "name" | "kind" | "role">;
/** Runs the hooks of one event of one call. */
type RunHook = (
  event: HookEvent,
  details: Record<string, unknown>,
  subject?: string | null,
) => Promise<HookOutcome>;

const NOTHING: HookOutcome = { blocked: null, context: "" };

/** For all calls of one member and its subagents. */
export function hookedCalls(hooks: Hooks, who: Who): Wrap {
  return (next) => async (call) => {
    const { tool, ctx } = call;
    const about = { tool: tool.name, tool_name: tool.name, input: call.input, tool_input: call.input };
    const ask: RunHook = (event, facts, subject = null) =>
      hooks.run({
        event,
        subject,
        who,
        details: { ...facts, workspace: ctx.workspace, ...(ctx.kind === "subagent" && { kind: ctx.kind }) },
        signal: ctx.signal,
      });
    refuse((await ask("PreToolUse", about, tool.name)).blocked);
    if (tool.effect === "creates") await beforeCreation(call.input as NewTaskInput, ask);
    if (tool.effect === "splits")
      for (const part of (call.input as SplitInput).parts ?? []) await beforeCreation(part, ask);
    if (tool.effect === "completes") await beforeCompletion(call, ask);
    let recorded = false;
    const answer = (text: string) => {
      recorded = true;
      return ctx.answer(text);
    };
    const text = await next({ ...call, ctx: { ...ctx, answer } });
    const said = ask("PostToolUse", { ...about, output: text, tool_response: text }, tool.name);
    // An answer that is in the transcript already cannot be replaced by an interruption.
    const { blocked: refused, context } = await (recorded ? said.catch(() => NOTHING) : said);
    const blocked = refused ?? context;
    if (blocked === "") return text;
    const feedback = `[A hook says about this ${tool.name}: ${blocked}]`;
    if (!recorded) return `${text}\n\n${feedback}`;
    await ctx.store.mail.send(HARNESS, { to: ctx.self, body: { kind: "note", text: feedback } });
    return text;
  };
}

function refuse(feedback: string | null): void {
  if (feedback !== null) throw notPermitted(`A hook refuses this: ${feedback}`);
}

async function beforeCreation(input: NewTaskInput, ask: RunHook): Promise<void> {
  const { subject = "", description = "" } = input;
  const task = { subject, description };
  refuse((await ask("TaskCreated", { task, task_subject: subject, task_description: description })).blocked);
}

async function beforeCompletion(call: Call, ask: RunHook): Promise<void> {
  const { ctx } = call;
  const { result = "" } = call.input as CompletionInput;
  const task = await completedBy(call);
  if (task?.status !== "in_progress") return; // the tool says what is wrong
  const { blocked } = await ask("TaskCompleted", { ...aboutTask(task), result });
  if (blocked === null) return;
  if (task.owner === ctx.self) {
    const failure = `Its completion was refused ${REFUSALS_MAX} times. The last time by a hook: ${blocked}`;
    const claim = { seat: ctx.seat, task: task.id, attempt: task.attempt };
    const nth = await ctx.store.board.refuse(claim, { why: "hook", evidence: blocked, failure });
    if (nth >= REFUSALS_MAX) throw notPermitted(`#${task.id} has failed. ${failure}`);
  }
  throw notPermitted(
    `A hook refuses the completion of #${task.id}: ${blocked}\nIt is still in progress: fix that, then complete it again.`,
  );
}

/** A task as hooks see it. */
export const aboutTask = (task: Task): Record<string, unknown> => ({
  task: {
    id: task.id,
    subject: task.subject,
    description: task.description,
    attempt: task.attempt,
    created_by: task.createdBy,
  },
  task_id: String(task.id),
  task_subject: task.subject,
  task_description: task.description,
});
