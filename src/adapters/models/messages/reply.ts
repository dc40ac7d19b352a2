/**
 * Reads the events of a streamed reply as the parts that every vendor's reply consists of. It reads on after the end of the
 * reply, so that `drain` in stream.ts ends the response for all vendors alike.
 */
import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart } from "@ai-sdk/provider";

type Block = { type: string; id?: string; name?: string; data?: string; json: string };
/** A page that a search of the web has found. */
type Found = { url?: string; title?: string };
type Tokens = {
  input_tokens?: number;
  cache_read_input_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
  /** The tokens that were written, by lifetime. */
  cache_creation?: { ephemeral_1h_input_tokens?: number } | null;
  output_tokens?: number;
};
/** A block as it begins. */
type Begun = Omit<Block, "json"> & { text?: string; input?: unknown; content?: unknown };
type SseEvent = {
  type: string;
  index?: number;
  message?: { usage?: Tokens };
  content_block?: Begun;
  delta?: {
    type?: string;
    text?: string;
    thinking?: string;
    signature?: string;
    partial_json?: string;
    stop_reason?: string;
  };
  usage?: Tokens;
  error?: { type?: string; message?: string };
};

const REASONS: Readonly<Record<string, LanguageModelV3FinishReason["unified"]>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content-filter",
};

export async function* partsOf(text: AsyncIterable<string>): AsyncGenerator<LanguageModelV3StreamPart> {
  const blocks = new Map<number, Block>();
  let tokens: Tokens = {};
  let reason: string | undefined;
  for await (const event of eventsOf(text)) {
    const id = String(event.index ?? 0);
    const block = blocks.get(event.index ?? 0);
    switch (event.type) {
      case "message_start":
        tokens = event.message?.usage ?? {};
        break;
      case "content_block_start": {
        const { input, ...begun } = event.content_block ?? { type: "" };
        const filled = typeof input === "object" && input !== null && Object.keys(input).length > 0;
        blocks.set(event.index ?? 0, { ...begun, json: filled ? JSON.stringify(input) : "" });
        yield* beginning(id, begun);
        break;
      }
      case "content_block_delta": {
        const { text, thinking, signature, partial_json } = event.delta ?? {};
        if (text !== undefined) yield { type: "text-delta", id, delta: text };
        if (thinking !== undefined) yield { type: "reasoning-delta", id, delta: thinking };
        if (signature !== undefined)
          yield { type: "reasoning-delta", id, delta: "", providerMetadata: { anthropic: { signature } } };
        if (partial_json !== undefined && block) {
          block.json += partial_json;
          yield { type: "tool-input-delta", id, delta: partial_json };
        }
        break;
      }
      case "content_block_stop":
        if (block?.type === "tool_use")
          yield {
            type: "tool-call",
            toolCallId: block.id ?? "",
            toolName: block.name ?? "",
            input: block.json || "{}",
          };
        break;
      case "message_delta":
        reason = event.delta?.stop_reason ?? reason;
        tokens = { ...tokens, ...event.usage };
        break;
      case "message_stop":
        yield {
          type: "finish",
          finishReason: { unified: REASONS[reason ?? ""] ?? "other", raw: reason },
          usage: usageOf(tokens),
        };
        break;
      case "error":
        yield {
          type: "error",
          error: event.error,
        };
    }
  }
}

function* beginning(
  id: string,
  { type, text, content, data = "" }: Begun,
): Generator<LanguageModelV3StreamPart> {
  if (type === "text") yield { type: "text-start", id };
  if (type === "text" && text) yield { type: "text-delta", id, delta: text };
  if (type === "thinking") yield { type: "reasoning-start", id };
  if (type === "redacted_thinking")
    yield { type: "reasoning-start", id, providerMetadata: { anthropic: { redactedData: data } } };
  if (type === "web_search_tool_result")
    for (const { url, title = "" } of Array.isArray(content) ? (content as Found[]) : [])
      if (url) yield { type: "source", sourceType: "url", id: url, url, title };
}

function usageOf({
  input_tokens = 0,
  cache_read_input_tokens,
  cache_creation_input_tokens,
  cache_creation,
  output_tokens = 0,
}: Tokens) {
  const cacheRead = cache_read_input_tokens ?? 0;
  const cacheWrite = cache_creation_input_tokens ?? 0;
  return {
    inputTokens: {
      total: input_tokens + cacheRead + cacheWrite,
      noCache: input_tokens,
      cacheRead,
      cacheWrite,
    },
    outputTokens: { total: output_tokens, text: undefined, reasoning: undefined },
    raw: { writtenForAnHour: cache_creation?.ephemeral_1h_input_tokens ?? 0 },
  };
}

async function* eventsOf(text: AsyncIterable<string>): AsyncGenerator<SseEvent> {
  let rest = "";
  let data: string[] = [];
  for await (const chunk of text) {
    const lines = (rest + chunk).split(/\r\n|\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data:")) data.push(line.slice(5));
      if (line !== "" || data.length === 0) continue;
      const event = JSON.parse(data.join("\n")) as SseEvent;
      data = [];
      yield event;
    }
  }
}
