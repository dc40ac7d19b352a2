/**
 * Whoever has just started something that goes on by itself (a background command, an alarm) is given the tools to look after it
 * at once, not at its next stint: a server that was started for a test has to be ended in the same breath.
 */
import type { Call, Wrap } from "../agent/call.ts";

/** `has`: whether the member is offered that tool already; `refresh` brings its tools up to date. */
export function aftercare(has: (tool: string) => boolean, refresh: () => Promise<void>): Wrap {
  return (next) => async (call) => {
    const text = await next(call);
    const needed = neededAfter(call);
    if (needed !== null && !has(needed)) await refresh();
    return text;
  };
}

function neededAfter({ tool, input, ctx }: Call): string | null {
  if (ctx.kind === "subagent") return null;
  if (tool.name === "schedule_cron") return "cancel_cron";
  const { run_in_background: background } = input as { readonly run_in_background?: boolean };
  return tool.name === "bash" && background === true ? "stop_background" : null;
}
