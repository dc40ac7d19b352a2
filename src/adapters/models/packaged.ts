/**
 * Models behind the packages of their vendors, and our conversation in the form of those packages. A translated message is kept by
 * its identity, so a turn costs only what it adds. What cannot be sent is corrected: empty texts (some vendors refuse them), results
 * without text.
 */
import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  SharedV3ProviderMetadata,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import type { AssistantMessage, Message, UserMessage } from "../../core/conversation/chat.ts";
import { imagesOf } from "../../core/conversation/image.ts";
import type { ToolSpec } from "../../ports/model.ts";
import type { PartStream } from "./stream.ts";
import type { Connection, VendorRequest } from "./vendor.ts";

type ImageOf = VendorRequest["imageOf"];
type UserPart = Extract<LanguageModelV3Message, { role: "user" }>["content"][number];
type Assistant = Extract<LanguageModelV3Message, { role: "assistant" }>["content"][number];

const translated = new WeakMap<Message, readonly LanguageModelV3Message[]>();

/** Asks through a vendor's package. `providerOptions` go with every request. */
export const packaged =
  (
    model: { doStream(options: LanguageModelV3CallOptions): PromiseLike<{ stream: PartStream }> },
    providerOptions?: SharedV3ProviderOptions,
  ): Connection["ask"] =>
  ({ system, messages, tools, maxOutputTokens, imageOf }, abortSignal) =>
    model.doStream({
      prompt: [
        ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
        ...messages.flatMap((message) => translate(message, imageOf)),
      ],
      ...(tools.length > 0 && { tools: toolsOf(tools) }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(providerOptions && { providerOptions }),
      abortSignal,
    });

const described = new WeakMap<readonly ToolSpec[], LanguageModelV3FunctionTool[]>();

function toolsOf(tools: readonly ToolSpec[]): LanguageModelV3FunctionTool[] {
  const made =
    described.get(tools) ??
    tools.map(({ name, description, schema }) => ({
      type: "function",
      name,
      description,
      inputSchema: schema,
    }));
  described.set(tools, made);
  return made;
}

function translate(message: Message, imageOf: ImageOf): readonly LanguageModelV3Message[] {
  const known = translated.get(message);
  if (known) return known;
  const made = message.role === "user" ? fromUser(message, imageOf) : fromAssistant(message);
  if (imagesOf(message).length === 0) translated.set(message, made);
  return made;
}

function fromUser({ content }: UserMessage, imageOf: ImageOf): LanguageModelV3Message[] {
  const results = content.flatMap((part) =>
    part.type === "result"
      ? [
          {
            type: "tool-result" as const,
            toolCallId: part.id,
            toolName: part.tool,
            output: {
              type: part.isError ? ("error-text" as const) : ("text" as const),
              value: part.text || "(no output)",
            },
          },
        ]
      : [],
  );
  const heard = content.flatMap((part): UserPart[] => {
    if (part.type === "text") return part.text.trim() === "" ? [] : [part];
    if (part.type === "result") return [];
    const sent = imageOf(part);
    return "text" in sent
      ? [{ type: "text", text: sent.text }]
      : [{ type: "file", mediaType: part.mediaType, data: sent.data }];
  });
  const made: LanguageModelV3Message[] = [];
  if (results.length > 0) made.push({ role: "tool", content: results });
  if (heard.length > 0) made.push({ role: "user", content: heard });
  return made;
}

function fromAssistant({ content }: AssistantMessage): LanguageModelV3Message[] {
  const parts = content.flatMap((part): Assistant[] => {
    switch (part.type) {
      case "text":
        return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
      case "thinking":
        return [{ type: "reasoning", text: part.text, ...withMeta(part.meta) }];
      case "call":
        return [
          {
            type: "tool-call",
            toolCallId: part.id,
            toolName: part.tool,
            input: part.input,
            ...withMeta(part.meta),
          },
        ];
      default:
        return part satisfies never;
    }
  });
  return parts.length > 0 ? [{ role: "assistant", content: parts }] : [];
}

/** `meta` belongs to one vendor, under its name; other vendors ignore it. */
const withMeta = (meta: unknown): { providerOptions?: SharedV3ProviderMetadata } =>
  typeof meta === "object" && meta !== null ? { providerOptions: meta as SharedV3ProviderMetadata } : {};
