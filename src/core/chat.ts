/**
 * A conversation, neutral of any provider: providers translate at their own edge and nothing else knows their shapes.
 *
 * What is stored are *entries*, one per event (a text that came in, a reply, the result of one call). What a model reads are
 * *messages*, assembled from entries: results go behind the reply that asked for them, in call order, and a call that a crash
 * left without a result gets one that says so. So no unanswered call ever reaches a provider.
 */
export type Text = { readonly type: "text"; readonly text: string };
/** A thinking block. `meta` is the provider's own (signature, redacted data) and goes back to it untouched. */
export type Thinking = { readonly type: "thinking"; readonly text: string; readonly meta?: unknown };
export type ToolCall = { readonly type: "call"; readonly id: string; readonly tool: string; readonly input: unknown; readonly meta?: unknown };
export type ToolResult = { readonly type: "result"; readonly id: string; readonly tool: string; readonly text: string; readonly isError: boolean };

export type UserMessage = { readonly role: "user"; readonly content: readonly (ToolResult | Text)[] };
export type AssistantMessage = { readonly role: "assistant"; readonly content: readonly (Thinking | Text | ToolCall)[] };
export type Message = UserMessage | AssistantMessage;

/** One row of a transcript. */
export type Entry =
  | { readonly kind: "heard"; readonly text: string } //            mail, a claim, a reminder: from the harness to the model
  | { readonly kind: "said"; readonly message: AssistantMessage } // a reply, stored before its calls run
  | { readonly kind: "result"; readonly result: ToolResult } //      the answer to one call
  | { readonly kind: "summary"; readonly text: string }; //          a compaction: stands for everything before it

export const heard = (text: string): Entry => ({ kind: "heard", text });

export const callsOf = (message: AssistantMessage): ToolCall[] => message.content.filter((c) => c.type === "call");

export const textOf = (message: Message): string => message.content.flatMap((c) => (c.type === "text" ? [c.text] : [])).join("\n").trim();

export const INTERRUPTED = "Interrupted: it may or may not have taken effect. Check before you repeat it.";

/** The calls of the last reply that have no result yet, in call order. */
export function openCalls(entries: readonly Entry[]): ToolCall[] {
  const answered = new Set<string>();
  for (let i = entries.length - 1; i >= 0; i -= 1) {
    const entry = entries[i] as Entry;
    if (entry.kind === "result") answered.add(entry.result.id);
    if (entry.kind === "said") return callsOf(entry.message).filter((call) => !answered.has(call.id));
  }
  return [];
}

/**
 * Entries to messages. Everything before the last summary is left out. Total: any list of entries gives a conversation in
 * which every call is answered exactly once, directly behind it, every result has its call, and roles alternate.
 */
export function assemble(entries: readonly Entry[]): Message[] {
  const messages: Message[] = [];
  let pending: UserMessage["content"][number][] = [];
  let calls: ToolCall[] = [];
  let results = new Map<string, ToolResult>();
  const flush = (): void => {
    const answers = calls.map((call): ToolResult => results.get(call.id) ?? { type: "result", id: call.id, tool: call.tool, text: INTERRUPTED, isError: true });
    const content = [...answers, ...pending];
    if (content.length > 0) messages.push({ role: "user", content });
    pending = [];
    calls = [];
    results = new Map();
  };
  for (const entry of entries.slice(lastSummary(entries))) {
    switch (entry.kind) {
      case "summary":
      case "heard":
        pending.push({ type: "text", text: entry.text });
        break;
      case "said":
        flush();
        if (messages.at(-1)?.role === "assistant") messages.push({ role: "user", content: [{ type: "text", text: "Go on." }] });
        if (entry.message.content.length > 0) messages.push(entry.message);
        calls = callsOf(entry.message);
        break;
      case "result":
        if (!results.has(entry.result.id)) results.set(entry.result.id, entry.result);
        break;
    }
  }
  flush();
  return messages;
}

export function lastSummary(entries: readonly Entry[]): number {
  for (let i = entries.length - 1; i > 0; i -= 1) if (entries[i]?.kind === "summary") return i;
  return 0;
}
