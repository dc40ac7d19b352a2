/**
 * Hooks around the calls of tools. It stands inside of the permissions: hooks are only asked about what is allowed, so that the
 * yes of one can override no deny.
 *
 * A completion that a hook blocks is refused with the evidence, and the task stays with its owner: asked before the transaction
 * that completes it, nothing that waits for the task can begin on work that did not pass. After three refusals it has failed.
 */
import { EkidenError, isEkidenError } from "../../core/errors.ts";
import { HARNESS, taskId } from "../../core/ids.ts";
import type { Profile } from "../../core/member.ts";
import type { HookEvent } from "../../core/project/hooks.ts";
import { Blocks, MOST_BLOCKS } from "../../core/project/hooks.ts";
import type { Task } from "../../core/task.ts";
import type { ToolContext } from "../../ports/index.ts";
import type { Call, Wrap } from "../agent/call.ts";
import type { HookOutcome, Hooks } from "../hooks/hooks.ts";

type Who = Pick<Profile, "name" | "kind" | "role">;
/** One event of one call: a hook has its say. */
type RunHook = (
  event: HookEvent,
  details: Record<string, unknown>,
  subject?: string | null,
) => Promise<HookOutcome>;

const NOTHING: HookOutcome = { blocked: null, context: "" };

/** For all calls of one member and its subagents. */
export function hookedCalls(hooks: Hooks, who: Who): Wrap {
  const refusals = new Blocks();
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
    if (tool.name === "create_task") await beforeCreation(call, ask);
    if (tool.name === "complete_task") await beforeCompletion(call, ask, refusals);
    let recorded = false;
    const answer = (text: string) => {
      recorded = true;
      return ctx.answer(text);
    };
    const text = await next({ ...call, ctx: { ...ctx, answer } });
    const said = ask("PostToolUse", { ...about, output: text, tool_response: text }, tool.name);
    // What is in the transcript already cannot be answered a second time, with an interruption.
    const { blocked: refused, context } = await (recorded ? said.catch(() => NOTHING) : said);
    const blocked = refused ?? context;
    if (blocked === "") return text;
    const feedback = `[A hook says about this ${tool.name}: ${blocked}]`;
    if (!recorded) return `${text}\n\n${feedback}`;
    // The answer is in the transcript already, written with what it tells of.
    await ctx.store.mail.send(HARNESS, { to: ctx.self, body: { kind: "note", text: feedback } });
    return text;
  };
}

function refuse(feedback: string | null): void {
  if (feedback !== null) throw new EkidenError("not_permitted", `A hook refuses this: ${feedback}`);
}

async function beforeCreation({ input }: Call, ask: RunHook): Promise<void> {
  const { subject = "", description = "" } = input as { subject?: string; description?: string };
  const task = { subject, description };
  refuse((await ask("TaskCreated", { task, task_subject: subject, task_description: description })).blocked);
}

async function beforeCompletion({ input, ctx }: Call, ask: RunHook, refusals: Blocks): Promise<void> {
  const { id, result = "" } = input as { id?: string | number; result?: string };
  const task =
    id === undefined ? await ctx.store.board.mine(ctx.self) : await ctx.store.board.task(taskId(id));
  if (task?.status !== "in_progress") return; // the tool says what is wrong
  const { blocked } = await ask("TaskCompleted", { ...aboutTask(task), result });
  const key = `#${task.id}.${task.attempt}`;
  if (blocked === null) return refusals.pass(key);
  const left = task.owner === ctx.self && refusals.block(key) === "again";
  if (left || task.owner !== ctx.self)
    throw new EkidenError(
      "not_permitted",
      `A hook refuses the completion of #${task.id}: ${blocked}\nIt is still in progress: mend that, then complete it again.`,
    );
  refusals.pass(key);
  const reason = `A hook refused its completion ${MOST_BLOCKS} times. The last time: ${blocked}`;
  await fail(task, reason, ctx);
  throw new EkidenError("not_permitted", `#${task.id} has failed. ${reason}`);
}

async function fail(task: Task, reason: string, { store, seat }: ToolContext): Promise<void> {
  try {
    await store.board.fail({ seat, task: task.id, attempt: task.attempt }, reason);
  } catch (error) {
    if (!isEkidenError(error, "stale_claim")) throw error; // then it is not ours to fail any more
  }
}

/** A task as hooks are told of it. */
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
