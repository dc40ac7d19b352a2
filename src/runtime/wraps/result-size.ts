/** A text that is too long for a conversation goes to a file; its head and tail stay. */
import { resultCharacters } from "../../core/conversation/compaction.ts";
import { headAndTail } from "../../core/text/valid.ts";
import type { Wrap } from "../agent/call.ts";

/** Writes a text to a file that the agent can read, and returns its path. `label` may contain any character. */
export type Spool = (label: string, text: string) => Promise<string>;

export async function shortened(
  text: string,
  max: number,
  label: string,
  spool: Spool | undefined,
): Promise<string> {
  if (text.length <= max) return text;
  const path = await spool?.(label, text);
  return headAndTail(text, max, path ? `all of it is in ${path}` : "narrow the call to see them");
}

/** The first layer of compaction: a result that is too long for a model with this window is cut when it arrives. */
export const budgeted =
  (window: number, spool?: Spool): Wrap =>
  (next) =>
  async (call) =>
    shortened(
      await next(call),
      resultCharacters(window),
      `${call.ctx.self}-${call.tool.name}-${call.call.id}`,
      spool,
    );
