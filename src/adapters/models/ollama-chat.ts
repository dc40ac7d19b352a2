/**
 * Asks Ollama over its own protocol. Its chat completions take no size of the context and cut a longer conversation without a word;
 * this one takes both, and refuses a conversation that does not fit.
 */
import type { Readable } from "node:stream";
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import type { AssistantMessage, UserMessage } from "../../core/conversation/chat.ts";
import { errorOf, isError } from "./answered-status.ts";
import { ask, httpFetch, refusal } from "./http.ts";
import { forOllama } from "./schemas.ts";
import { type PartStream, streamOf } from "./stream.ts";
import type { VendorRequest } from "./vendor.ts";
import { heardBy } from "./watchdog.ts";

export type OllamaAddress = {
  /** Without a path. */
  readonly address: string;
  readonly model: string;
  /** Tokens of context that Ollama is to load the model with; undefined: as it is set up there. */
  readonly context?: number | undefined;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
};

export async function askOllama(
  to: OllamaAddress,
  request: VendorRequest,
  signal: AbortSignal,
): Promise<{ readonly stream: PartStream }> {
  const answer = await ask(new URL(`${to.address}/api/chat`), {
    headers: { "content-type": "application/json" },
    body: bodyOf(to, request),
    signal,
    onBytes: heardBy(signal),
  });
  if (answer.status !== 200) throw await refusal(answer);
  return { stream: streamOf(answer.text, partsOf) };
}

const TIME_MS = 2_000;

/** The tokens of context with which a model is loaded; undefined where it is not, or where nothing tells it. It never fails. */
export async function loadedContext({ address, model }: OllamaAddress): Promise<number | undefined> {
  try {
    const response = await httpFetch(`${address}/api/ps`, { signal: AbortSignal.timeout(TIME_MS) });
    const { models = [] } = (await response.json()) as {
      models?: { name?: string; model?: string; context_length?: number }[];
    };
    const names = [model, `${model}:latest`];
    return models.find((one) => names.includes(one.name ?? "") || names.includes(one.model ?? ""))
      ?.context_length;
  } catch {
    return undefined;
  }
}

function bodyOf({ model, context, fields = {} }: OllamaAddress, request: VendorRequest): string {
  const { system, tools, messages, effort, maxOutputTokens } = request;
  const { options, ...more } = fields;
  return JSON.stringify({
    model,
    stream: true,
    // A request that does not fit is refused: else the server would silently leave out its beginning.
    truncate: false,
    shift: false,
    ...(effort !== undefined && { think: effort }),
    options: {
      ...(context !== undefined && { num_ctx: context }),
      ...(maxOutputTokens !== undefined && { num_predict: maxOutputTokens }),
      ...(options as object | undefined),
    },
    messages: [
      ...(system === "" ? [] : [{ role: "system", content: system }]),
      ...messages.flatMap((message) =>
        message.role === "user" ? fromUser(message, request) : fromAssistant(message, request),
      ),
    ],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, schema }) => ({
        type: "function",
        function: { name, description, parameters: forOllama(schema) },
      })),
    }),
    ...more,
  });
}

function fromUser({ content }: UserMessage, { imageOf }: VendorRequest): object[] {
  const results = content.flatMap((part) =>
    part.type === "result"
      ? [
          {
            role: "tool",
            tool_name: part.tool,
            tool_call_id: part.id,
            content: part.text || "(no output)",
          },
        ]
      : [],
  );
  const images: string[] = [];
  const texts = content.flatMap((part): string[] => {
    if (part.type === "result") return [];
    if (part.type === "text") return part.text.trim() === "" ? [] : [part.text];
    const sent = imageOf(part);
    if ("text" in sent) return [sent.text];
    images.push(sent.data);
    return [];
  });
  const heard = { role: "user", content: texts.join("\n\n"), ...(images.length > 0 && { images }) };
  return [...results, ...(texts.length + images.length > 0 ? [heard] : [])];
}

/** A thought that nothing follows is left out. */
function fromAssistant(message: AssistantMessage, { isOwn }: VendorRequest): object[] {
  const of = (type: "text" | "thinking"): string =>
    message.content
      .flatMap((part) => (part.type === type && part.text.trim() !== "" ? [part.text] : []))
      .join("\n");
  const calls = message.content.flatMap((part) =>
    part.type === "call" ? [{ id: part.id, function: { name: part.tool, arguments: part.input } }] : [],
  );
  const text = of("text");
  const thinking = isOwn(message) ? of("thinking") : "";
  if (text === "" && calls.length === 0) return [];
  return [
    {
      role: "assistant",
      content: text,
      ...(thinking && { thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

type Chunk = {
  readonly message?: {
    readonly content?: string;
    readonly thinking?: string;
    readonly tool_calls?: readonly {
      readonly id?: string;
      readonly function?: { readonly name?: string; readonly arguments?: unknown };
    }[];
  };
  readonly done?: boolean;
  readonly done_reason?: string;
  readonly prompt_eval_count?: number;
  readonly eval_count?: number;
};

const REASONS: Readonly<Record<string, "stop" | "length">> = { stop: "stop", length: "length" };

/** The lines of an answer as the parts that every vendor's reply consists of. Each thought and text between others is a block. */
async function* partsOf(text: Readable): AsyncGenerator<LanguageModelV3StreamPart> {
  let [block, kind] = [0, ""];
  const blockOf = (now: string): string => {
    if (now !== kind) [block, kind] = [block + 1, now];
    return String(block);
  };
  for await (const chunk of linesOf(text)) {
    if (isError(chunk)) throw errorOf(chunk, JSON.stringify(chunk));
    const { message = {}, done, ...end } = chunk;
    const { thinking, content, tool_calls: calls = [] } = message;
    if (thinking) yield { type: "reasoning-delta", id: blockOf("thinking"), delta: thinking };
    if (content) yield { type: "text-delta", id: blockOf("text"), delta: content };
    for (const { id, function: called } of calls)
      yield {
        type: "tool-call",
        toolCallId: id ?? `call_${blockOf(`call ${block}`)}`,
        toolName: called?.name ?? "",
        input: JSON.stringify(called?.arguments ?? {}),
      };
    if (!done) continue;
    const { done_reason: raw = "stop", prompt_eval_count: total = 0, eval_count: output = 0 } = end;
    yield {
      type: "finish",
      finishReason: { unified: REASONS[raw] ?? "other", raw },
      usage: {
        inputTokens: { total, noCache: total, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: output, text: undefined, reasoning: undefined },
      },
    };
  }
}

/** An object on several lines is one that a gateway made: it is read at the end. */
async function* linesOf(text: Readable): AsyncGenerator<Chunk> {
  let rest = "";
  for await (const chunk of text) {
    const lines = (rest + String(chunk)).replace(/^\uFEFF/, "").split("\n");
    rest = lines.pop() ?? "";
    for (const [at, line] of lines.entries()) {
      if (line.trim() === "") continue;
      const read = chunkIn(line);
      if (read) yield read;
      else {
        rest = [...lines.slice(at), rest].join("\n");
        break;
      }
    }
  }
  if (rest.trim() !== "") yield JSON.parse(rest) as Chunk;
}

function chunkIn(line: string): Chunk | null {
  try {
    return JSON.parse(line) as Chunk;
  } catch {
    return null;
  }
}
