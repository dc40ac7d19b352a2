/**
 * Translates our conversation for the provider packages. A translated message is kept by its identity, so a turn costs only what
 * it adds. It also corrects what cannot be sent: empty texts (some vendors refuse them), results without text.
 */
import type {
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  SharedV3ProviderMetadata,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import type { AssistantMessage, Message, UserMessage } from "../../core/conversation/chat.ts";
import type { ModelRequest, ToolSpec } from "../../ports/model.ts";

type Assistant = Extract<LanguageModelV3Message, { role: "assistant" }>["content"][number];

const translated = new WeakMap<Message, readonly LanguageModelV3Message[]>();

/**
 * Puts `mark` on the system prompt, on the last message and on the last message of the request before: a cache is read up to it.
 * A vendor looks for an earlier mark only a few parts back, and a reply with many calls adds more than that.
 */
export function promptOf(
  { system, messages }: ModelRequest,
  mark: SharedV3ProviderOptions | undefined,
): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Message[] = [];
  if (system !== "") prompt.push({ role: "system", content: system, ...(mark && { providerOptions: mark }) });
  for (const message of messages) prompt.push(...translate(message));
  if (mark) {
    const reply = prompt.findLastIndex(({ role }) => role === "assistant");
    for (const at of [reply - 1, prompt.length - 1]) {
      const message = prompt[at];
      if (message && message.role !== "system") prompt[at] = { ...message, providerOptions: mark };
    }
  }
  return prompt;
}

const described = new WeakMap<readonly ToolSpec[], LanguageModelV3FunctionTool[]>();

/** Puts `mark` on the last tool. Several models may share one list, so the mark is not kept with it. */
export function toolsOf(
  tools: readonly ToolSpec[],
  mark: SharedV3ProviderOptions | undefined,
): LanguageModelV3FunctionTool[] {
  let made = described.get(tools);
  if (!made) {
    made = tools.map(({ name, description, schema }) => ({
      type: "function",
      name,
      description,
      inputSchema: schema,
    }));
    described.set(tools, made);
  }
  const last = made.at(-1);
  return mark && last ? [...made.slice(0, -1), { ...last, providerOptions: mark }] : made;
}

function translate(message: Message): readonly LanguageModelV3Message[] {
  const known = translated.get(message);
  if (known) return known;
  const made = message.role === "user" ? fromUser(message) : fromAssistant(message);
  translated.set(message, made);
  return made;
}

function fromUser({ content }: UserMessage): LanguageModelV3Message[] {
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
  const texts = content.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [part] : []));
  const made: LanguageModelV3Message[] = [];
  if (results.length > 0) made.push({ role: "tool", content: results });
  if (texts.length > 0) made.push({ role: "user", content: texts });
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
