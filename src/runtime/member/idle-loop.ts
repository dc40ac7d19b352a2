/**
 * IDLE: what a member looks for when it has nothing to do, and how it waits until there is something.
 *
 * The order of a look is the order of what may not wait: a stop request, mail, the member's own unfinished task, a claim.
 */
import { LEAD } from "../../core/ids.ts";
import { HAS_WORK, type IdleReason, type Limits, type Phase, type Signal } from "../../core/lifecycle.ts";
import { isRoutine, isStop } from "../../core/mail.ts";
import type { Mark, Outgoing, WakeTopic } from "../../ports/index.ts";
import type { Agent } from "../agent/agent.ts";
import type { ProviderBackoff } from "../turn/provider-backoff.ts";
import { readMail } from "../turn/turn.ts";
import { type CurrentTask, WAITING } from "./current-task.ts";
import type { Interrupts } from "./interrupts.ts";
import { continuedByHook, endStint } from "./stint-end.ts";

type IdlePhase = Extract<Phase, { at: "idle" }>;

export type IdleSettings = Pick<Limits, "idleTimeoutMs"> & {
  /** Looks at least this often, should a wake-up get lost. Infinity: somebody else calls `lookAgain`. */
  readonly idlePollMs: number;
};

type IdleLoopParts = {
  readonly agent: Agent;
  readonly settings: IdleSettings;
  readonly interrupts: Interrupts;
  readonly current: CurrentTask;
  readonly backoff: ProviderBackoff;
  /** The member found nothing to do. The lead's answer may be "told": look again. */
  readonly onIdle: () => Promise<"look again" | "wait">;
  readonly isConcluding: () => boolean;
  /** Its life has something to do before it may wait. */
  readonly isWanted: () => boolean;
  /** Aborts when its stay in this process ends. */
  readonly outer: AbortSignal;
};

/** What happens on the board is nothing to it; but whoever's plan waits may lose its task. */
const isDeaf = (reason: IdleReason): boolean => WAITING.has(reason) && reason !== "awaiting_plan";

export class IdleLoop {
  private readonly parts: IdleLoopParts;
  private restarted = true;
  private shownIdle = false;
  /** Nothing runs: the wait may be cut short. */
  private waiting = false;

  constructor(parts: IdleLoopParts) {
    this.parts = parts;
  }

  /** Something may wait for it that it was not woken for. Nothing happens unless it waits. */
  pollAgain(): void {
    if (this.waiting) this.parts.interrupts.interrupt("look");
  }

  /** One look, and the wait after a vain one. @throws the reason of `outer`, and what the store throws. */
  async poll(phase: IdlePhase): Promise<Signal> {
    const { agent, interrupts, current, outer } = this.parts;
    const { store, clock, seat, kind } = agent;
    const was = phase.reason;
    const mark = store.wake.mark();
    outer.throwIfAborted();
    // The last words were said: that teammates leave now is no reason to pay for others.
    if (this.parts.isConcluding()) {
      await this.waitFor(mark, [], this.parts.settings.idlePollMs);
      return { kind: "waited", now: clock.now() };
    }

    if (interrupts.asked || (await store.mail.unread(seat.name, 1)).some(isStop)) {
      await interrupts.read(await readMail(agent));
      if (await interrupts.acceptIdle()) return { kind: "ended", reason: "asked" };
    }
    if (was === "rate_limited") return await this.pause(mark);
    const restarted = this.restarted;
    this.restarted = false;
    const reason = restarted || was === "awaiting_plan" ? await current.idleReason(was) : was;
    if (reason === "awaiting_plan" && was !== reason) return { kind: "rested", now: clock.now(), reason };
    if (restarted && (await current.resumeAfterRestart())) return await this.found(true);
    const news = await store.mail.waking(seat.name, 50);
    // When the last one has gone idle, its notice and that of the quiet board are one turn, not two.
    if (news.length > 0 && news.every(isRoutine)) await this.parts.onIdle();
    if (news.length > 0) return await this.found();
    if ((await current.resume(reason)) || (await current.claim(reason))) return await this.found();
    if (await this.keptBusy(reason)) return await this.found();
    await this.showIdle(reason);
    if ((await this.parts.onIdle()) === "look again") return { kind: "waited", now: clock.now() };
    const mail: WakeTopic = `mail:${seat.name}`;
    const topics: WakeTopic[] = kind === "teammate" && isDeaf(reason) ? [mail] : [mail, "board"];
    await this.waitFor(mark, topics, this.waitMs(phase));
    // Whoever waits for its background command does not wait in vain: its time to leave begins anew.
    const overdue = clock.now() - phase.since >= this.parts.settings.idleTimeoutMs;
    if (overdue && (await store.jobs.running(seat.name)) > 0)
      return { kind: "rested", now: clock.now(), reason };
    return { kind: "waited", now: clock.now() };
  }

  /** A teammate that has just found nothing to do: its hooks may know of something. */
  private async keptBusy(reason: IdleReason): Promise<boolean> {
    const { agent, interrupts, outer } = this.parts;
    const { hooks, kind } = agent;
    if (!hooks || kind === "lead" || this.shownIdle || WAITING.has(reason)) return false;
    return await continuedByHook(agent, interrupts, outer, (signal) => hooks.idle(reason, signal));
  }

  /** The provider does not answer. Only a stop request and the person cut the pause short; afterwards it goes on where it was. */
  private async pause(mark: Mark): Promise<Signal> {
    const { agent, backoff } = this.parts;
    // Neither shown as work again before a reply is there (see `ProviderBackoff`), nor the end of a stint: that would ask the model.
    if (backoff.left <= 0) return { kind: "found" };
    const { seat, clock } = agent;
    if (!backoff.givenUp) await this.waitFor(mark, [`mail:${seat.name}`], backoff.left);
    return backoff.givenUp
      ? { kind: "rested", now: clock.now(), reason: "no_tool_use" }
      : { kind: "waited", now: clock.now() };
  }

  private async waitFor(mark: Mark, topics: WakeTopic[], ms: number): Promise<void> {
    const { interrupts, agent, isWanted } = this.parts;
    const step = interrupts.step();
    this.waiting = true;
    if (!isWanted()) await agent.store.wake.changed(mark, topics, ms, step);
    this.waiting = false;
    interrupts.endStep();
  }

  /** @param shown as idle: by this process, or before a restart by another. */
  private async found(shown = this.shownIdle): Promise<Signal> {
    const { agent } = this.parts;
    await agent.beginStint?.();
    if (shown) {
      this.shownIdle = false;
      await agent.store.roster.setActivity(agent.seat, { phase: "work" });
    }
    return { kind: "found" };
  }

  /** Shown once per idling, when there really was nothing to do: a member that goes straight on is not idle. */
  private async showIdle(reason: IdleReason): Promise<void> {
    if (this.shownIdle) return;
    const { agent, interrupts, current, outer } = this.parts;
    if (reason !== "rate_limited") await endStint(agent, interrupts, outer);
    this.shownIdle = true;
    const { store, seat, kind } = agent;
    const notice: Outgoing = {
      to: LEAD,
      body: { kind: "idle_notice", reason, completed: await current.finished() },
    };
    await store.roster.setActivity(seat, { phase: "idle", reason }, kind === "lead" ? [] : [notice]);
  }

  private waitMs({ reason, since }: IdlePhase): number {
    const { settings, agent } = this.parts;
    const { idlePollMs, idleTimeoutMs } = settings;
    if (HAS_WORK.has(reason)) return idlePollMs;
    return Math.max(0, Math.min(idlePollMs, since + idleTimeoutMs - agent.clock.now()));
  }
}
