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
  | { readonly kind: "summary"; readonly text: string }; //          a compaction: stands for everything before it

export const heard = (text: string): Entry => ({ kind: "heard", text });

export const callsOf = (message: AssistantMessage): ToolCall[] =>
  message.content.filter((c) => c.type === "call");

export const textOf = (message: Message): string =>
  message.content
    .flatMap((c) => (c.type === "text" ? [c.text] : []))
    .join("\n")
    .trim();

export const INTERRUPTED = "Interrupted: it may or may not have taken effect. Check before you repeat it.";
