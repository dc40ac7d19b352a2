/** Encodes a request of the Messages protocol as text. Each message and each list of tools is encoded once and kept, but for images. */
import type { Message } from "../../../core/conversation/chat.ts";
import { imagesOf } from "../../../core/conversation/image.ts";
import type { ToolSpec } from "../../../ports/model.ts";
import type { VendorRequest } from "../vendor.ts";

/** The JSON of an object with a mark in it: the vendor caches the request up to there. */
const marked = (json: string): string => `${json.slice(0, -1)},"cache_control":{"type":"ephemeral"}}`;

export function bodyOf(
  model: string,
  { system, messages, tools, maxOutputTokens, imageOf }: VendorRequest,
): string {
  const head = JSON.stringify({ model, max_tokens: maxOutputTokens, stream: true });
  const rules = system && `,"system":[${marked(JSON.stringify({ type: "text", text: system }))}]`;
  const list = tools.length > 0 ? `,"tools":[${encodedTools(tools)}]` : "";
  return `${head.slice(0, -1)}${rules}${list},"messages":[${turnsOf(messages, imageOf).join(",")}]}`;
}

const knownTools = new WeakMap<readonly ToolSpec[], string>();

function encodedTools(tools: readonly ToolSpec[]): string {
  const before = knownTools.get(tools);
  if (before !== undefined) return before;
  const list = tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema }));
  const text = marked(list.map((tool) => JSON.stringify(tool)).join(","));
  knownTools.set(tools, text);
  return text;
}

/**
 * Marks the last message, and the last one of the request before: the vendor looks for an earlier mark only a few parts back, and a
 * reply with many calls adds more than that. A message of which nothing can be sent is left out.
 */
function turnsOf(messages: readonly Message[], imageOf: ImageOf): string[] {
  const reply = messages.findLastIndex(({ role }) => role === "assistant");
  const turns: { role: Message["role"]; blocks: string }[] = [];
  for (const [i, message] of messages.entries()) {
    const plain = encoded(message, imageOf);
    if (plain === "") continue;
    const blocks = i === reply - 1 || i === messages.length - 1 ? marked(plain) : plain;
    const last = turns.at(-1);
    if (last?.role === message.role) last.blocks += `,${blocks}`;
    else turns.push({ role: message.role, blocks });
  }
  return turns.map(({ role, blocks }) => `{"role":"${role}","content":[${blocks}]}`);
}

type ImageOf = VendorRequest["imageOf"];

const known = new WeakMap<Message, string>();

function encoded(message: Message, imageOf: ImageOf): string {
  const before = known.get(message);
  if (before !== undefined) return before;
  const blocks = message.content.flatMap((part) => blocksOf(part, imageOf));
  const text = blocks.map((block) => JSON.stringify(block)).join(",");
  if (imagesOf(message).length === 0) known.set(message, text);
  return text;
}

/** The vendor refuses blank texts, and thoughts without its signature: those of other vendors. */
function blocksOf(part: Message["content"][number], imageOf: ImageOf): object[] {
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
    case "image": {
      const sent = imageOf(part);
      if ("text" in sent) return [{ type: "text", text: sent.text }];
      return [{ type: "image", source: { type: "base64", media_type: part.mediaType, data: sent.data } }];
    }
    case "thinking": {
      const { redactedData, signature } = (part.meta as Meta | undefined)?.anthropic ?? {};
      if (redactedData !== undefined) return [{ type: "redacted_thinking", data: redactedData }];
      return signature === undefined ? [] : [{ type: "thinking", thinking: part.text, signature }];
    }
    case "call":
      return [{ type: "tool_use", id: part.id, name: part.tool, input: part.input }];
    case "result": {
      const content = part.text || "(no output)";
      return [
        { type: "tool_result", tool_use_id: part.id, content, ...(part.isError && { is_error: true }) },
      ];
    }
    default:
      return part satisfies never;
  }
}

/** What `partsOf` in reply.ts keeps of a thought. */
type Meta = { readonly anthropic?: { readonly redactedData?: string; readonly signature?: string } };
