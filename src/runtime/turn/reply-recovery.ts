/**
 * Gets a reply in spite of failures. The model itself retries what a short wait can solve (its retries share one gate per provider
 * and key); this file handles the rest:
 *
 * | the model says                    | reaction                                                                         |
 * |-----------------------------------|----------------------------------------------------------------------------------|
 * | the request is too long           | one summary, one more try; nothing where there is nothing to sum up              |
 * | overloaded, retries used up       | the fallback model for a while; without one the member waits (`ProviderBackoff`) |
 * | not there (404)                   | the fallback model for a while; without one the member fails                     |
 * | its account is at a limit, unpaid | the fallback model until that ends; without one the member rests (`Ability`)     |
 * | cut off by the output limit       | once more with a longer limit if it has one; else "go on", three times at most   |
 * | nothing, or it refuses to continue   | one hint; then the member rests                                                  |
 * | the conversation is refused (400) | other forms of it, see `refused.ts`                                              |
 * | anything else is refused          | nothing: the member fails at once                                                |
 */

import type { Spent } from "../../core/board/member.ts";
import { callsOf, type Entry, type Message, type Opening, textOf } from "../../core/conversation/chat.ts";
import { digest, digestOf, prefixOf } from "../../core/conversation/prefix.ts";
import { CUT_OFF, NOTHING_SAID, REFUSED } from "../../core/conversation/prompt.ts";
import { EkidenError, isEkidenError, messageOf } from "../../core/errors.ts";
import { type Instant, instant, later } from "../../core/ids.ts";
import type { CacheHint, Model, Reply } from "../../ports/index.ts";
import type { Agent } from "../agent/agent.ts";
import { Context } from "./context.ts";
import { ProviderBackoff } from "./provider-backoff.ts";
import { isRefusal, withoutRefused } from "./refused.ts";

export type Answered = {
  readonly reply: Reply;
  /** The model that gave it. */
  readonly model: Model;
  /** The entries before the reply in the transcript: the opening of a conversation that begins with it. */
  readonly opened: readonly Entry[];
  /** The hash of the request that it answers. */
  readonly prefix: string;
};

const partsOf = ({ shared, own }: Opening): number => [shared, own].filter(Boolean).length;

const withFirst =
  (onDelta: Agent["onDelta"], begun: () => void): NonNullable<Agent["onDelta"]> =>
  (delta) => {
    begun();
    onDelta?.(delta);
  };

/** Not there, not paid, or the quota is used up: no other request to this model would be answered. */
const GONE: ReadonlySet<unknown> = new Set([402, 404, 429]);

const mayFallBack = (error: unknown): error is EkidenError =>
  isEkidenError(error, "model_overloaded") ||
  (isEkidenError(error, "model_refused") &&
    (GONE.has(error.details.status) || error.details.until !== undefined));

/** The main model may be asked again before the limit of the fallback model ends. */
const endingBy = (error: unknown, until: Instant): unknown =>
  isEkidenError(error) && (error.details.until ?? until) > until
    ? new EkidenError(error.code, error.message, { details: { ...error.details, until } })
    : error;

const CUT_OFFS = 3;
/** The time for which the fallback model is used before the main one is tried again. */
const FALLBACK_MS = 300_000;

/** One for a member's whole life: it counts failures in a row and learns the real window. */
export class ReplyRecovery {
  readonly context: Context;
  readonly backoff: ProviderBackoff;
  private readonly agent: Agent;
  private fallbackUntil = instant(0);
  private cutOffs = 0;
  private nudged = false;
  private longer = false;

  constructor(agent: Agent) {
    this.agent = agent;
    this.backoff = new ProviderBackoff(agent);
    this.context = new Context(agent, this.backoff);
  }

  /** @throws what the model throws, where none of the reactions helps; the signal's reason when it aborts. */
  async next(signal: AbortSignal): Promise<Answered> {
    try {
      await this.backoff.beforeCall();
      const answered = await this.fromSomeModel(signal);
      await this.backoff.over();
      return answered;
    } finally {
      this.backoff.leave();
    }
  }

  /** For agents without an idle phase to wait in: takes the turn again until the provider answers. */
  async patiently<T>(signal: AbortSignal, take: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await take();
      } catch (error) {
        if (signal.aborted || !isEkidenError(error, "model_overloaded")) throw error;
        this.backoff.begin(error);
        await this.agent.clock.sleep(this.backoff.left, signal);
        signal.throwIfAborted();
      }
    }
  }

  /**
   * The hint after a reply that achieves nothing, so that the turn continues; null when the member rests after it. A proper reply
   * resets the counters.
   */
  hint(reply: Reply): string | null {
    const calls = callsOf(reply.message).length > 0;
    if (reply.stop === "length" && !calls) {
      this.cutOffs += 1;
      return this.cutOffs <= CUT_OFFS ? CUT_OFF : null;
    }
    this.cutOffs = 0;
    const empty = !calls && textOf(reply.message) === "";
    if (!empty && reply.stop !== "refused") {
      this.nudged = false;
      return null;
    }
    if (calls || this.nudged) return null;
    this.nudged = true;
    return reply.stop === "refused" ? REFUSED : NOTHING_SAID;
  }

  /** The cost of recovery besides the replies themselves. */
  takeSpent(): Spent {
    return this.context.takeSpent();
  }

  private async fromSomeModel(signal: AbortSignal): Promise<Answered> {
    const { model, fallback, clock, store, seat } = this.agent;
    if (!fallback || this.fallbackUntil <= clock.now())
      try {
        return await this.from(model, signal);
      } catch (error) {
        if (!fallback || signal.aborted || !mayFallBack(error)) throw error;
        this.fallbackUntil = instant(error.details.until ?? later(clock.now(), FALLBACK_MS));
        const text = `${model.spec} does not answer (${messageOf(error)}); ${seat.name} continues with ${fallback.spec}.`;
        await store.journal.warn(seat.name, text);
      }
    return await this.from(fallback, signal).catch((error: unknown) => {
      throw signal.aborted ? error : endingBy(error, this.fallbackUntil);
    });
  }

  private async from(model: Model, signal: AbortSignal): Promise<Answered> {
    await this.context.fit(model, signal);
    const began = this.agent.clock.now();
    let reply = await this.fitting(model, signal);
    if (reply.stop === "length" && !this.longer && model.longestReply !== undefined) {
      this.longer = true; // for all later replies: an agent that once writes long does so again
      await this.context.book(model, reply, began);
      reply = await this.fitting(model, signal);
    }
    const { conversation, loadout } = this.agent;
    const opening = conversation.opening ?? loadout.opening;
    return {
      reply,
      model,
      opened: conversation.opening ? [] : [{ kind: "opened", ...opening }],
      prefix: prefixOf(opening, conversation.messages(opening)),
    };
  }

  private async fitting(model: Model, signal: AbortSignal): Promise<Reply> {
    try {
      return await this.ask(model, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (isRefusal(error, this.agent.conversation)) return await this.repaired(model, signal, error);
      if (!isEkidenError(error, "context_overflow")) throw error;
      const isSmaller = await this.context.overflowed(model, signal);
      const still = isSmaller ? await this.askAgain(model, signal) : error;
      if (!(still instanceof Error)) return still;
      // its new images alone are too large
      if (this.agent.conversation.hasImages) return await this.repaired(model, signal, still);
      throw this.context.tooLarge(model, still, isSmaller);
    }
  }

  /** The reply, or the error that says that the request is too long. */
  private askAgain(model: Model, signal: AbortSignal): Promise<Reply | EkidenError> {
    return this.ask(model, signal).catch((again: unknown) => {
      if (signal.aborted || !isEkidenError(again, "context_overflow")) throw again;
      return again;
    });
  }

  private repaired(model: Model, signal: AbortSignal, error: unknown): Promise<Reply> {
    const { agent, context } = this;
    const room = context.room(context.limits(model));
    const ask = (messages: readonly Message[]): Promise<Reply> => this.ask(model, signal, messages);
    return withoutRefused({ agent, spec: model.spec, error, room, signal, ask });
  }

  private cacheOf({ shared }: Opening): CacheHint {
    const { seat, store, subagent, kind, siblings } = this.agent;
    return {
      key: `${store.team}/${subagent ?? seat.name}`,
      sharedParts: shared === "" ? 0 : 1,
      waits: kind === "lead" || (kind === "teammate" && !siblings?.areHere()),
    };
  }

  /** For the first request of a conversation that shares its beginning with others. */
  private async afterSiblings(
    model: Model,
    { system, tools, shared }: Opening,
    signal: AbortSignal,
  ): Promise<(() => void) | undefined> {
    const { siblings, conversation } = this.agent;
    if (!siblings || !model.caches || conversation.opening) return undefined;
    return await siblings.enter([model.spec, digest(system + shared), digestOf(tools)].join(), signal);
  }

  /** `messages`: instead of the conversation. */
  private async ask(model: Model, signal: AbortSignal, messages?: readonly Message[]): Promise<Reply> {
    const { loadout, conversation, onDelta } = this.agent;
    const { characters } = this.context;
    const opening = messages ? loadout.opening : (conversation.opening ?? loadout.opening);
    const limit = this.longer ? model.longestReply : undefined;
    const begun = await this.afterSiblings(model, opening, signal);
    const heard = begun ? withFirst(onDelta, begun) : onDelta;
    const asked = model.reply(
      {
        system: opening.system,
        messages: messages ?? conversation.messages(opening),
        tools: opening.tools,
        openingParts: partsOf(opening),
        cache: this.cacheOf(opening),
        ...(model.clears && !messages && { clearing: conversation.clearing }),
        ...(limit !== undefined && { maxOutputTokens: limit }),
      },
      {
        signal,
        ...(heard && { onDelta: heard }),
        ...this.backoff.waiting(model),
      },
    );
    const reply = await asked.finally(begun);
    if (!messages) this.context.learn(reply, characters);
    return reply;
  }
}
