/**
 * The Messages protocol, spoken by hand: what the vendor's package does, without what it costs (90 ms of CPU at a start, 2.5 ms
 * a call, 12 MB). Each message is encoded once, however often it is sent.
 */
import type { Readable } from "node:stream";
import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";
import { type Posted, post } from "./http.ts";
import type { PartStream } from "./stream.ts";
import { heardBy } from "./watchdog.ts";

export type MessagesAddress = { readonly url: string; readonly key: string; readonly model: string };

const MARK = { cache_control: { type: "ephemeral" } } as const;

export async function askMessages(
  address: MessagesAddress,
  options: LanguageModelV3CallOptions,
): Promise<{ readonly stream: PartStream }> {
  const { abortSignal } = options;
  const answer = await post(`${address.url}/messages`, {
    headers: {
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      "user-agent": "ekiden",
      "x-api-key": address.key,
    },
    body: bodyOf(address.model, options),
    signal: abortSignal,
    onBytes: heardBy(abortSignal),
  });
  if (answer.status !== 200) throw await refusal(answer);
  const parts = partsOf(answer.text);
  const reader = {
    read: async () => {
      const { done, value } = await parts.next();
      return done === true ? { done } : { done: false as const, value };
    },
    cancel: () => parts.return(undefined),
  };
  return { stream: { getReader: () => reader } };
}

// -- the request ----------------------------------------------------------------------------------------------------------
function bodyOf(model: string, { prompt, tools = [], maxOutputTokens }: LanguageModelV3CallOptions): string {
  const system = prompt.flatMap((message) =>
    message.role === "system"
      ? [{ type: "text", text: message.content, ...(message.providerOptions && MARK) }]
      : [],
  );
  const offered = tools.flatMap((tool) => (tool.type === "function" ? [encodedTool(tool)] : []));
  const head = JSON.stringify({
    model,
    max_tokens: maxOutputTokens,
    stream: true,
    ...(system.length > 0 && { system }),
  });
  const list = offered.length > 0 ? `,"tools":[${offered.join(",")}]` : "";
  return `${head.slice(0, -1)}${list},"messages":[${turnsOf(prompt).join(",")}]}`;
}

const schemas = new WeakMap<object, string>();

function encodedTool({
  name,
  description,
  inputSchema,
  providerOptions,
}: LanguageModelV3FunctionTool): string {
  const schema = schemas.get(inputSchema) ?? JSON.stringify(inputSchema);
  schemas.set(inputSchema, schema);
  const head = JSON.stringify({ name, description, ...(providerOptions && MARK) });
  return `${head.slice(0, -1)},"input_schema":${schema}}`;
}

/** Results and texts of one turn are messages of their own in the prompt, and one message here. */
function turnsOf(prompt: readonly LanguageModelV3Message[]): string[] {
  const turns: { role: "user" | "assistant"; blocks: string[] }[] = [];
  for (const message of prompt) {
    const blocks = encoded(message);
    if (blocks === "") continue; // a thought of another vendor's, which this one would refuse
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(blocks);
    else turns.push({ role, blocks: [blocks] });
  }
  return turns.map(({ role, blocks }) => `{"role":"${role}","content":[${blocks.join(",")}]}`);
}

const known = new WeakMap<LanguageModelV3Message, string>();

function encoded(message: LanguageModelV3Message): string {
  const before = known.get(message);
  if (before !== undefined) return before;
  const blocks = blocksOf(message);
  const last = blocks.at(-1);
  if (message.providerOptions && last) blocks[blocks.length - 1] = { ...last, ...MARK };
  const text = blocks.map((block) => JSON.stringify(block)).join(",");
  known.set(message, text);
  return text;
}

function blocksOf(message: LanguageModelV3Message): object[] {
  if (message.role === "system") return [];
  return message.content.flatMap((part): object[] => {
    switch (part.type) {
      case "text":
        return [{ type: "text", text: part.text }];
      case "reasoning": {
        const own = part.providerOptions?.anthropic;
        if (typeof own?.redactedData === "string")
          return [{ type: "redacted_thinking", data: own.redactedData }];
        // Without its signature it would be refused.
        return typeof own?.signature === "string"
          ? [{ type: "thinking", thinking: part.text, signature: own.signature }]
          : [];
      }
      case "tool-call":
        return [{ type: "tool_use", id: part.toolCallId, name: part.toolName, input: part.input }];
      case "tool-result": {
        const { output } = part;
        const isError = output.type === "error-text";
        const content = "value" in output ? output.value : "";
        return [
          { type: "tool_result", tool_use_id: part.toolCallId, content, ...(isError && { is_error: true }) },
        ];
      }
      default:
        return [];
    }
  });
}

// -- the answer -----------------------------------------------------------------------------------------------------------
type Block = { type: string; id?: string; name?: string; data?: string; json: string };
type Tokens = {
  input_tokens?: number;
  cache_read_input_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
  output_tokens?: number;
};
type SseEvent = {
  type: string;
  index?: number;
  message?: { usage?: Tokens };
  content_block?: { type: string; id?: string; name?: string; data?: string; text?: string; input?: unknown };
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

async function* partsOf(text: Readable): AsyncGenerator<LanguageModelV3StreamPart> {
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
        const { type, input, text, ...more } = event.content_block ?? { type: "" };
        const filled = typeof input === "object" && input !== null && Object.keys(input).length > 0;
        blocks.set(event.index ?? 0, { type, json: filled ? JSON.stringify(input) : "", ...more });
        if (type === "text") yield { type: "text-start", id };
        if (type === "text" && text) yield { type: "text-delta", id, delta: text };
        if (type === "thinking") yield { type: "reasoning-start", id };
        if (type === "redacted_thinking")
          yield {
            type: "reasoning-start",
            id,
            providerMetadata: { anthropic: { redactedData: more.data ?? "" } },
          };
        break;
      }
      case "content_block_delta": {
        const { text, thinking, signature, partial_json } = event.delta ?? {};
        if (text !== undefined) yield { type: "text-delta", id, delta: text };
        if (thinking !== undefined) yield { type: "reasoning-delta", id, delta: thinking };
        if (signature !== undefined)
          yield { type: "reasoning-delta", id, delta: "", providerMetadata: { anthropic: { signature } } };
        if (partial_json !== undefined && block) block.json += partial_json;
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
        return;
      case "error":
        yield {
          type: "error",
          error: event.error?.type === "overloaded_error" ? { ...event.error, statusCode: 529 } : event.error,
        };
    }
  }
}

function usageOf({
  input_tokens = 0,
  cache_read_input_tokens,
  cache_creation_input_tokens,
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
  };
}

async function* eventsOf(text: Readable): AsyncGenerator<SseEvent> {
  let rest = "";
  let data: string[] = [];
  let whole = false;
  try {
    for await (const chunk of text.iterator({ destroyOnReturn: false })) {
      const lines = (rest + chunk).split(/\r\n|\n/);
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line.startsWith("data:")) data.push(line.slice(5));
        if (line !== "" || data.length === 0) continue;
        const event = JSON.parse(data.join("\n")) as SseEvent;
        data = [];
        whole = event.type === "message_stop";
        yield event;
      }
    }
  } finally {
    if (whole) drain(text);
    else text.destroy();
  }
}

/** The response ends a moment after the reply: whoever lets it do so can use the connection again. */
function drain(text: Readable): void {
  const timer = setTimeout(() => text.destroy(), DRAIN_MS).unref();
  text.once("close", () => clearTimeout(timer)).resume();
}

const DRAIN_MS = 2_000;

async function refusal({ status, headers, text }: Posted): Promise<Error> {
  let body = "";
  for await (const chunk of text) body += chunk;
  let message = body;
  try {
    const { error } = JSON.parse(body) as { error?: { message?: string } };
    message = error?.message ?? body;
  } catch {
    // Not the vendor's words but a proxy's: shown as they are.
  }
  return Object.assign(new Error(message || `status ${status}`), {
    statusCode: status,
    responseHeaders: headers,
    responseBody: body,
  });
}
