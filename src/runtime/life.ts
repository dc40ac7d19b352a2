/**
 * A member's life in this process: work until it rests, look for something to do, wait for a wake-up, stop when asked or when
 * nothing comes. `core/lifecycle.ts` decides; this file only supplies its signals.
 *
 * The order of a look is the order of what may not wait: a stop request, mail, the member's own unfinished task, a claim.
 */
import { textOf } from "../core/conversation/chat.ts";
import { EkidenError, isEkidenError, messageOf } from "../core/errors.ts";
import { LEAD, type TaskId } from "../core/ids.ts";
import {
  HAS_WORK,
  type IdleReason,
  type Limits,
  next,
  type Phase,
  type ShutdownReason,
  type Signal,
} from "../core/lifecycle.ts";
import { ASKS_FOR_TOOLS, isRoutine, isStop, wakes } from "../core/mail.ts";
import type { Mark, Outgoing, Topic } from "../ports/index.ts";
import type { Agent, TurnOutcome } from "./agent.ts";
import type { Compacted } from "./context.ts";
import { Hand, WAITING } from "./hand.ts";
import { type Interruption, interruptionOf } from "./interruption.ts";
import { Replies } from "./recovery.ts";
import { sentBack } from "./rest.ts";
import { endStint } from "./stint.ts";
import { Stops } from "./stops.ts";
import { readMail, turn } from "./turn.ts";

export type LifeSettings = Limits & {
  /** Looks at least this often, should a wake-up get lost. Infinity: somebody else calls `lookAgain`. */
  readonly idlePollMs: number;
};

export type Watcher = {
  afterTurn(outcome: TurnOutcome): void;
  /** The member found nothing to do. The lead's answer may be "told": look again. */
  onIdle(): Promise<"look again" | "wait">;
};

/** How a life in this process ended. `suspended`: the member goes on elsewhere or later, nothing was given back. */
export type End =
  | { readonly kind: "left"; readonly reason: ShutdownReason; readonly error: Error | null }
  | { readonly kind: "suspended" }
  | { readonly kind: "lost" };

/** What happens on the board is nothing to it; but whoever's plan waits may lose its task. */
const isDeaf = (reason: IdleReason): boolean => WAITING.has(reason) && reason !== "awaiting_plan";

export class Life {
  private readonly agent: Agent;
  private readonly settings: LifeSettings;
  private readonly watcher: Watcher;
  private readonly outer: AbortSignal;
  private phase: Phase;
  private readonly stops: Stops;
  private lastWords = "";
  private restarted = true;
  private readonly hand: Hand;
  private readonly replies: Replies;
  private readonly compactions: ((done: Promise<Compacted | null>) => void)[] = [];
  private shownIdle = false;
  /** Nothing runs: the wait may be cut short. */
  private waiting = false;
  private over = false;
  /** The person ended the pause that began last: kept, for it may come between two waits. */
  private givenUp = false;

  constructor(agent: Agent, settings: LifeSettings, watcher: Watcher, outer: AbortSignal) {
    this.agent = agent;
    this.settings = settings;
    this.watcher = watcher;
    this.outer = outer;
    this.hand = new Hand(agent);
    this.replies = new Replies(agent);
    this.phase = { at: "idle", since: agent.clock.now(), reason: "awaiting_tasks" };
    this.stops = new Stops(agent, outer);
  }

  /** The task of this stint. */
  get task(): TaskId | null {
    return this.hand.task;
  }

  /** Ends the step that is running: the person's Ctrl-C, an exhausted budget. */
  interrupt(kind: Interruption["kind"]): void {
    if (kind === "person") this.givenUp = true;
    this.stops.interrupt(kind);
  }

  /** Something may wait for it that it was not woken for. Nothing happens unless it idles. */
  lookAgain(): void {
    if (this.waiting) this.stops.interrupt("look");
  }

  /**
   * Puts notes in the place of the conversation: at once when it is idle, else before its next turn. Null when there was
   * nothing to sum up, or the life ended. @throws what the model throws.
   */
  compact(): Promise<Compacted | null> {
    return new Promise((resolve: (done: Compacted | null | Promise<Compacted | null>) => void) => {
      if (this.over) return resolve(null);
      this.compactions.push(resolve);
      this.lookAgain();
    });
  }

  async live(): Promise<End> {
    let error: Error | null = null;
    try {
      await this.stops.watch();
      while (this.phase.at !== "shutdown") {
        if (this.compactions.length > 0) await this.compactNow();
        const signal = this.phase.at === "work" ? await this.work() : await this.look(this.phase.reason);
        this.phase = next(this.phase, signal, this.settings);
      }
    } catch (thrown) {
      const kind = interruptionOf(this.outer);
      if (kind === "suspend" || kind === "lost") return { kind: kind === "lost" ? "lost" : "suspended" };
      if (isEkidenError(thrown, "stale_seat")) return { kind: "lost" };
      if (kind === "stop" || kind === "budget")
        return await this.leave(kind === "stop" ? "asked" : kind, null);
      error = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.phase = { at: "shutdown", reason: isEkidenError(error, "budget") ? "budget" : "failed" };
    } finally {
      this.stops.close();
      this.over = true;
      for (const done of this.compactions.splice(0)) done(Promise.resolve(null));
    }
    return await this.leave(this.phase.at === "shutdown" ? this.phase.reason : "failed", error);
  }

  private async leave(reason: ShutdownReason, error: Error | null): Promise<End> {
    const { agent } = this;
    if (agent.kind === "lead") await readMail(agent); // what its teammates said last belongs into its conversation
    const said = agent.conversation.lastSaid;
    const words = [(said && textOf(said)) || this.lastWords, error && messageOf(error)]
      .filter(Boolean)
      .join("\n");
    await agent.store.roster.leave(agent.seat, reason, words);
    return { kind: "left", reason, error };
  }

  // -- WORK -----------------------------------------------------------------------------------------------------------
  private async work(): Promise<Signal> {
    const { agent, stops } = this;
    const { clock } = agent;
    const mail = await readMail(agent);
    await stops.read(mail);
    // What a mail asks for must be at hand, also in the middle of a stint.
    if (mail.some(({ body }) => ASKS_FOR_TOOLS.has(body.kind))) await agent.beginStint?.();
    let outcome: TurnOutcome;
    const step = stops.step();
    try {
      outcome = await turn(agent, step, this.replies);
    } catch (error) {
      const kind = interruptionOf(step);
      if (kind === "stop") return { kind: "ended", reason: "asked" };
      if (kind === "urgent") return { kind: "acted", now: clock.now() };
      if (kind === "person") return { kind: "rested", now: clock.now(), reason: "no_tool_use" };
      if (kind === null && isEkidenError(error, "model_overloaded")) {
        this.replies.outage.begin(error);
        this.givenUp = false;
        return { kind: "rested", now: clock.now(), reason: "rate_limited" };
      }
      throw error;
    } finally {
      stops.endStep();
    }
    if (outcome.text) this.lastWords = outcome.text;
    if (outcome.calls.length > 0) this.hand.acted();
    if (await stops.accepted(outcome)) return { kind: "ended", reason: "asked" };
    this.watcher.afterTurn(outcome);
    if (interruptionOf(step) === "person") return { kind: "rested", now: clock.now(), reason: "no_tool_use" };
    if (outcome.kind === "acted") return { kind: "acted", now: clock.now() };
    const reason = await this.hand.restsFor(outcome.reason);
    if (!WAITING.has(reason)) {
      const { text } = outcome;
      const ask = (signal: AbortSignal) => agent.hooks?.stop(reason, text, signal) ?? Promise.resolve(null);
      if (await sentBack(agent, stops, this.outer, ask)) return { kind: "acted", now: clock.now() };
    }
    return { kind: "rested", now: clock.now(), reason };
  }

  // -- IDLE -----------------------------------------------------------------------------------------------------------
  private async look(was: IdleReason): Promise<Signal> {
    const { agent, stops, hand } = this;
    const { store, clock, seat, kind } = agent;
    const mark = store.wake.mark();
    this.outer.throwIfAborted();

    if (stops.asked || (await store.mail.unread(seat.name, 1)).some(isStop)) {
      await stops.read(await readMail(agent));
      if (await stops.acceptIdle()) return { kind: "ended", reason: "asked" };
    }
    if (was === "rate_limited") return await this.pause(mark);
    const restarted = this.restarted;
    this.restarted = false;
    const reason = restarted || was === "awaiting_plan" ? await hand.restsFor(was) : was;
    if (reason === "awaiting_plan" && was !== reason) return { kind: "rested", now: clock.now(), reason };
    if (restarted && (await hand.goOn())) return await this.found(true);
    const news = (await store.mail.unread(seat.name, 50)).filter(({ body }) => wakes(body));
    // When the last one has gone idle, its notice and that of the quiet board are one turn, not two.
    if (news.length > 0 && news.every(isRoutine)) await this.watcher.onIdle();
    if (news.length > 0) return await this.found();
    if ((await hand.resume(reason)) || (await hand.claim(reason))) return await this.found();
    if (await this.keptBusy(reason)) return await this.found();
    await this.showIdle(reason);
    if ((await this.watcher.onIdle()) === "look again") return { kind: "waited", now: clock.now() };
    const mail: Topic = `mail:${seat.name}`;
    const topics: Topic[] = kind === "teammate" && isDeaf(reason) ? [mail] : [mail, "board"];
    await this.waitFor(mark, topics, this.patience());
    // Whoever waits for its background command does not wait in vain: its time to leave begins anew.
    const since = this.phase.at === "idle" ? this.phase.since : clock.now();
    const overdue = clock.now() - since >= this.settings.idleTimeoutMs;
    if (overdue && (await store.jobs.running(seat.name)) > 0)
      return { kind: "rested", now: clock.now(), reason };
    return { kind: "waited", now: clock.now() };
  }

  /** A teammate that has just found nothing to do: its hooks may know of something. */
  private async keptBusy(reason: IdleReason): Promise<boolean> {
    const { hooks, kind } = this.agent;
    if (!hooks || kind === "lead" || this.shownIdle || WAITING.has(reason)) return false;
    return await sentBack(this.agent, this.stops, this.outer, (signal) => hooks.idle(reason, signal));
  }

  /** The provider does not answer. Only a stop request and the person cut the pause short; afterwards it goes on where it was. */
  private async pause(mark: Mark): Promise<Signal> {
    const { outage } = this.replies;
    // Neither shown as work again before a reply is there (see `Outage`), nor the end of a stint: that would ask the model.
    if (outage.left <= 0) return { kind: "found" };
    const { seat, clock } = this.agent;
    if (!this.givenUp) await this.waitFor(mark, [`mail:${seat.name}`], outage.left);
    return this.givenUp
      ? { kind: "rested", now: clock.now(), reason: "no_tool_use" }
      : { kind: "waited", now: clock.now() };
  }

  private async waitFor(mark: Mark, topics: Topic[], ms: number): Promise<void> {
    const { stops, agent } = this;
    const step = stops.step();
    this.waiting = true;
    if (this.compactions.length === 0) await agent.store.wake.changed(mark, topics, ms, step);
    this.waiting = false;
    stops.endStep();
  }

  private async compactNow(): Promise<void> {
    const { stops, phase } = this;
    const step = stops.step();
    const waiting = this.compactions.splice(0);
    const atRest = phase.at === "idle" && phase.reason !== "rate_limited";
    const done = this.summarise(step, atRest);
    for (const resolve of waiting) resolve(done);
    await done.catch(() => {}); // the one who asked hears of it
    stops.endStep();
  }

  private async summarise(step: AbortSignal, atRest: boolean): Promise<Compacted | null> {
    const why = await this.agent.hooks?.compact("manual", step);
    if (why) throw new EkidenError("not_permitted", `A PreCompact hook refuses it: ${why}`);
    return await this.replies.context.summarise(this.agent.model, step, atRest);
  }

  /** @param shown as idle: by this process, or before a restart by another. */
  private async found(shown = this.shownIdle): Promise<Signal> {
    await this.agent.beginStint?.();
    if (shown) {
      this.shownIdle = false;
      await this.agent.store.roster.setActivity(this.agent.seat, { phase: "work" });
    }
    return { kind: "found" };
  }

  /** Shown once per idling, when there really was nothing to do: a member that goes straight on is not idle. */
  private async showIdle(reason: IdleReason): Promise<void> {
    if (this.shownIdle) return;
    if (reason !== "rate_limited") await endStint(this.agent, this.stops, this.outer);
    this.shownIdle = true;
    const { store, seat, kind } = this.agent;
    const notice: Outgoing = {
      to: LEAD,
      body: { kind: "idle_notice", reason, completed: await this.hand.finished() },
    };
    await store.roster.setActivity(seat, { phase: "idle", reason }, kind === "lead" ? [] : [notice]);
  }

  private patience(): number {
    const { idlePollMs, idleTimeoutMs } = this.settings;
    if (this.phase.at !== "idle" || HAS_WORK.has(this.phase.reason)) return idlePollMs;
    return Math.max(0, Math.min(idlePollMs, this.phase.since + idleTimeoutMs - this.agent.clock.now()));
  }
}
