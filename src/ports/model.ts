/** A language model: a request with a conversation and tools, and its reply. */
import type { AssistantMessage, Message } from "../core/conversation/chat.ts";
import type { Spent } from "../core/member.ts";

export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input, an object. */
  readonly schema: Readonly<Record<string, unknown>>;
};

/** Tokens of one reply. `inputTokens` counts everything read, cached or not. */
export type Usage = Pick<Spent, "inputTokens" | "cachedTokens" | "outputTokens">;

export type ModelRequest = {
  readonly system: string;
  /** Grows at its end only, apart from compaction: a provider may keep what it translated before (by identity). */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly maxOutputTokens?: number;
};

export type Reply = {
  readonly message: AssistantMessage;
  /** `length`: the output limit cut it. `refused`: the provider's filter did. */
  readonly stop: "end" | "calls" | "length" | "refused";
  readonly usage: Usage;
  /** US dollars, when the model has a price. */
  readonly usd: number;
};

/** Pieces of a reply while it streams: in-process, lossy, for screens only. */
export type Delta = { readonly type: "text" | "thinking"; readonly text: string };

export type ReplyOptions = {
  readonly signal: AbortSignal;
  readonly onDelta?: (delta: Delta) => void;
  /** The caller has another model to ask: it wants a failure after seconds, and not a reply after minutes. */
  readonly hasFallback?: boolean;
  /** Told before each wait of the retry policy. */
  readonly onRetry?: (retry: {
    readonly attempt: number;
    readonly waitMs: number;
    readonly why: string;
  }) => void;
  /** Awaited after each of these waits, because the process may have been frozen. @throws when the caller may not go on */
  readonly afterWait?: () => Promise<void>;
};

export interface Model {
  /** As the person wrote it: "anthropic/claude-…", "runbook". */
  readonly spec: string;
  /** Tokens of context. */
  readonly window: number;
  /** The longest reply it gives when `maxOutputTokens` asks for it, in tokens, if that is more than it gives unasked. */
  readonly longestReply?: number | undefined;
  /**
   * One reply. A stream that ends without its finish part is a failure, never a reply.
   * @throws EkidenError `model_auth` | `model_overloaded` (retryable, `facts.retryAfterMs`) | `model_refused` | `context_overflow`;
   *   the signal's reason when it aborts.
   */
  reply(request: ModelRequest, options: ReplyOptions): Promise<Reply>;
}
