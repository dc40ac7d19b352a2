/**
 * WORK → IDLE → SHUTDOWN as a table: the runtime supplies signals, this file decides the next phase.
 *
 * | phase    | signal                              | next                                             |
 * |----------|-------------------------------------|--------------------------------------------------|
 * | work     | acted, turns left                   | work, one turn fewer                             |
 * | work     | acted, none left                    | idle (turn_limit)                                |
 * | work     | rested                              | idle, with the reason the turn gave              |
 * | idle     | found (mail, own task, a claim)     | work, a new stint                                |
 * | idle     | waited, shorter than the timeout    | idle, the same since                             |
 * | idle     | waited, the timeout is over         | shutdown (timeout), unless `hasWork`        |
 * | any      | ended, with a `ShutdownReason`      | shutdown                                         |
 * | shutdown | anything                            | shutdown, unchanged                              |
 */
import type { Instant } from "../ids.ts";

type IdleTraits = {
  /** It waits for a provider or for an answer with its own deadline: the idle timeout does not apply. */
  readonly hasWork: boolean;
  /** A change on the board wakes it. */
  readonly wantsBoard: boolean;
  /** It stopped by itself: its hooks may send it back, it is reminded of its unfinished task, and it takes a new one. */
  readonly reminded: boolean;
  /** A tool call waits with it, so the team is not quiet. */
  readonly busy: boolean;
};

/**
 * The reason of an idle member, and its effects. A submitted plan may lose its task, so its author watches the board. A member that the
 * person interrupted in its task waits for a message. One that cannot work did nothing in several stints: it tries again after a pause.
 */
export const IDLE = {
  no_tool_use: { hasWork: false, wantsBoard: true, reminded: true, busy: false },
  asked_to_idle: { hasWork: false, wantsBoard: true, reminded: true, busy: false },
  turn_limit: { hasWork: false, wantsBoard: true, reminded: true, busy: false },
  repeating: { hasWork: false, wantsBoard: true, reminded: true, busy: false },
  awaiting_messages: { hasWork: false, wantsBoard: false, reminded: false, busy: false },
  awaiting_tasks: { hasWork: false, wantsBoard: true, reminded: true, busy: false },
  awaiting_plan: { hasWork: true, wantsBoard: true, reminded: false, busy: false },
  awaiting_permission: { hasWork: true, wantsBoard: false, reminded: false, busy: true },
  awaiting_answer: { hasWork: true, wantsBoard: true, reminded: false, busy: true },
  awaiting_base: { hasWork: true, wantsBoard: true, reminded: false, busy: true },
  interrupted: { hasWork: true, wantsBoard: false, reminded: false, busy: true },
  rate_limited: { hasWork: true, wantsBoard: true, reminded: true, busy: false },
  cannot_work: { hasWork: true, wantsBoard: false, reminded: false, busy: false },
  at_limit: { hasWork: true, wantsBoard: false, reminded: false, busy: false },
} as const satisfies Record<string, IdleTraits>;
export type IdleReason = keyof typeof IDLE;
/** The team is not quiet while a member idles for one of these. */
export const BUSY_REASONS = (Object.keys(IDLE) as IdleReason[]).filter((reason) => IDLE[reason].busy);

/** It cannot work now, and tries again by itself. */
export const RESTING: ReadonlySet<IdleReason> = new Set(["cannot_work", "at_limit"]);

/** A member that idles for one of these takes a task that becomes ready. */
export const TAKING_REASONS = (Object.keys(IDLE) as IdleReason[]).filter(
  (reason) => IDLE[reason].reminded && reason !== "rate_limited" && reason !== "repeating",
);

/** Its stint was ended for it. Without a task it waits for news; with one it needs progress to continue. */
export const ENDED_STINT: ReadonlySet<IdleReason> = new Set(["turn_limit", "repeating"]);

export type ShutdownReason = "asked" | "timeout" | "failed" | "budget" | "replaced";
/** Ends that the lead need not act on. */
export const EXPECTED_ENDS: ReadonlySet<ShutdownReason> = new Set(["timeout", "replaced"]);

export type Phase =
  | { readonly at: "work"; readonly turnsLeft: number }
  | { readonly at: "idle"; readonly since: Instant; readonly reason: IdleReason }
  | { readonly at: "shutdown"; readonly reason: ShutdownReason };

export type Signal =
  | { readonly kind: "acted"; readonly now: Instant } // the model called tools and wants another turn
  | { readonly kind: "rested"; readonly now: Instant; readonly reason: IdleReason } //   no call, or it called `idle`
  | { readonly kind: "found" } //                                                        mail, its own unfinished task, a claim
  | { readonly kind: "waited"; readonly now: Instant }
  | { readonly kind: "ended"; readonly reason: ShutdownReason };

export type Limits = {
  readonly turnsPerStint: number;
  /** Infinity for "never". */
  readonly idleTimeoutMs: number;
};

export const begin = (limits: Limits): Phase => ({ at: "work", turnsLeft: limits.turnsPerStint });

export function next(phase: Phase, signal: Signal, limits: Limits): Phase {
  if (phase.at === "shutdown") return phase;
  switch (signal.kind) {
    case "ended":
      return { at: "shutdown", reason: signal.reason };
    case "found":
      return begin(limits);
    case "rested":
      return { at: "idle", since: signal.now, reason: signal.reason };
    case "acted": {
      const left = phase.at === "work" ? phase.turnsLeft - 1 : limits.turnsPerStint;
      return left > 0
        ? { at: "work", turnsLeft: left }
        : { at: "idle", since: signal.now, reason: "turn_limit" };
    }
    case "waited": {
      const over =
        phase.at === "idle" &&
        !IDLE[phase.reason].hasWork &&
        signal.now - phase.since >= limits.idleTimeoutMs;
      return over ? { at: "shutdown", reason: "timeout" } : phase;
    }
  }
}
