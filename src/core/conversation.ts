/**
 * Entries folded into the messages a model reads, one entry at a time, so that a turn costs what it adds and not what the
 * conversation weighs. Message objects keep their identity once a reply stands behind them: providers cache by it.
 *
 * Total: any list of entries gives a conversation in which every call is answered exactly once, directly behind it and in call
 * order (a crash leaves calls without result: they get `INTERRUPTED`), every result has its call, and roles alternate.
 */
import {
  type AssistantMessage,
  callsOf,
  type Entry,
  INTERRUPTED,
  type Message,
  type Text,
  type ToolCall,
  type ToolResult,
  type UserMessage,
} from "./chat.ts";

export class Conversation {
  private settled: Message[] = [];
  private calls: readonly ToolCall[] = [];
  private results = new Map<string, ToolResult>();
  private texts: Text[] = [];
  private said: AssistantMessage | null = null;
  /** Characters of everything a request would hold now: for estimates. */
  size = 0;

  constructor(entries: readonly Entry[] = []) {
    for (const entry of entries) this.add(entry);
  }

  add(entry: Entry): void {
    switch (entry.kind) {
      case "summary":
        this.reset();
        this.hear(entry.text);
        return;
      case "heard":
        this.hear(entry.text);
        return;
      case "said":
        if (entry.message.content.length === 0) return;
        this.settle();
        if (this.settled.at(-1)?.role !== "user")
          this.settled.push({ role: "user", content: [{ type: "text", text: "Go on." }] });
        this.settled.push(entry.message);
        this.said = entry.message;
        this.calls = callsOf(entry.message);
        this.size += weigh(entry.message);
        return;
      case "result":
        if (!this.calls.some((call) => call.id === entry.result.id) || this.results.has(entry.result.id))
          return;
        this.results.set(entry.result.id, entry.result);
        this.size += entry.result.text.length;
    }
  }

  /** What a request holds: ends with what the user side said last. */
  messages(): Message[] {
    const tail = this.tail();
    return tail ? [...this.settled, tail] : [...this.settled];
  }

  /** Calls of the last reply that have no result yet, in call order. */
  openCalls(): ToolCall[] {
    return this.calls.filter((call) => !this.results.has(call.id));
  }

  /** True when something came in behind the last reply: a request would not ask the model the same again. */
  get awaitsReply(): boolean {
    return this.texts.length > 0 || this.calls.length > 0;
  }

  get isEmpty(): boolean {
    return this.settled.length === 0 && this.texts.length === 0;
  }

  /** The last reply, if the conversation has one. */
  get lastSaid(): AssistantMessage | null {
    return this.said;
  }

  private hear(text: string): void {
    this.texts.push({ type: "text", text });
    this.size += text.length;
  }

  private tail(): UserMessage | null {
    const answers = this.calls.map(
      (call): ToolResult =>
        this.results.get(call.id) ?? {
          type: "result",
          id: call.id,
          tool: call.tool,
          text: INTERRUPTED,
          isError: true,
        },
    );
    const content = [...answers, ...this.texts];
    return content.length > 0 ? { role: "user", content } : null;
  }

  private settle(): void {
    const tail = this.tail();
    if (tail) this.settled.push(tail);
    this.calls = [];
    this.results = new Map();
    this.texts = [];
  }

  private reset(): void {
    this.settled = [];
    this.calls = [];
    this.results = new Map();
    this.texts = [];
    this.said = null;
    this.size = 0;
  }
}

/** Everything before the last summary is left out. */
export const assemble = (entries: readonly Entry[]): Message[] => new Conversation(entries).messages();

function weigh(message: AssistantMessage): number {
  let size = 0;
  for (const part of message.content)
    size +=
      part.type === "call" ? JSON.stringify(part.input ?? null).length + part.tool.length : part.text.length;
  return size;
}
