/** Replies of models that are programs: they cost no tokens and no money. */
import type { AssistantMessage } from "../../core/conversation/chat.ts";
import type { Reply, ReplyOptions, Usage } from "../../ports/model.ts";

const NOTHING: Usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };

export function localReply(
  content: AssistantMessage["content"],
  { onDelta }: Pick<ReplyOptions, "onDelta">,
  more: Partial<Pick<Reply, "stop" | "usage" | "usd">> = {},
): Reply {
  for (const part of content) if (part.type !== "call") onDelta?.({ type: part.type, text: part.text });
  const stop = content.some((part) => part.type === "call") ? "calls" : "end";
  return { message: { role: "assistant", content }, stop, usage: NOTHING, usd: 0, ...more };
}
