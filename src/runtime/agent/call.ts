/**
 * One tool call on its way to the tool. If something can say no to a call, or change it, it is a wrap here; if it only
 * watches, it reads the journal.
 */
import type { ToolCall } from "../../core/conversation/chat.ts";
import { EkidenError } from "../../core/errors.ts";
import type { Tool, ToolContext } from "../../ports/index.ts";

export type Call = {
  readonly tool: Tool;
  readonly call: ToolCall;
  readonly input: unknown;
  readonly ctx: ToolContext;
};
export type Run = (call: Call) => Promise<string>;
/** Sees every call; may refuse it by throwing, change what goes in or comes out, or just pass it on. */
export type Wrap = (next: Run) => Run;

/** The first wrap is the outermost. */
export const wrapped = (wraps: readonly Wrap[]): Run =>
  wraps.reduceRight<Run>(
    (next, wrap) => wrap(next),
    ({ tool, input, ctx }) => tool.run(input, ctx),
  );

export type Verdict =
  | {
      readonly allowed: true;
      /** Files that stay closed to an allowed call. */
      readonly closed?: ToolContext["closed"];
    }
  | { readonly allowed: false; readonly reason: string };
export type PermissionPolicy = (call: Call) => Promise<Verdict> | Verdict;

export const permitted =
  (judge: PermissionPolicy): Wrap =>
  (next) =>
  async (call) => {
    const verdict = await judge(call);
    if (!verdict.allowed) throw new EkidenError("not_permitted", verdict.reason);
    return next(verdict.closed ? { ...call, ctx: { ...call.ctx, closed: verdict.closed } } : call);
  };
