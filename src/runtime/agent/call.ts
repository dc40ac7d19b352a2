/**
 * One tool call on its way to the tool. Code that can refuse or change a call is a wrap; code that only watches reads the journal.
 */

import type { Task } from "../../core/board/task.ts";
import type { ToolCall } from "../../core/conversation/chat.ts";
import { notPermitted } from "../../core/errors.ts";
import type { TouchedFile } from "../../core/plan/task-check.ts";
import type { Access, CompletionInput, Shell, Tool, ToolContext } from "../../ports/index.ts";

export type Call = {
  readonly tool: Tool;
  readonly call: ToolCall;
  readonly input: unknown;
  /** The access of this call, which may be less than that of its tool. */
  readonly access: Access;
  readonly ctx: ToolContext;
  /** Called when the permission is decided: the time a person takes to answer is not the tool's time. */
  readonly onPermitted?: () => void;
  /** Called when the tool itself begins. */
  readonly onRun?: () => void;
  /** Told the files of its folder that changed while it ran, before its result; not where nobody looks at the folder. */
  readonly onTouched?: (files: readonly TouchedFile[]) => void;
};
export type Run = (call: Call) => Promise<string>;
/** Gets every call. It refuses a call by throwing, changes its input or result, or passes it on. */
export type Wrap = (next: Run) => Run;

/** The first wrap is the outermost. */
export const wrapped = (wraps: readonly Wrap[]): Run =>
  wraps.reduceRight<Run>(
    (next, wrap) => wrap(next),
    ({ tool, input, ctx, onRun }) => {
      onRun?.();
      return tool.run(input, ctx);
    },
  );

/** The task that a call with the effect `completes` is about: the one that its input names, else the caller's own. */
export async function completedBy({ input, ctx }: Call): Promise<Task | null> {
  const { id } = input as CompletionInput;
  const own = await ctx.currentTask();
  return id === undefined || own?.id === id ? own : await ctx.store.board.task(id);
}

export type Verdict =
  | {
      readonly allowed: true;
      /** Files that stay closed to an allowed call. */
      readonly closed?: ToolContext["closed"];
      /** The shell of the call, where it differs. */
      readonly shell?: ((shell: Shell) => Shell) | undefined;
    }
  | { readonly allowed: false; readonly reason: string };
export type PermissionPolicy = (call: Call) => Promise<Verdict> | Verdict;

export const permitted =
  (policy: PermissionPolicy): Wrap =>
  (next) =>
  async (call) => {
    const verdict = await policy(call);
    call.onPermitted?.();
    if (!verdict.allowed) throw notPermitted(verdict.reason);
    const { closed, shell } = verdict;
    if (!closed && !shell) return next(call);
    const { ctx } = call;
    return next({
      ...call,
      ctx: { ...ctx, ...(closed && { closed }), ...(shell && { shell: shell(ctx.shell) }) },
    });
  };
