/**
 * IDLE: what a member looks for when it has nothing to do, and how it waits until there is something. It looks for a stop request,
 * then mail, then its own unfinished task, then a task to claim: the most urgent first.
 */
import { setImmediate } from "node:timers/promises";
import {
  IDLE,
  type IdleReason,
  type Limits,
  type Phase,
  RESTING,
  type Signal,
} from "../../core/board/lifecycle.ts";
import { isRoutine, isStop, type Mail, taskTaken, wakes } from "../../core/board/mail.ts";
import { type Instant, LEAD, PERSON } from "../../core/ids.ts";
import type { LoopDetector } from "../../core/progress/loop.ts";
import type { Mark, WakeTopic } from "../../ports/index.ts";
import type { Agent } from "../agent/agent.ts";
import { beginStint } from "../agent/feature.ts";
import type { ProviderBackoff } from "../turn/provider-backoff.ts";
import { readMail } from "../turn/turn.ts";
import type { CurrentTask } from "./current-task.ts";
import type { Interrupts } from "./interrupts.ts";
import { continuedByHook, endStint } from "./stint-end.ts";

type IdlePhase = Extract<Phase, { at: "idle" }>;

export type IdleSettings = Pick<Limits, "idleTimeoutMs"> & {
  /** It looks at least this often, in case a wake-up gets lost. Infinity: somebody else calls `pollAgain`. */
  readonly idlePollMs: number;
};

type IdleLoopParts = {
  readonly agent: Agent;
  readonly settings: IdleSettings;
  readonly interrupts: Interrupts;
  readonly current: CurrentTask;
  readonly loop: LoopDetector;
  readonly backoff: ProviderBackoff;
  /** The member found nothing to do. "look again": the lead has just been mailed that the board is quiet. */
  readonly onIdle: () => Promise<"look again" | "wait">;
  readonly isConcluding: () => boolean;
  /** The member has something else to do before it may wait. */
  readonly isWanted: () => boolean;
  /** Aborts when its stay in this process ends. */
  readonly outer: AbortSignal;
};

/** It waits for the answer to a request, which may have been withdrawn. */
const AWAITS: ReadonlySet<IdleReason> = new Set(["awaiting_plan", "awaiting_answer"]);

const isWordToRested = ({ urgent, from }: Mail): boolean => urgent || from === PERSON;

export class IdleLoop {
  private readonly parts: IdleLoopParts;
  private restarted = true;
  private shownIdle = false;
  /** Nothing runs: the wait may be interrupted. */
  private waiting = false;

  constructor(parts: IdleLoopParts) {
    this.parts = parts;
  }

  /** Ends the current wait, in case the member missed a wake-up. */
  pollAgain(): void {
    if (this.waiting) this.parts.interrupts.interrupt("look");
  }

  /** Looks once, and waits if there is nothing. @throws the reason of `outer`, and what the store throws. */
  async poll(phase: IdlePhase): Promise<Signal> {
    const { agent, interrupts, current, loop, outer } = this.parts;
    const { store, clock, seat, kind } = agent;
    const was = phase.reason;
    const mark = store.wake.mark();
    outer.throwIfAborted();
    // The lead has said its last words. Mail about teammates that leave now is no reason to pay for more.
    if (this.parts.isConcluding()) {
      await this.waitFor(mark, [], this.parts.settings.idlePollMs);
      return { kind: "waited", now: clock.now() };
    }

    let news = await store.mail.waking(seat.name, 50); // stop requests first
    if (interrupts.asked || news.some(isStop)) {
      await interrupts.read(await readMail(agent));
      if (await interrupts.acceptIdle()) return { kind: "ended", reason: "asked" };
      news = news.filter((letter) => !isStop(letter));
    }
    // No turn is needed to let a task go, but its next owner waits until that is read.
    if (news.some(taskTaken)) {
      const read = await readMail(agent);
      await interrupts.read(read);
      news = [...news, ...read].filter((letter) => taskTaken(letter) === null && wakes(letter.body));
    }
    if (kind === "teammate" && (await agent.hold?.isHeld())) return await this.held(mark, was);
    if (was === "rate_limited") return await this.pause(mark);
    if (RESTING.has(was)) return await this.rest(mark, news.some(isWordToRested));
    if (await current.mustRest(was)) return { kind: "rested", now: clock.now(), reason: "cannot_work" };
    const restarted = this.restarted;
    this.restarted = false;
    const reason = restarted || AWAITS.has(was) ? await current.idleReason(was) : was;
    if (was === "awaiting_answer" && was !== reason && this.shownIdle) await agent.activity.idle(reason, []);
    if (was !== reason && (AWAITS.has(reason) || was === "awaiting_answer"))
      return { kind: "rested", now: clock.now(), reason };
    if (restarted && (await current.resumeAfterRestart())) return await this.found();
    if (reason === "turn_limit") await agent.activity.idle(reason, []);
    // Answering what it has heard before would repeat what it was stopped for.
    if (reason === "repeating" && news.length > 0 && !news.some((letter) => loop.isNews(letter))) {
      loop.read(await readMail(agent));
      news = [];
    }
    // When the last member goes idle, its notice and the news of the quiet board are one turn, not two.
    if (news.length > 0 && news.every(isRoutine)) await this.parts.onIdle();
    if (news.length > 0) return await this.found();
    if ((await current.resume(reason)) || (await current.claim(reason))) return await this.found();
    if (await this.keptBusy(reason)) return await this.found();
    await this.showIdle(reason);
    if (kind === "lead" && reason !== "awaiting_answer" && (await this.awaitsApproval()))
      return { kind: "rested", now: clock.now(), reason: "awaiting_answer" };
    if ((await this.parts.onIdle()) === "look again") return { kind: "waited", now: clock.now() };
    const mail: WakeTopic = `mail:${seat.name}`;
    const topics: WakeTopic[] = kind === "teammate" && !IDLE[reason].wantsBoard ? [mail] : [mail, "board"];
    await this.waitFor(mark, topics, this.waitMs(phase));
    const overdue = clock.now() - phase.since >= this.parts.settings.idleTimeoutMs;
    if (overdue && (await this.mayGetWork(reason))) return { kind: "rested", now: clock.now(), reason };
    return { kind: "waited", now: clock.now() };
  }

  /** The person has not approved the board: neither mail nor a task begins a stint. Its idle timeout starts again with each look. */
  private async held(mark: Mark, reason: IdleReason): Promise<Signal> {
    const { agent, settings } = this.parts;
    await this.showIdle(reason);
    await this.waitFor(mark, [`mail:${agent.seat.name}`, "board"], settings.idlePollMs);
    return { kind: "rested", now: agent.clock.now(), reason };
  }

  /** The lead has planned, and what it was told about its board it has read. */
  private async awaitsApproval(): Promise<boolean> {
    const { hold, store, seat, activity } = this.parts.agent;
    if (!(await hold?.isHeld()) || (await store.mail.waking(seat.name, 1)).length > 0) return false;
    if (!(await hold?.ask())) return false;
    await activity.idle("awaiting_answer", []);
    return true;
  }

  /** Whether work may still come, so that its idle timeout starts again: its command ends, the person answers, a task becomes ready. */
  private async mayGetWork(reason: IdleReason): Promise<boolean> {
    const { store, seat } = this.parts.agent;
    if ((await store.jobs.running(seat.name)) > 0) return true;
    if (reason === "awaiting_messages") {
      const [asked, answered] = await Promise.all([
        store.mail.box(PERSON, 1, seat.name),
        store.mail.box(seat.name, 1, PERSON),
      ]);
      if ((asked[0]?.id ?? 0) > (answered[0]?.id ?? 0)) return true;
    }
    return await store.board.hasProspect(seat.name);
  }

  /** A teammate has found nothing to do: its hooks may send it back to work. */
  private async keptBusy(reason: IdleReason): Promise<boolean> {
    const { agent, interrupts, outer } = this.parts;
    const { hooks, kind } = agent;
    if (!hooks || kind === "lead" || this.shownIdle || !IDLE[reason].reminded) return false;
    return await continuedByHook(agent, interrupts, outer, (signal) => hooks.idle(reason, signal));
  }

  /** The provider does not answer. Only a stop request or the person ends the pause early; then the step is repeated. */
  private async pause(mark: Mark): Promise<Signal> {
    const { agent, backoff } = this.parts;
    // The stint continues. A new one, or its end, would need the model; `ProviderBackoff` shows "work" after the next reply.
    if (backoff.left <= 0) return { kind: "found" };
    const { seat, clock } = agent;
    if (!backoff.givenUp) await this.waitFor(mark, [`mail:${seat.name}`], backoff.left);
    return backoff.givenUp
      ? { kind: "rested", now: clock.now(), reason: "no_tool_use" }
      : { kind: "waited", now: clock.now() };
  }

  /** It cannot work, and tries again when its rest is over. The person, and urgent mail, end the rest. */
  private async rest(mark: Mark, isWanted: boolean): Promise<Signal> {
    const { agent, current } = this.parts;
    const { restMs } = current.ability;
    const now = (): Instant => agent.clock.now();
    if (isWanted || restMs <= 0) return { kind: "rested", now: now(), reason: "awaiting_tasks" };
    await this.waitFor(mark, [`mail:${agent.seat.name}`], restMs);
    return { kind: "waited", now: now() };
  }

  private async waitFor(mark: Mark, topics: WakeTopic[], ms: number): Promise<void> {
    const { interrupts, agent, isWanted } = this.parts;
    const step = interrupts.step(topics.includes(`mail:${agent.seat.name}`));
    this.waiting = true;
    if (!isWanted()) {
      await agent.store.wake.changed(mark, topics, ms, step);
      await setImmediate(); // the watcher of `Interrupts` hears of the same mail now, and leaves it to the next poll
    }
    this.waiting = false;
    interrupts.endStep();
  }

  private async found(): Promise<Signal> {
    const { agent } = this.parts;
    if (agent.kind === "lead") await agent.hold?.settle();
    await beginStint(agent);
    this.shownIdle = false;
    await agent.activity.work();
    return { kind: "found" };
  }

  /** Once in each idle phase, and only when there was nothing to do: a member that continues at once is not idle. */
  private async showIdle(reason: IdleReason): Promise<void> {
    if (this.shownIdle) return;
    const { agent, interrupts, current, outer } = this.parts;
    await endStint(agent, interrupts, outer);
    this.shownIdle = true;
    if (agent.kind === "lead") return await agent.activity.idle(reason, []);
    const completed = await current.finished();
    const goesOn = completed.length > 0 && (await this.boardGoesOn());
    const body = { kind: "idle_notice", reason, completed, ...(goesOn && { goesOn }) } as const;
    await agent.activity.idle(reason, [{ to: LEAD, body }]);
  }

  /**
   * Tasks are in progress, and either others wait for them or a teammate is idle already: the lead has nothing to decide that it could
   * not have decided before. Without this each task of a chain would cost a turn of the lead.
   */
  private async boardGoesOn(): Promise<boolean> {
    const { store, seat } = this.parts.agent;
    const { inProgress, pending } = await store.board.counts();
    if (inProgress === 0 || pending > 0) return inProgress > 0;
    return (await store.roster.members()).some(
      ({ name, kind, host, activity }) =>
        kind === "teammate" &&
        name !== seat.name &&
        host !== null &&
        activity.phase === "idle" &&
        IDLE[activity.reason].reminded,
    );
  }

  private waitMs({ reason, since }: IdlePhase): number {
    const { settings, agent } = this.parts;
    const { idlePollMs, idleTimeoutMs } = settings;
    if (IDLE[reason].hasWork) return idlePollMs;
    return Math.max(0, Math.min(idlePollMs, since + idleTimeoutMs - agent.clock.now()));
  }
}
