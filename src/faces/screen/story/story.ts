/**
 * Turns the words and calls of one member into blocks of a feed: from its transcript, which holds everything, and from the pieces of the reply that
 * is being written. A reply that is stored replaces its pieces.
 */

import { callsOf, type Entry, textOf, thoughtsOf } from "../../../core/conversation/chat.ts";
import { tagsIn } from "../../../core/conversation/tags.ts";
import { type Todo, TodoWatch } from "../../../core/conversation/todo.ts";
import { LEAD, type MailId, type Name, PERSON } from "../../../core/ids.ts";
import type { Retry } from "../../../core/views/retry.ts";
import { shownCall } from "../../../core/views/shown-call.ts";
import type { Delta, Recorded, Store } from "../../../ports/index.ts";
import type { Change } from "../draw/diff.ts";
import { oneLine, type Style } from "../draw/style.ts";
import { Answer, breakWords, newsLine, PromptBlock, retrying, Thought } from "./blocks.ts";
import { CallBlock } from "./call-block.ts";
import type { Block, Feed } from "./feed.ts";
import { LatePieces } from "./late-pieces.ts";

/** Lines of a mail or of a task's text before it is folded. */
const HEARD_LINES = 4;
const LIVE_MAX = 20_000; // of a reply that is written and not on the screen
const EDITS_KEPT = 8;
const LATE_MS = 10_000; // pieces that come later are of another reply

export class Story {
  readonly who: Name;
  readonly feed: Feed;
  private readonly style: Style;
  /** Entries before this time are not shown. */
  private readonly since: number;
  private readonly open = new Map<string, CallBlock>();
  private readonly todo = new TodoWatch();
  /** Prompts that the screen showed when they were sent. */
  private readonly echoed: PromptBlock[] = [];
  private justEdited: Change[] = [];
  private answer: Answer | null = null;
  private thought: Thought | null = null;
  /** Pieces that come now are of a reply that was cut off, until the member goes to work again. */
  isCut = false;
  /** The line that says when the model is asked again. */
  private waiting: Block | null = null;
  private retry: Retry | null = null;
  private after = 0;
  private reading: Promise<void> = Promise.resolve();
  private readonly late = { text: new LatePieces(), thinking: new LatePieces() };

  constructor(who: Name, feed: Feed, style: Style, since = 0) {
    this.who = who;
    this.since = since;
    this.feed = feed;
    this.style = style;
  }

  /** Empty for the lead, whose feed is that of the team. */
  private get label(): string {
    return this.who === LEAD ? "" : this.who;
  }

  /** The calls that have no answer yet. */
  get running(): readonly CallBlock[] {
    return [...this.open.values()];
  }

  get todos(): readonly Todo[] {
    return this.todo.list;
  }

  /** The last line of the reply, or of the thought, that is being written; null where none is. */
  get writing(): string | null {
    const text = this.answer?.markdown.text ?? this.thought?.text ?? null;
    return text && oneLine(text.split("\n").findLast((line) => line.trim() !== "") ?? "");
  }

  /** The change of the next edit that has ended and was not returned yet. */
  lastEdit(): Change | null {
    return this.justEdited.shift() ?? null;
  }

  /** Reads what was added to the transcript, up to that moment. */
  readOn(store: Store, until = Number.POSITIVE_INFINITY): Promise<void> {
    this.reading = this.reading.then(async () => {
      for await (const page of store.transcript.pages(this.who, this.after)) {
        const then = page.filter(({ at }) => at <= until);
        for (const recorded of then) if (recorded.at >= this.since) this.take(recorded);
        this.after = then.at(-1)?.seq ?? this.after;
        if (then.length < page.length) return;
      }
    });
    return this.reading;
  }

  /** `isBusy`: the member is at work, and reads it later. */
  echo(text: string, isBusy = false): PromptBlock {
    const block = new PromptBlock(this.style, text, this.label, isBusy);
    this.isCut = false;
    this.echoed.push(block);
    this.put(block);
    return block;
  }

  /** A message of the person that waits to be read. */
  unread(mail: MailId, text: string): void {
    if (this.echoed.some((one) => one.mail === mail)) return;
    const own = this.echoed.find((one) => one.mail === null && one.text.trim() === text.trim());
    (own ?? this.echo(text, true)).mail = mail;
  }

  /** The newest message that is marked as queued. */
  get queued(): PromptBlock | null {
    return this.echoed.findLast(({ isQueued }) => isQueued) ?? null;
  }

  /** Its sender took it back. */
  takenBack(mail: MailId): void {
    for (const block of this.echoed.filter((one) => one.mail === mail)) this.drop(block);
  }

  /** It was not sent. */
  drop(block: PromptBlock): void {
    const at = this.echoed.indexOf(block);
    if (at >= 0) this.echoed.splice(at, 1);
    this.feed.remove(block);
  }

  /** The model is asked again: the pieces of the reply are void. Null: not any more. */
  retried(retry: Retry | null): void {
    this.retry = retry;
    if (retry) this.startOver();
    if (!retry && this.waiting) this.feed.remove(this.waiting);
    if (!retry) this.waiting = null;
    else if (!this.waiting) {
      this.waiting = retrying(this.style, this.label, () => this.retry ?? retry);
      this.put(this.waiting);
    }
  }

  delta({ type, text: piece }: Delta): void {
    if (this.isCut) return;
    this.retried(null);
    const text = this.late[type].fresh(piece);
    if (text === "") return;
    if (type === "thinking") {
      if (!this.thought) {
        this.thought = new Thought(this.style);
        this.put(this.thought);
      }
      this.thought.text = (this.thought.text + text).slice(-LIVE_MAX);
      return;
    }
    if (!this.answer) {
      this.answer = new Answer(this.style);
      this.put(this.answer);
    }
    this.answer.markdown.text += text;
  }

  output(command: string, text: string): void {
    const running = this.running.flatMap((block) => {
      const shown = shownCall(block.call);
      return shown.kind === "command" ? { block, command: shown.command } : [];
    });
    const fitting = running.find((one) => one.command === command) ?? running.at(-1);
    fitting?.block.output(text);
  }

  /** The pieces of a reply that will not be finished stay, with the reason. */
  cutOff(why: string): void {
    this.retried(null);
    this.isCut = true;
    this.answer?.cutOff(why);
    if (!this.answer) this.put(newsLine(this.style, this.label, why, "warn"));
    this.answer = null;
    this.thought = null;
  }

  /** The pieces of the reply until now are void. */
  startOver(): void {
    for (const block of [this.answer, this.thought]) if (block) this.feed.remove(block);
    this.answer = null;
    this.thought = null;
  }

  private take({ at, entry }: Recorded): void {
    this.isCut = false;
    if (entry.kind !== "heard") this.todo.afterRound([entry]);
    switch (entry.kind) {
      case "heard":
        this.hear(entry.text);
        return;
      case "said":
        this.said(entry, at);
        return;
      case "result": {
        const block = this.open.get(entry.result.id);
        this.open.delete(entry.result.id);
        block?.end(entry.result.text, entry.result.isError, at);
        if (block?.edited) this.justEdited = [...this.justEdited, block.edited].slice(-EDITS_KEPT);
        return;
      }
      case "cut":
      case "summary":
        this.put(newsLine(this.style, "", breakWords(entry), "dim"));
        return;
      case "opened":
      case "trimmed":
        return;
      default:
        entry satisfies never;
    }
  }

  /** Messages that the member has not read stay at the end. */
  private put(block: Block, before: Block | null = null): void {
    const queued = this.echoed.find((one) => one.isQueued && one !== block) ?? null;
    this.feed.add(
      block,
      before ?? (block instanceof PromptBlock && block.isQueued ? null : queued),
      this.who,
    );
  }

  /** A message that was read is older than the reply that is being written. */
  private addHeard(block: Block): void {
    this.put(block, this.thought ?? this.answer);
  }

  /** A person is asked, and has answered: the calls that are open do not take this time. */
  waits(at: number): void {
    for (const block of this.open.values()) block.waits(at);
  }

  goesOn(at: number): void {
    for (const block of this.open.values()) block.goesOn(at);
  }

  private hear(text: string): void {
    for (const { tag, attributes, content } of tagsIn(text)) {
      const isPersons = attributes.from === PERSON && attributes.kind === "note";
      if (tag === "mail" && isPersons) this.heardPerson(content, Number(attributes.id));
      else if (tag === "mail" && !(this.who === LEAD && ROUTINE.has(attributes.kind ?? "")))
        this.addHeard(newsLine(this.style, `${attributes.from} → ${this.who}`, content, "dim", HEARD_LINES));
      else if (tag === "auto-claimed" || tag === "own-task")
        this.addHeard(newsLine(this.style, "", content, "dim", HEARD_LINES));
    }
  }

  private heardPerson(text: string, mail: number): void {
    const byText = this.echoed.findIndex((block) => block.text.trim() === text.trim());
    const byMail = this.echoed.findIndex((block) => block.mail === mail);
    const at = byMail < 0 ? byText : byMail;
    const [block] = at >= 0 ? this.echoed.splice(at, 1) : [];
    if (block) block.isQueued = false;
    else this.addHeard(new PromptBlock(this.style, text, this.label));
  }

  private said({ message }: Extract<Entry, { kind: "said" }>, at: number): void {
    this.retried(null);
    const { answer: live, thought } = this;
    const text = textOf(message);
    const pieces = live?.markdown.text ?? "";
    const thinking = thoughtsOf(message);
    this.startOver();
    // An old reply is told by no pieces any more.
    const isNew = Date.now() - at < LATE_MS;
    this.late.text.expect(isNew ? text : "", pieces);
    this.late.thinking.expect(isNew ? thinking : "", thought?.text ?? "");
    const whole = thinking || (text !== "" && thought ? thought.text : "");
    if (whole.trim() !== "") this.put(new Thought(this.style, whole));
    if (text !== "") {
      // The same block continues: it is rendered already.
      const same = live && pieces.trim() === text;
      this.put(same ? live : new Answer(this.style, text));
    }
    // A reply whose calls never got an answer is older than a crash.
    for (const block of this.open.values()) block.end("interrupted", true, at);
    this.open.clear();
    for (const call of callsOf(message)) {
      const block = new CallBlock(this.style, call, at);
      this.open.set(call.id, block);
      this.put(block);
    }
    // Pieces of the next reply may have come before this one was read.
    const next = pieces.trimStart().startsWith(text) ? pieces.trimStart().slice(text.length) : "";
    if (next.trim() !== "") this.delta({ type: "text", text: next });
  }
}

/** Mail to the lead that the news of the team shows already. */
const ROUTINE: ReadonlySet<string> = new Set([
  "result",
  "idle_notice",
  "stopped",
  "task_failed",
  "board_quiet",
  "plan_submission",
  "permission_request",
  "shutdown_response",
  "cron",
]);
