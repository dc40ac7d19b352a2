/** The checks of a member's work: the person's commands after each edit, and the question at the exit. */

import { ExitCheck } from "../../core/board/exit-check.ts";
import type { Entry } from "../../core/conversation/chat.ts";
import { checkedEdits } from "../../runtime/wraps/edit-checks.ts";
import { checkedAtExit } from "../../runtime/wraps/exit-check.ts";
import { fileTools } from "../../tools/index.ts";
import type { MakeFeature } from "../setup.ts";

export const exitCheck: MakeFeature = async ({ parts: { settings }, entries }) =>
  settings.exitCheck ? { wrap: checkedAtExit(await asItWas(entries)) } : null;

export const editChecks: MakeFeature = ({ parts: { settings } }) =>
  Object.keys(settings.checks).length > 0 ? { wrap: checkedEdits(settings.checks) } : null;

/** The state after the calls of an earlier process. */
async function asItWas(entries: readonly Entry[]): Promise<ExitCheck> {
  const check = new ExitCheck();
  const tools = new Map(fileTools.map((tool) => [tool.name, tool]));
  const calls = new Map<string, { readonly tool: string; readonly input: unknown }>();
  for (const entry of entries) {
    if (entry.kind === "said")
      for (const part of entry.message.content) if (part.type === "call") calls.set(part.id, part);
    if (entry.kind !== "result") continue;
    check.recall(entry.result.text);
    const call = calls.get(entry.result.id);
    const tool = call && tools.get(call.tool);
    const input = tool?.input().safeParse(call?.input);
    if (tool && input?.success && !entry.result.isError)
      check.observe((await tool.accessOf?.(input.data)) ?? tool.access, tool.writes?.(input.data) ?? []);
  }
  return check;
}
