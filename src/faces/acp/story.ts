/**
 * Sends the words and calls of one member as updates of a session: from its transcript, which holds everything, and from the pieces of the reply
 * that is being written. Nothing is sent twice: a reply that was streamed is not repeated when it is stored.
 */
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { callsOf, type Said, type ToolCall, textOf, thoughtsOf } from "../../core/conversation/chat.ts";
import { tagsIn } from "../../core/conversation/tags.ts";
import { type Name, PERSON } from "../../core/ids.ts";
import { shownCall } from "../../core/views/shown-call.ts";
import type { Delta, Recorded, Store } from "../../ports/index.ts";
import { type ShownInEditor, shownInEditor, textBlock } from "./shown.ts";

type Open = { readonly id: string; readonly call: ToolCall; readonly shown: ShownInEditor };

export type StoryOptions = {
  /** Relative paths of its calls begin here. */
  readonly cwd: string;
  /** Before the titles of its calls, where the session is not its own. */
  readonly label: string;
  /** False: only what changes a file is shown, and no words. */
  readonly whole: boolean;
};

export class Story {
  readonly who: Name;
  private readonly options: StoryOptions;
  private readonly send: (update: SessionUpdate) => void;
  private readonly open = new Map<string, Open>();
  private pieces = "";
  private thought = false;
  private nth = 0;
  private after = 0;
  private reading: Promise<void> = Promise.resolve();

  constructor(who: Name, options: StoryOptions, send: (update: SessionUpdate) => void) {
    this.who = who;
    this.options = options;
    this.send = send;
  }

  /** Reads what was added to the transcript. `from`: `silent` sends nothing, `replay` also what the person said. */
  readOn(store: Pick<Store, "transcript">, from: "now" | "silent" | "replay" = "now"): Promise<void> {
    const before = this.reading.catch(() => {});
    this.reading = before.then(async () => {
      for await (const page of store.transcript.pages(this.who, this.after)) {
        for (const one of from === "silent" ? [] : page) this.take(one, from === "replay");
        this.after = page.at(-1)?.seq ?? this.after;
      }
    });
    return this.reading;
  }

  delta({ type, text }: Delta): void {
    if (!this.options.whole || text === "") return;
    if (type === "thinking") this.thought = true;
    else this.pieces += text;
    this.say(type === "thinking" ? "agent_thought_chunk" : "agent_message_chunk", text);
  }

  /** The reply breaks off, and another one begins. */
  startOver(): void {
    if (this.pieces !== "") this.say("agent_message_chunk", "\n\n");
    this.pieces = "";
    this.thought = false;
    this.nth += 1;
  }

  /** The call that waits, with its id in the session. */
  openCall(
    tool: string,
    subject: string,
  ): { readonly id: string; readonly shown: ShownInEditor } | undefined {
    const calls = [...this.open.values()].filter(({ call }) => call.tool === tool);
    return (
      calls.find(({ call }) => JSON.stringify(call.input).includes(JSON.stringify(subject).slice(1, -1))) ??
      calls[0]
    );
  }

  private say(sessionUpdate: "agent_message_chunk" | "agent_thought_chunk", text: string): void {
    const messageId = `${this.who}-${this.after}-${this.nth}`;
    this.send({ sessionUpdate, messageId, content: { type: "text", text } });
  }

  private take({ seq, entry }: Recorded, replay: boolean): void {
    if (entry.kind === "said") this.said(entry, seq);
    else if (entry.kind === "result") this.ended(entry.result.id, entry.result.text, entry.result.isError);
    else if (entry.kind === "heard" && replay)
      for (const { tag, attributes, content } of tagsIn(entry.text))
        if (tag === "mail" && attributes.from === PERSON && attributes.kind === "note")
          this.send({ sessionUpdate: "user_message_chunk", content: { type: "text", text: content } });
  }

  private said({ message }: Said, seq: number): void {
    if (this.options.whole) this.words(message);
    // A reply whose calls never got an answer is older than a crash.
    for (const id of [...this.open.keys()]) this.ended(id, "interrupted", true);
    for (const call of callsOf(message)) {
      const { kind } = shownCall(call);
      if (!this.options.whole && kind !== "edit" && kind !== "write" && kind !== "command") continue;
      const shown = shownInEditor(call, this.options.cwd);
      const id = `${this.who}-${seq}-${call.id}`;
      this.open.set(call.id, { id, call, shown });
      const { title, ...rest } = shown;
      this.send({
        sessionUpdate: "tool_call",
        toolCallId: id,
        title: `${this.options.label}${title}`,
        ...rest,
        status: "in_progress",
        rawInput: call.input,
      });
    }
  }

  private words(message: Said["message"]): void {
    const thinking = thoughtsOf(message);
    if (thinking.trim() !== "" && !this.thought) this.say("agent_thought_chunk", thinking);
    const text = textOf(message);
    const rest = behind(this.pieces, text);
    if (rest === null) {
      if (this.pieces !== "") this.startOver();
      this.say("agent_message_chunk", text);
    }
    this.pieces = rest ?? "";
    this.thought = false;
    this.nth += 1;
  }

  private ended(callId: string, text: string, isError: boolean): void {
    const known = this.open.get(callId);
    if (!known) return;
    this.open.delete(callId);
    // A diff that was made needs no words.
    const content =
      known.shown.content.length > 0 && !isError
        ? {}
        : { content: [...known.shown.content, textBlock(text)] };
    this.send({
      sessionUpdate: "tool_call_update",
      toolCallId: known.id,
      status: isError ? "failed" : "completed",
      ...content,
    });
  }
}

/**
 * The streamed text behind a text that is stored; null where the latter was not streamed. White space is not compared. A reply that
 * was cut off is not stored: it may stand before the text.
 */
function behind(pieces: string, text: string): string | null {
  const letters = text.replace(/\s/g, "");
  const from = pieces.replace(/\s/g, "").indexOf(letters);
  if (from === -1) return null;
  let left = from + letters.length;
  let at = 0;
  for (; left > 0; at += 1) if (!/\s/.test(pieces[at] ?? "")) left -= 1;
  return pieces.slice(at).trimStart();
}
