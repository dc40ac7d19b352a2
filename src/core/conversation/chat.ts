/**
 * A conversation, neutral of any provider: providers translate at their own edge and nothing else knows their shapes.
 *
 * What is stored are *entries*, one per event (a text that came in, a reply, the result of one call). What a model reads are
 * *messages*, folded from entries by `Conversation`, which sees to it that no unanswered call ever reaches a provider.
 */
export type Text = { readonly type: "text"; readonly text: string };
/** A thinking block. `meta` is the provider's own (signature, redacted data) and goes back to it untouched. */
export type Thinking = { readonly type: "thinking"; readonly text: string; readonly meta?: unknown };
export type ToolCall = {
  readonly type: "call";
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly meta?: unknown;
};
export type ToolResult = {
  readonly type: "result";
  readonly id: string;
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
};

export type UserMessage = { readonly role: "user"; readonly content: readonly (ToolResult | Text)[] };
export type AssistantMessage = {
  readonly role: "assistant";
  readonly content: readonly (Thinking | Text | ToolCall)[];
};
export type Message = UserMessage | AssistantMessage;

/** One row of a transcript. */
export type Entry =
  | { readonly kind: "heard"; readonly text: string } //            mail, a claim, a reminder: from the harness to the model
  | { readonly kind: "said"; readonly message: AssistantMessage } // a reply, stored before its calls run
  | { readonly kind: "result"; readonly result: ToolResult } //      the answer to one call
  /** A compaction: stands for everything before it. `atRest`: made while nothing waited for a reply, so it asks for none. */
  | { readonly kind: "summary"; readonly text: string; readonly atRest?: true }
  /** From here on, what stands before is sent shortened. The entries stay as they are. */
  | { readonly kind: "trimmed"; readonly trim: Trim };

/** How far a conversation since its last summary is sent shortened. Numbers only grow until the next summary. */
export type Trim = {
  /** Tool steps in front of this message (counted from 0) are left out. */
  readonly steps: number;
  /** The first so many results are one line each, but for what is read to be kept. */
  readonly results: number;
  /** The first so many results are one line each, whatever their tool. */
  readonly reads: number;
};

export const heard = (text: string): Entry => ({ kind: "heard", text });

export const callsOf = (message: AssistantMessage): ToolCall[] =>
  message.content.filter((c) => c.type === "call");

export const textOf = (message: Message): string =>
  message.content
    .flatMap((c) => (c.type === "text" ? [c.text] : []))
    .join("\n")
    .trim();

export const INTERRUPTED = "Interrupted: it may or may not have taken effect. Check before you repeat it.";

/** Where a call keeps input that was not a JSON object: an object again, because providers take nothing else back. */
export const INVALID_INPUT = "__invalid";

/** The raw text a model gave in the place of a JSON object, or null for proper input. Such a call is answered, never run. */
export function invalidInput(call: ToolCall): string | null {
  const { input } = call;
  if (typeof input !== "object" || input === null || Array.isArray(input)) return JSON.stringify(input) ?? "";
  const raw: unknown = (input as Record<string, unknown>)[INVALID_INPUT];
  return typeof raw === "string" ? raw : null;
}
