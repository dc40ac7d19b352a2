/** The last words of an agent as one text: a reply that continues one which the output limit cut off is joined to it. */
import type { AssistantMessage, Message, UserMessage } from "./chat.ts";
import { CUT_OFF } from "./prompt.ts";

/** Of the last reply, also when it has no text. "" where nothing was said. */
export function lastWords(messages: readonly Message[]): string {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return "";
  const parts = [rawText(last)];
  for (let at = messages.length - 2; at > 0; at -= 2) {
    const [said, heard] = [messages[at - 1], messages[at]];
    if (said?.role !== "assistant" || heard?.role !== "user") break;
    if (!heard.content.some((part) => part.type === "text" && part.text === CUT_OFF) || hasResult(heard))
      break;
    parts.unshift(rawText(said));
  }
  return parts.join("").trim();
}

const hasResult = ({ content }: UserMessage): boolean => content.some((part) => part.type === "result");

/** Untrimmed: the cut may be between two words. */
const rawText = ({ content }: AssistantMessage): string =>
  content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
