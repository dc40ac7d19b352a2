/**
 * Reads the stream of every vendor. A stream that does not end with a finish part is a failure: if a reply that was cut off
 * counted as whole, half a command would run.
 */
import type { Readable } from "node:stream";
import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
  SharedV3ProviderMetadata,
} from "@ai-sdk/provider";
import { type AssistantMessage, INVALID_INPUT, type ToolCall } from "../../core/conversation/chat.ts";
import type { Delta, Reply, Source } from "../../ports/model.ts";
import { OF_MESSAGE } from "./of-message.ts";

/** The stream broke off or reported an error. `error` is the vendor's own, if there is one. */
export class StreamBroken extends Error {
  readonly error: unknown;
  constructor(message: string, error?: unknown) {
    super(message);
    this.error = error;
  }
}

type PartReader = {
  read(): Promise<{ done: false; value: LanguageModelV3StreamPart } | { done: true; value?: unknown }>;
  cancel(): Promise<unknown>;
};
/** The part of `ReadableStream` that is used here: loading the real type's module takes 10 ms of a start. */
export type PartStream = { getReader(): PartReader };

/** The parts that `partsOf` reads from the text of an answer. */
export function streamOf(
  text: Readable,
  partsOf: (text: Readable) => AsyncGenerator<LanguageModelV3StreamPart>,
): PartStream {
  const parts = partsOf(text);
  const reader: PartReader = {
    read: async () => {
      const { done, value } = await parts.next();
      return done === true ? { done } : { done: false, value };
    },
    // Not `parts.return()`, which would wait for the read that is under way.
    cancel: async () => void text.destroy(),
  };
  return { getReader: () => reader };
}

export type Read = Pick<Reply, "message" | "stop"> & {
  readonly usage: LanguageModelV3Usage;
  readonly sources: readonly Source[];
};

type Block =
  | { readonly type: "text" | "thinking"; text: string; meta?: SharedV3ProviderMetadata }
  | { readonly type: "call"; readonly call: ToolCall };

/** The blocks of a reply as they grow. */
class Blocks {
  readonly all: Block[] = [];
  private readonly open = new Map<string, Extract<Block, { text: string }>>();
  private readonly onDelta: ((delta: Delta) => void) | undefined;

  constructor(onDelta: ((delta: Delta) => void) | undefined) {
    this.onDelta = onDelta;
  }

  start(type: "text" | "thinking", id: string, meta?: SharedV3ProviderMetadata): void {
    const block = { type, text: "", ...(meta && { meta }) };
    this.all.push(block);
    this.open.set(`${type} ${id}`, block);
  }

  more(type: "text" | "thinking", id: string, text: string, meta?: SharedV3ProviderMetadata): void {
    if (!this.open.has(`${type} ${id}`)) this.start(type, id);
    const block = this.open.get(`${type} ${id}`);
    if (!block) return;
    block.text += text;
    if (meta) block.meta = merged(block.meta, meta);
    if (text !== "") this.onDelta?.({ type, text });
  }

  /** A part of a text, a thought or a call; others are not for it. */
  take(part: LanguageModelV3StreamPart): void {
    switch (part.type) {
      case "text-start":
        this.start("text", part.id, keptOf(part.providerMetadata));
        break;
      case "text-delta":
        this.more("text", part.id, part.delta, keptOf(part.providerMetadata));
        break;
      case "text-end":
        if (this.open.has(`text ${part.id}`)) this.more("text", part.id, "", keptOf(part.providerMetadata));
        break;
      case "reasoning-start":
        this.start("thinking", part.id, part.providerMetadata);
        break;
      case "reasoning-delta":
        this.more("thinking", part.id, part.delta, part.providerMetadata);
        break;
      case "reasoning-end":
        this.more("thinking", part.id, "", part.providerMetadata);
        break;
      case "tool-call":
        if (part.providerExecuted !== true) this.all.push({ type: "call", call: callOf(part) });
    }
  }
}

export async function readReply(
  stream: PartStream,
  onDelta: ((delta: Delta) => void) | undefined,
  onProgress: () => void = () => {},
): Promise<Read> {
  const blocks = new Blocks(onDelta);
  const sources: Source[] = [];
  const reader = stream.getReader();
  let whole = false;
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      if (done) throw new StreamBroken("the stream ended before the reply was whole");
      if (part.type !== "raw") onProgress();
      blocks.take(part);
      if (part.type === "source" && part.sourceType === "url")
        sources.push({ url: part.url, title: part.title ?? "" });
      if (part.type === "error") throw new StreamBroken("the provider broke off the reply", part.error);
      if (part.type !== "finish") continue;
      whole = true;
      keepWhole(blocks.all, part.providerMetadata);
      const message = messageOf(blocks.all);
      return { message, usage: part.usage, stop: stopOf(part.finishReason, message), sources };
    }
  } finally {
    if (whole) void drain(reader);
    else await reader.cancel().catch(() => {});
  }
}

/**
 * The response ends a moment after the reply. Cancelling it earlier loses the connection, and the next request pays for a new
 * one (with TLS: tens of milliseconds); waiting for it delays the reply. So it is read to its end in the background.
 */
async function drain(reader: PartReader): Promise<void> {
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), DRAIN_MS);
  timer.unref();
  try {
    while (!(await reader.read()).done);
  } catch {
    // The reply is whole; the end of its connection does not matter.
  } finally {
    clearTimeout(timer);
  }
}

const DRAIN_MS = 2_000;

function stopOf(reason: LanguageModelV3FinishReason, message: AssistantMessage): Reply["stop"] {
  switch (reason.unified) {
    case "length":
      return "length";
    case "content-filter":
      return "refused";
    case "error":
      throw new StreamBroken(
        `the provider ended the reply with an error (${reason.raw ?? "no reason given"})`,
      );
    case "other":
      // Some packages invent a finish part when the connection ends; a real one has the vendor's reason.
      if (reason.raw === undefined) throw new StreamBroken("the stream ended before the reply was whole");
  }
  return message.content.some((part) => part.type === "call") ? "calls" : "end";
}

/** Keeps data that belongs to the reply as a whole with its first thought. */
function keepWhole(blocks: Block[], meta: SharedV3ProviderMetadata | undefined): void {
  const own = meta?.[OF_MESSAGE];
  if (!own || Object.keys(own).length === 0) return;
  const first = blocks.find((block) => block.type === "thinking");
  if (first && first.type !== "call") first.meta = merged(first.meta, { [OF_MESSAGE]: own });
  else blocks.unshift({ type: "thinking", text: "", meta: { [OF_MESSAGE]: own } });
}

function messageOf(blocks: readonly Block[]): AssistantMessage {
  return {
    role: "assistant",
    content: blocks.flatMap((block): AssistantMessage["content"] => {
      if (block.type === "call") return [block.call];
      const { type, text, meta } = block;
      return text === "" && !meta ? [] : [{ type, text, ...(meta && { meta }) }];
    }),
  };
}

/** Keeps input that is not a JSON object where `invalidInput` finds it, so that the runtime can answer the call with an error. */
function callOf(part: Extract<LanguageModelV3StreamPart, { type: "tool-call" }>): ToolCall {
  return {
    type: "call",
    id: part.toolCallId,
    tool: part.toolName,
    input: inputOf(part.input),
    ...(part.providerMetadata && { meta: part.providerMetadata }),
  };
}

function inputOf(text: string): unknown {
  try {
    const value = JSON.parse(text.trim() === "" ? "{}" : text) as unknown;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Returned below: the model hears of invalid input; the call does not fail.
  }
  return { [INVALID_INPUT]: text };
}

/** The data of a text that goes back: its signature, and its phase (whether the model says it on its way or at the end). */
function keptOf(meta: SharedV3ProviderMetadata | undefined): SharedV3ProviderMetadata | undefined {
  for (const [vendor, { thoughtSignature, phase }] of Object.entries(meta ?? {})) {
    if (thoughtSignature != null) return meta;
    if (phase != null) return { [vendor]: { phase } };
  }
  return undefined;
}

function merged(
  a: SharedV3ProviderMetadata | undefined,
  b: SharedV3ProviderMetadata,
): SharedV3ProviderMetadata {
  if (!a) return b;
  const result = { ...a };
  for (const [vendor, values] of Object.entries(b)) result[vendor] = { ...result[vendor], ...values };
  return result;
}
