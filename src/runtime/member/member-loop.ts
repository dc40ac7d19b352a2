/**
 * A member's life in this process: it works until it rests, idles until something comes (`IdleLoop`), and stops when asked or when
 * nothing comes. `core/board/lifecycle.ts` decides; this file supplies the signals of WORK and the end.
 */

import {
  IDLE,
  type Limits,
  next,
  type Phase,
  type ShutdownReason,
  type Signal,
} from "../../core/board/lifecycle.ts";
import { heard, textOf } from "../../core/conversation/chat.ts";
import { type EkidenError, isEkidenError, messageOf, notPermitted } from "../../core/errors.ts";
import { type Instant, instant, PERSON, type TaskId } from "../../core/ids.ts";
import { LoopDetector } from "../../core/progress/loop.ts";
import type { Agent, Booked, TurnOutcome } from "../agent/agent.ts";
import { type Interruption, interruptionOf } from "../agent/interruption.ts";
import type { Compacted } from "../turn/context.ts";
import { cutConversation, type Shortening } from "../turn/new-conversation.ts";
import { appendNote } from "../turn/record.ts";
import { ReplyRecovery } from "../turn/reply-recovery.ts";
import { readMail, turn } from "../turn/turn.ts";
import { CurrentTask } from "./current-task.ts";
import { IdleLoop, type IdleSettings } from "./idle-loop.ts";
import { Interrupts } from "./interrupts.ts";
import { beforeRelease, continuedByHook } from "./stint-end.ts";

export type MemberLoopSettings = Limits & IdleSettings;

export type Watcher = {
  afterTurn(outcome: TurnOutcome): Booked;
  /** It read a word of the person. */
  heardPerson?(): void;
  /** The member found nothing to do. "look again": the lead has just been mailed that the board is quiet. */
  onIdle(): Promise<"look again" | "wait">;
  /** The team has finished, and all members here are about to leave. */
  isConcluding?(): boolean;
};

/** The end of a life in this process. `suspended`: the member continues elsewhere or later and keeps its task. */
export type End =
  | { readonly kind: "left"; readonly reason: ShutdownReason; readonly error: Error | null }
  | { readonly kind: "suspended" }
  | { readonly kind: "lost" };

export class MemberLoop {
  private readonly agent: Agent;
  private readonly settings: MemberLoopSettings;
  private readonly watcher: Watcher;
  private readonly outer: AbortSignal;
  private phase: Phase;
  private readonly interrupts: Interrupts;
  private lastWords = "";
  private readonly current: CurrentTask;
  private readonly loop: LoopDetector;
  /** A note about a repetition, for the next turn: the member may be about to rest. */
  private advice: string | null = null;
  private readonly replies: ReplyRecovery;
  private readonly idleLoop: IdleLoop;
  private readonly compactions: {
    readonly how: Shortening;
    readonly resolve: (done: Promise<Compacted | null>) => void;
  }[] = [];
  private over = false;

  constructor(agent: Agent, settings: MemberLoopSettings, watcher: Watcher, outer: AbortSignal) {
    this.agent = agent;
    this.settings = settings;
    this.watcher = watcher;
    this.outer = outer;
    this.loop = new LoopDetector();
    this.current = new CurrentTask(agent, this.loop);
    this.replies = new ReplyRecovery(agent);
    this.phase = { at: "idle", since: agent.clock.now(), reason: "awaiting_tasks" };
    this.interrupts = new Interrupts(agent, outer);
    this.idleLoop = new IdleLoop({
      agent,
      settings,
      interrupts: this.interrupts,
      current: this.current,
      loop: this.loop,
      backoff: this.replies.backoff,
      onIdle: () => watcher.onIdle(),
      isConcluding: () => watcher.isConcluding?.() === true,
      isWanted: () => this.compactions.length > 0,
      outer,
    });
  }

  /** The task of this stint. */
  get task(): TaskId | null {
    return this.current.task;
  }

  /** Ends the running step: the person's Ctrl-C, an exhausted budget. */
  interrupt(kind: Interruption["kind"]): void {
    if (kind === "person") this.replies.backoff.givenUp = true;
    this.interrupts.interrupt(kind);
  }

  /** Makes an idle member look for work, and one at work for urgent mail, in case it missed a wake-up. */
  pollAgain(): void {
    this.idleLoop.pollAgain();
    this.interrupts.look();
  }

  /**
   * Replaces the conversation by notes, starts it over, or cuts it: at once when the member is idle, else before its next turn. Null when
   * there was nothing to replace, or the life ended. @throws what the model throws.
   */
  compact(how: Shortening = false): Promise<Compacted | null> {
    return new Promise((resolve: (done: Compacted | null | Promise<Compacted | null>) => void) => {
      if (this.over) return resolve(null);
      this.compactions.push({ how, resolve });
      this.pollAgain();
    });
  }

  async run(): Promise<End> {
    let error: Error | null = null;
    try {
      await this.interrupts.watch();
      while (this.phase.at !== "shutdown") {
        if (this.compactions.length > 0) await this.compactNow();
        const signal = this.phase.at === "work" ? await this.work() : await this.idleLoop.poll(this.phase);
        this.phase = next(this.phase, signal, this.settings);
      }
    } catch (thrown) {
      const kind = interruptionOf(this.outer);
      if (kind === "lost" || isEkidenError(thrown, "stale_seat")) return { kind: "lost" };
      if (kind === "suspend") {
        await beforeRelease(this.agent);
        return { kind: "suspended" };
      }
      if (kind === "stop") return await this.leave("asked", null);
      if (kind === "budget" || kind === "replaced") return await this.leave(kind, null);
      error = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.phase = { at: "shutdown", reason: isEkidenError(error, "budget") ? "budget" : "failed" };
    } finally {
      this.interrupts.close();
      this.over = true;
      for (const { resolve } of this.compactions.splice(0)) resolve(Promise.resolve(null));
    }
    return await this.leave(this.phase.at === "shutdown" ? this.phase.reason : "failed", error);
  }

  private async leave(reason: ShutdownReason, error: Error | null): Promise<End> {
    const { agent } = this;
    await beforeRelease(agent);
    if (agent.kind === "lead") await readMail(agent); // its conversation must have the last words of its teammates
    const said = agent.conversation.lastSaid;
    const words = [(said && textOf(said)) || this.lastWords, error && messageOf(error)]
      .filter(Boolean)
      .join("\n");
    await agent.store.roster.leave(agent.seat, reason, words);
    return { kind: "left", reason, error };
  }

  // -- WORK -----------------------------------------------------------------------------------------------------------
  private async work(): Promise<Signal> {
    const { agent, interrupts } = this;
    const { clock } = agent;
    const mail = await readMail(agent);
    await interrupts.read(mail);
    if (mail.some(({ from }) => from === PERSON)) this.watcher.heardPerson?.();
    if (this.loop.read(mail)) {
      this.current.heardNews();
      this.advice = null;
    }
    if (this.advice !== null) await appendNote(agent, heard(this.advice));
    this.advice = null;
    let outcome: TurnOutcome;
    const step = interrupts.step();
    try {
      outcome = await turn(agent, step, this.replies);
    } catch (error) {
      return await this.failed(error, step);
    } finally {
      interrupts.endStep();
    }
    if (outcome.text) this.lastWords = outcome.text;
    await this.current.ability.took(outcome);
    const verdict = this.loop.observe(outcome.round, outcome.steps, clock.now());
    if (verdict.kind === "told") this.advice = verdict.text;
    if (await interrupts.accepted()) return { kind: "ended", reason: "asked" };
    const isOver = (await this.watcher.afterTurn(outcome)) === "rest";
    if (interruptionOf(step) === "person") return await this.interrupted();
    if (isOver)
      return { kind: "rested", now: clock.now(), reason: await this.current.idleReason("repeating") };
    if (verdict.kind === "ended") {
      const reason = await this.current.idleReason("repeating");
      await this.current.repeated(verdict);
      await this.send(outcome);
      return { kind: "rested", now: clock.now(), reason };
    }
    if (outcome.kind === "acted") return { kind: "acted", now: clock.now() };
    const reason = await this.current.idleReason(outcome.reason);
    if (IDLE[reason].reminded) {
      const { text } = outcome;
      const ask = (signal: AbortSignal) => agent.hooks?.stop(reason, text, signal) ?? Promise.resolve(null);
      if (await continuedByHook(agent, interrupts, this.outer, ask))
        return { kind: "acted", now: clock.now() };
    }
    await this.send(outcome);
    return { kind: "rested", now: clock.now(), reason };
  }

  /** A teammate keeps its task and would be reminded of it at once. */
  private async interrupted(): Promise<Signal> {
    const { store, seat, kind, clock } = this.agent;
    const waits = kind === "teammate" && (await store.board.mine(seat.name)) !== null;
    return { kind: "rested", now: clock.now(), reason: waits ? "interrupted" : "no_tool_use" };
  }

  /** The turn has thrown. @throws `error` where the member cannot continue after it */
  private async failed(error: unknown, step: AbortSignal): Promise<Signal> {
    const now = (): Instant => this.agent.clock.now();
    const kind = interruptionOf(step);
    if (kind === "stop") return { kind: "ended", reason: "asked" };
    if (kind === "urgent") return { kind: "acted", now: now() };
    if (kind === "person") return await this.interrupted();
    if (kind === null && isEkidenError(error)) {
      const { ownProgram, until } = error.details;
      if (ownProgram === true && this.agent.kind !== "lead") return await this.broke(error);
      // It was started again already. Nobody plans until a person has looked at it.
      if (ownProgram === true && until === undefined && !(await this.areOthersAtWork())) throw error;
      const isUnpaid = error.code !== "model_overloaded";
      if (!isUnpaid || (until !== undefined && (await this.areOthersAtWork()))) {
        this.replies.backoff.begin(error);
        return { kind: "rested", now: now(), reason: "rate_limited" };
      }
    }
    throw error;
  }

  /** A lead without a model would end the run. */
  private async areOthersAtWork(): Promise<boolean> {
    const { store, seat } = this.agent;
    return (await store.roster.members()).some(
      ({ name, activity }) => name !== seat.name && activity.phase === "work",
    );
  }

  /** The program that is its model does not start, refused the prompt or ended in it, or its login is closed. */
  private async broke({ message, details }: EkidenError): Promise<Signal> {
    const { until, isKnown = true } = details;
    this.current.ability.broke(message, until === undefined ? undefined : { until: instant(until), isKnown });
    if (until !== undefined) await this.replies.backoff.over();
    return { kind: "rested", now: this.agent.clock.now(), reason: "no_tool_use" };
  }

  private async send({ report }: TurnOutcome): Promise<void> {
    const { store, seat } = this.agent;
    for (const mail of report) await store.mail.send(seat.name, mail);
  }

  // -- between two steps ------------------------------------------------------------------------------------------------
  private async compactNow(): Promise<void> {
    const { interrupts, phase } = this;
    const step = interrupts.step();
    const waiting = this.compactions.splice(0);
    const atRest = phase.at === "idle" && phase.reason !== "rate_limited";
    const { context } = this.replies;
    const ways = new Set(waiting.map(({ how }) => (typeof how === "object" ? how : how === true)));
    for (const how of ways) {
      // Who begins again needs no notes.
      if (how === false && ways.has(true)) continue;
      const done =
        how === true
          ? context.clear(this.agent.model, atRest)
          : how === false
            ? this.summarise(step, atRest)
            : cutConversation(
                this.agent,
                context.factRoom(context.limits(this.agent.model)),
                how.call,
                atRest,
              );
      for (const one of waiting)
        if (one.how === how || (how === true && one.how === false)) one.resolve(done);
      await done.catch(() => {}); // the caller of compact gets the error
    }
    interrupts.endStep();
  }

  private async summarise(step: AbortSignal, atRest: boolean): Promise<Compacted | null> {
    const why = await this.agent.hooks?.compact("manual", step);
    if (why) throw notPermitted(`A PreCompact hook refuses it: ${why}`);
    return await this.replies.context.summarise(this.agent.model, step, atRest);
  }
}
