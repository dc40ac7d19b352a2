/**
 * Folds entries into the messages that a model reads, one entry at a time, so that a turn costs what it adds and not the size of
 * the conversation. Message objects keep their identity after a reply: providers cache by it.
 *
 * Never fails: any list of entries gives a conversation in which every call is answered exactly once, directly after it and in
 * call order (a call that a crash left without result gets `INTERRUPTED`), every result has its call, and roles alternate.
 */

import {
  type AssistantMessage,
  type Clearing,
  callsOf,
  type Entry,
  INTERRUPTED,
  type Message,
  type Opening,
  type Said,
  type Summary,
  type Text,
  type Told,
  type ToolCall,
  type ToolResult,
  type Trim,
  type UserMessage,
} from "./chat.ts";
import { cutAt } from "./cut.ts";
import { imagesOf } from "./fitting-images.ts";
import type { Image } from "./image.ts";
import { clearing, trimmed, WHOLE, weigh, weighAll, withoutCleared } from "./trim.ts";
import { validEntry, validReply } from "./valid-entry.ts";

export class Conversation {
  /** Since the last summary: a cut makes it again of the first of them. */
  private entries: Entry[] = [];
  private settled: Message[] = [];
  /** `settled` as it is sent; the same array while nothing is trimmed. */
  private sent: Message[] = this.settled;
  private trimNow: Trim = WHOLE;
  private gist: Text | Image | null = null;
  private resting = false;
  private calls: readonly ToolCall[] = [];
  /** The ids of `calls` as they were recorded. */
  private originals: readonly string[] = [];
  /** The ids of all calls since the last summary. */
  private readonly ids = new Set<string>();
  private results = new Map<string, ToolResult>();
  private texts: (Text | Image)[] = [];
  private said: AssistantMessage | null = null;
  private sentSize = 0;
  /** Characters that a provider that clears leaves out. */
  clearedSize = 0;
  private opened: Opening | null = null;
  /** The first message with the texts of the opening before it; kept, because providers cache by identity. */
  private first: { readonly plain: Message; readonly opened: Message } | null = null;
  private toldNow: Told = {};
  private bindsNow = false;
  /** The fields that the next summary takes over from the last one. */
  carried: Pick<Summary, "forgets"> = {};

  constructor(entries: readonly Entry[] = []) {
    for (const entry of entries) this.add(entry);
  }

  /** A reply as it is to be recorded and carried out: its ids do not occur in the conversation yet. */
  accepted(message: AssistantMessage): AssistantMessage {
    return validReply(message, (id) => this.ids.has(id));
  }

  add(added: Entry): void {
    const entry = validEntry(added);
    if (entry.kind !== "cut") this.entries.push(entry);
    switch (entry.kind) {
      case "opened": {
        const { kind: _, ...opening } = entry;
        this.opened = opening;
        this.toldNow = { ...opening.told, ...this.toldNow };
        return;
      }
      case "summary":
        this.reset();
        this.entries = [entry];
        this.hear(entry.text);
        this.gist = this.texts[0] ?? null;
        this.resting = entry.atRest === true;
        this.carried = entry.forgets === undefined ? {} : { forgets: entry.forgets };
        return;
      case "cut": {
        const kept = cutAt(this.entries, entry);
        this.reset();
        this.entries = [];
        for (const one of kept) this.add(one);
        this.resting = entry.atRest === true;
        return;
      }
      case "trimmed":
        this.trimNow = entry.trim;
        this.sent = trimmed(this.settled, entry.trim);
        this.sentSize = weighAll(this.sent);
        this.clearedSize = entry.trim.cleared
          ? this.sentSize - weighAll(withoutCleared(this.sent, entry.trim.cleared))
          : 0;
        return;
      case "heard":
        this.hear(entry.text, entry.images, entry.ofProgram);
        if (entry.told) this.toldNow = { ...this.toldNow, ...entry.told };
        return;
      case "said":
        this.say(entry);
        return;
      case "result":
        this.answer(entry.result);
    }
  }

  /** Entries of older versions may hold what providers refuse. Their results keep the ids that their calls had. */
  private say({ message: given, binds }: Said): void {
    const message = this.accepted(given);
    if (message.content.length === 0) return;
    this.settle();
    if (this.settled.at(-1)?.role !== "user")
      this.push({ role: "user", content: [{ type: "text", text: "Continue." }] });
    this.push(message);
    this.said = message;
    this.bindsNow ||= binds === true;
    this.calls = callsOf(message);
    this.originals = callsOf(given).map(({ id }) => id);
    for (const { id } of this.calls) this.ids.add(id);
  }

  private answer(result: ToolResult): void {
    const at = this.originals.findIndex(
      (id, i) => id === result.id && !this.results.has(this.calls[i]?.id ?? ""),
    );
    const call = this.calls[at] ?? this.calls.find(({ id }) => id === result.id);
    if (!call || this.results.has(call.id)) return;
    this.results.set(call.id, call.id === result.id ? result : { ...result, id: call.id });
  }

  /** Characters of the whole next request: for estimates. */
  get size(): number {
    const tail = this.unanswered;
    return this.sentSize + (tail ? weigh(tail) : 0);
  }

  /** The messages of the next request; the last one is from the user side. `opening`: until it is recorded. */
  messages(opening: Opening | null = this.opened): Message[] {
    const tail = this.unanswered;
    const messages = tail ? [...this.sent, tail] : [...this.sent];
    if (opening && messages[0]) messages[0] = this.behind(opening, messages[0]);
    return messages;
  }

  private behind({ shared, own }: Opening, plain: Message): Message {
    if (plain.role !== "user") return plain;
    if (this.first?.plain === plain) return this.first.opened;
    const texts = [shared, own].flatMap((text): Text[] => (text === "" ? [] : [{ type: "text", text }]));
    const opened: Message = { role: "user", content: [...texts, ...plain.content] };
    if (this.opened && this.settled.length > 0) this.first = { plain, opened };
    return opened;
  }

  /** The opening of the conversation; null before its first reply. */
  get opening(): Opening | null {
    return this.opened;
  }

  /** The sections as the model was last told them. */
  get told(): Told {
    return this.toldNow;
  }

  /** It holds thoughts that bind what is before them. */
  get isBound(): boolean {
    return this.bindsNow;
  }

  /** Everything since the last summary, untrimmed, without entries after the last reply. */
  get whole(): readonly Message[] {
    return this.settled;
  }

  get trim(): Trim {
    return this.trimNow;
  }

  /** Whether it was answered before, or continues from a summary. */
  get goesOn(): boolean {
    return this.settled.length > 0 || this.gist !== null;
  }

  /** The summary that it continues from, until it is answered. */
  get notes(): Text | Image | null {
    return this.gist;
  }

  /** Whether nothing of it is shortened here. */
  get isWhole(): boolean {
    const { steps, results, reads } = this.trimNow;
    return steps + results + reads === 0;
  }

  /** The decision for a provider that clears. */
  get clearing(): Clearing | undefined {
    const { cleared } = this.trimNow;
    return cleared && clearing(this.messages(null), cleared);
  }

  /** The texts among `unanswered`, except a summary. */
  get news(): string[] {
    return this.texts.flatMap((part) => (part.type === "image" || part === this.gist ? [] : [part.text]));
  }

  /** The images among `unanswered`. */
  get newImages(): Image[] {
    return this.texts.filter((part) => part.type === "image");
  }

  get hasImages(): boolean {
    return this.messages().some((message) => imagesOf(message).length > 0);
  }

  /** True when something came in after the last reply: a request would not repeat the last one. */
  get awaitsReply(): boolean {
    return !this.resting && (this.texts.length > 0 || this.calls.length > 0);
  }

  get isEmpty(): boolean {
    return this.settled.length === 0 && this.texts.length === 0;
  }

  /** The last reply, if the conversation has one. */
  get lastSaid(): AssistantMessage | null {
    return this.said;
  }

  private hear(text: string, images: readonly Image[] = [], ofProgram?: true): void {
    this.resting = false;
    this.texts.push({ type: "text", text, ...(ofProgram && { ofProgram }) }, ...images);
  }

  /** The entries after the last reply: the model has not read them yet. */
  get unanswered(): UserMessage | null {
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
    const tail = this.unanswered;
    if (tail) this.push(tail);
    this.results = new Map();
    this.texts = [];
  }

  private push(message: Message): void {
    this.settled.push(message);
    this.sentSize += weigh(message);
    if (this.sent !== this.settled) this.sent.push(message);
  }

  /** Before a summary. Forgets the calls with all that belongs to them. */
  private reset(): void {
    this.settled = [];
    this.sent = this.settled;
    this.trimNow = WHOLE;
    this.calls = [];
    this.ids.clear();
    this.texts = [];
    this.said = null;
    this.sentSize = 0;
    this.clearedSize = 0;
    this.opened = null;
    this.first = null;
    this.toldNow = {};
    this.bindsNow = false;
  }
}
