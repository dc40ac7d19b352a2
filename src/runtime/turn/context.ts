/**
 * Keeps one agent's context small enough for its model. `core/conversation/compaction.ts` decides; this file stores the decisions,
 * asks for the notes and adds the facts that the harness knows better than the model. Nothing is ever removed from the transcript.
 */

import { addSpent, NOTHING_SPENT, type Spent } from "../../core/board/member.ts";
import { type Entry, type Summary, textOf, type UserMessage } from "../../core/conversation/chat.ts";
import {
  CHARACTERS_PER_TOKEN,
  type ContextLimits,
  calibrated,
  compactionSteps,
  limitsOf,
  type Shortener,
} from "../../core/conversation/compaction.ts";
import { rendered, summarySystem, summaryText } from "../../core/conversation/summary.ts";
import { countResults } from "../../core/conversation/trim.ts";
import { EkidenError, isEkidenError, messageOf } from "../../core/errors.ts";
import type { Instant } from "../../core/ids.ts";
import type { Model, Reply } from "../../ports/index.ts";
import type { Agent } from "../agent/agent.ts";
import { newConversation } from "./new-conversation.ts";
import { heardAgain, newsOf } from "./news.ts";
import { heldFacts } from "./pinned.ts";
import type { ProviderBackoff } from "./provider-backoff.ts";
import { record } from "./record.ts";
import { lengthOf, sizeOfOpening } from "./size.ts";
import { doesNotFit, firstTooLarge } from "./too-large.ts";

/** The waiting of its calls for their provider. */
type Waiting = Pick<ProviderBackoff, "waiting">;
export type Compacted = { readonly before: number; readonly after: number };

/** Summaries in a row that may fail or not help before the member gives up. */
const ATTEMPTS = 3;

export class Context {
  private readonly agent: Agent;
  private readonly backoff: Waiting;
  private charactersPerToken = CHARACTERS_PER_TOKEN;
  /** The window as a provider proved it, when it is smaller than assumed. */
  private proven = Number.POSITIVE_INFINITY;
  private asked = false;
  private clears = false;
  /** Turns in a row that needed a summary. */
  private summaries = 0;
  private extra: Spent = NOTHING_SPENT;

  constructor(agent: Agent, backoff: Waiting) {
    this.agent = agent;
    this.backoff = backoff;
  }

  /** A summary before the next request: the `compact` tool. */
  ask(): void {
    this.asked = true;
  }

  /** The cost of summaries since the last call. */
  takeSpent(): Spent {
    const { extra } = this;
    this.extra = NOTHING_SPENT;
    return extra;
  }

  /** Estimated size of the request if it were sent now. */
  get tokens(): number {
    return Math.ceil(this.characters / this.charactersPerToken);
  }

  learn({ usage }: Reply, characters: number): void {
    this.charactersPerToken = calibrated(this.charactersPerToken, characters, usage.inputTokens);
    // a request that succeeded proves the window too: one odd refusal must not keep it small for ever
    this.proven = Math.max(this.proven, (characters / this.charactersPerToken) * 1.5);
  }

  get characters(): number {
    const { loadout, conversation } = this.agent;
    const opening = sizeOfOpening(conversation.opening ?? loadout.opening);
    return opening + conversation.size - (this.clears ? conversation.clearedSize : 0);
  }

  /**
   * Before every model call. @throws EkidenError `context_overflow` when summaries fail or do not help three times in a row,
   * and what the model throws.
   */
  async fit(model: Model, signal: AbortSignal): Promise<void> {
    const { conversation } = this.agent;
    this.clears = model.clears === true;
    const steps = compactionSteps(
      {
        messages: conversation.whole,
        unread: conversation.unanswered ? countResults(conversation.unanswered) : 0,
        images: conversation.newImages,
        trim: conversation.trim,
        tokens: this.tokens,
        charactersPerToken: this.charactersPerToken,
      },
      this.limits(model),
      this.agent.context,
      this.shortener(model),
    );
    if (this.asked || steps.some((step) => step.layer === "summary")) {
      const { asked } = this;
      this.asked = false;
      if (await this.agent.hooks?.compact("auto", signal)) return;
      this.summaries = asked ? 0 : this.summaries + 1;
      if (this.summaries > ATTEMPTS)
        throw doesNotFit(this.agent, model, "every turn needs a summary, and none makes it small enough");
      await this.summarise(model, signal, false).catch((error: unknown) => {
        if (!asked || !isEkidenError(error, "context_overflow")) throw error; // a summary on request may fail
      });
      return;
    }
    this.summaries = 0;
    let before = this.tokens;
    for (const step of steps) {
      if (step.layer === "summary") continue;
      const entry: Entry = { kind: "trimmed", trim: step.trim };
      await this.write([entry], step.layer, before, step.after);
      conversation.add(entry);
      before = step.after;
    }
  }

  /** Old results are shortened in place only where no thought holds what is before it: else they wait for a summary. */
  private shortener({ clears, bindsPrefix }: Model): Shortener {
    const { fallback, conversation } = this.agent;
    if (clears && conversation.isWhole) return "provider";
    return bindsPrefix || fallback?.bindsPrefix || conversation.isBound ? "nobody" : "program";
  }

  /**
   * The provider says that the request is too long: the window is smaller than assumed, or the estimate too low. False: there was nothing
   * to sum up.
   */
  async overflowed(model: Model, signal: AbortSignal): Promise<boolean> {
    this.proven = Math.min(this.limits(model).summariseAt, Math.floor(this.tokens * 0.9));
    return (await this.summarise(model, signal, false)) !== null;
  }

  /**
   * Replaces the conversation by notes, whatever its size. Null: there was nothing to sum up. `atRest`: nothing waits for a reply,
   * and the summary must not look as if it did.
   */
  async summarise(model: Model, signal: AbortSignal, atRest: boolean): Promise<Compacted | null> {
    const { conversation } = this.agent;
    const limits = this.limits(model);
    const room = this.factRoom(limits);
    const news = await newsOf(this.agent, room);
    const { unanswered, whole } = conversation;
    if (whole.length === 0 && !news.shortened) return null;
    await this.beforeSummary(signal);
    const notes =
      whole.length === 0 ? "(nothing has been done yet)" : await this.notes(model, limits, signal);
    const results = unanswered?.content.filter((part) => part.type === "result") ?? [];
    const reply = whole.at(-1);
    const step: UserMessage = { role: "user", content: results };
    const text = summaryText({
      identity: this.agent.identity,
      notes,
      last: results.length > 0 && reply ? [reply, step] : [],
      facts: await heldFacts(this.agent, room),
      room,
    });
    const summary: Summary = { kind: "summary", text, ...(atRest && { atRest }), ...conversation.carried };
    return await this.replace(summary, news.texts, "summary");
  }

  /** Begins the conversation again, without a model call. Null: it is new. */
  async clear(model: Model, atRest: boolean): Promise<Compacted | null> {
    if (this.agent.conversation.whole.length === 0) return null;
    const room = this.factRoom(this.limits(model));
    const { texts } = await newsOf(this.agent, room);
    const summary = await newConversation(this.agent, room, atRest);
    return await this.replace(summary, texts, "clear");
  }

  private async replace(summary: Summary, news: readonly string[], layer: string): Promise<Compacted> {
    const { conversation } = this.agent;
    const before = this.tokens;
    const entries: Entry[] = [summary, ...heardAgain(news, conversation.newImages)];
    const after = Math.ceil(
      (sizeOfOpening(this.agent.loadout.opening) + summary.text.length + lengthOf(news)) /
        this.charactersPerToken,
    );
    await this.write(entries, layer, before, after);
    for (const entry of entries) conversation.add(entry);
    return { before, after };
  }

  /** Characters that each fact and the news may have after a summary. */
  factRoom(limits: ContextLimits): number {
    return Math.floor((limits.summariseAt / 4) * this.charactersPerToken);
  }

  private async beforeSummary(signal: AbortSignal): Promise<void> {
    const { agent } = this;
    for (const feature of agent.features)
      await feature.onSummary?.(agent, signal).catch(async (error: unknown) => {
        if (signal.aborted) throw error;
        await agent.store.journal.warn(agent.seat.name, messageOf(error));
      });
  }

  /** @throws EkidenError `context_overflow` after three failures in a row; other errors at once. */
  private async notes(model: Model, limits: ContextLimits, signal: AbortSignal): Promise<string> {
    const { conversation } = this.agent;
    const { whole, unanswered } = conversation;
    const all = unanswered ? [...whole, unanswered] : whole;
    let why = "";
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const room = Math.floor(this.room(limits) / 2 ** attempt);
      try {
        const notes = await this.askForNotes(model, rendered(all, this.agent.identity, room), limits, signal);
        if (notes !== "") return notes;
        why = "the model answered nothing";
      } catch (error) {
        if (!isEkidenError(error, "context_overflow") && !isEkidenError(error, "model_refused")) throw error;
        why = messageOf(error);
      }
    }
    if (this.tokens <= limits.summariseAt)
      throw new EkidenError(
        "context_overflow",
        `${model.spec} did not sum up the conversation of ${this.agent.seat.name}: ${why}. It stays as it is, and still fits.`,
      );
    throw doesNotFit(this.agent, model, `${ATTEMPTS} summaries failed, the last because: ${why}`);
  }

  private async askForNotes(
    model: Model,
    conversation: string,
    limits: ContextLimits,
    signal: AbortSignal,
  ): Promise<string> {
    const began = this.agent.clock.now();
    const reply = await model.reply(
      {
        system: summarySystem(this.agent.identity),
        messages: [{ role: "user", content: [{ type: "text", text: conversation }] }],
        tools: [],
        maxOutputTokens: Math.max(
          256,
          Math.min(this.agent.context.notesTokens, Math.floor(limits.summariseAt / 4)),
        ),
      },
      { signal, ...this.backoff.waiting(model) },
    );
    await this.book(model, reply, began);
    return textOf(reply.message);
  }

  /** Records the cost of a reply that does not become part of the conversation. */
  async book(model: Model, { usage, usd }: Reply, began: Instant): Promise<void> {
    const { seat, clock, subagent } = this.agent;
    const fact = {
      type: "turn.taken",
      who: seat.name,
      model: model.spec,
      ...usage,
      usd,
      ms: clock.now() - began,
      text: "",
      ...(subagent && { subagent }),
    } as const;
    const spent: Spent = { turns: 1, ...usage, usd };
    await record(this.agent, [], { facts: [fact], spent });
    this.extra = addSpent(this.extra, spent);
  }

  /** Characters that a conversation may have as one text. */
  room(limits: ContextLimits): number {
    return Math.floor(limits.summariseAt * 0.75 * this.charactersPerToken);
  }

  limits(model: Model): ContextLimits {
    const limits = limitsOf(model.window, this.agent.context);
    const summariseAt = Math.min(limits.summariseAt, this.proven);
    return { summariseAt, trimAt: Math.min(limits.trimAt, Math.floor(summariseAt / 2)) };
  }

  private async write(
    entries: readonly Entry[],
    layer: string,
    before: number,
    after: number,
  ): Promise<void> {
    const who = this.agent.seat.name;
    await record(this.agent, entries, { facts: [{ type: "context.compacted", who, layer, before, after }] });
  }

  /** The request stays too large for its provider. `summed`: a summary did not help. */
  tooLarge(model: Model, { message }: EkidenError, summed: boolean): EkidenError {
    if (summed) return doesNotFit(this.agent, model, `it is refused after a summary, too (${message})`);
    return firstTooLarge(this.agent, model, this.characters, this.charactersPerToken, message);
  }
}
