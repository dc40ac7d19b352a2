/** A language model: a request with a conversation and tools, and its reply. */

import type { Spent } from "../core/board/member.ts";
import type { AssistantMessage, Clearing, Message, ToolSpec } from "../core/conversation/chat.ts";
import type { Effort } from "../core/settings/effort.ts";

export type { ToolSpec };

/** Tokens of one reply. `inputTokens` counts everything read, cached or not. */
export type Usage = Pick<Spent, "inputTokens" | "cachedTokens" | "outputTokens">;

export type ModelRequest = {
  /** The same during a conversation. */
  readonly system: string;
  /** Grows at its end only, apart from compaction: a provider may keep what it translated before (by identity). */
  readonly messages: readonly Message[];
  /** The number of first parts of the first message that belong to the opening; the rest was heard. */
  readonly openingParts?: number;
  /** The same during a conversation, by identity too. */
  readonly tools: readonly ToolSpec[];
  readonly maxOutputTokens?: number;
  /** Old results that the provider leaves out of what the model reads. Only where the model `clears`. */
  readonly clearing?: Clearing | undefined;
  /** The effort of its thinking; the nearest level that the model has. Unset: the provider decides. */
  readonly effort?: Effort | undefined;
  /** The provider may search the web for this reply. Only where the model `searches`. */
  readonly searchesWeb?: boolean;
  /** Absent: nothing of this request comes again. */
  readonly cache?: CacheHint;
};

/** Hints that an adapter may give its provider about the next requests. */
export type CacheHint = {
  /** One conversation after the other of the same agent: its requests should reach the same cache. */
  readonly key: string;
  /** System prompt, tools and so many first parts of the first message are the same for the siblings of the agent. */
  readonly sharedParts: number;
  /**
   * The agent waits between its requests for longer than a short cache lasts (for gates, mail and tasks), and no sibling reads the
   * shared part meanwhile, which would keep it.
   */
  readonly waits: boolean;
};

export type Reply = {
  readonly message: AssistantMessage;
  /** `length`: the output limit cut it. `refused`: the provider's filter did. */
  readonly stop: "end" | "calls" | "length" | "refused";
  readonly usage: Usage;
  /** US dollars, when the model has a price. */
  readonly usd: number;
  /** The pages that a search of the web has found, in the order of the provider. */
  readonly sources?: readonly Source[] | undefined;
};

/** A page of the web. */
export type Source = { readonly url: string; readonly title: string };

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
  /** Awaited after each of these waits, because the process may have been frozen. @throws when the caller may not continue */
  readonly afterWait?: () => Promise<void>;
};

export interface Model {
  /** As the person wrote it: "anthropic/claude-…", "runbook". */
  readonly spec: string;
  /** Tokens of context. */
  readonly window: number;
  /** Its thoughts hold only behind exactly the request that they answer: nothing before them may be shortened in place. */
  readonly bindsPrefix?: boolean | undefined;
  /** Its provider clears old results when a request says so, and thoughts hold all the same. */
  readonly clears?: boolean | undefined;
  /** Its provider keeps the prefixes of requests for a while: siblings that share one pay less one after the other. */
  readonly caches?: boolean | undefined;
  /** The account that pays for it: the variable of its key, and a mark of the key. Its limits hold for all that use it. */
  readonly account?: string | undefined;
  /** Its provider searches the web. */
  readonly searches?: boolean | undefined;
  /** The longest reply it gives when `maxOutputTokens` asks for it, in tokens, if that is more than it gives unasked. */
  readonly longestReply?: number | undefined;
  /**
   * One reply. A stream that ends without its finish part is a failure, never a reply.
   * @throws EkidenError `model_auth` | `model_overloaded` (retryable, `facts.retryAfterMs`) | `model_refused` | `context_overflow`;
   *   the signal's reason when it aborts.
   */
  reply(request: ModelRequest, options: ReplyOptions): Promise<Reply>;
}
