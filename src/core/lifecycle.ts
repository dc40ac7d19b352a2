/**
 * WORK → IDLE → SHUTDOWN as a table. The runtime supplies signals; this file decides. Pure.
 *
 * | phase    | signal                              | next                                             |
 * |----------|-------------------------------------|--------------------------------------------------|
 * | work     | acted, turns left                   | work, one turn fewer                             |
 * | work     | acted, none left                    | idle (turn_limit)                                |
 * | work     | rested                              | idle, with the reason the turn gave              |
 * | idle     | found (mail, own task, a claim)     | work, a new stint                                |
 * | idle     | waited, shorter than the timeout    | idle, the same since                             |
 * | idle     | waited, the timeout is over         | shutdown (idle_timeout), unless it has work      |
 * | any      | ended (asked, failed, budget)       | shutdown                                         |
 * | shutdown | anything                            | shutdown, unchanged                              |
 */
import type { Instant } from "./ids.ts";

export const IDLE_REASONS = [
  "no_tool_use",
  "asked_to_idle",
  "turn_limit",
  "awaiting_messages",
  "awaiting_tasks",
  "awaiting_plan",
  "awaiting_permission",
  "rate_limited",
  "timeout",
] as const;
export type IdleReason = (typeof IDLE_REASONS)[number];
export type ShutdownReason = "asked" | "idle_timeout" | "failed" | "budget";

export type Phase =
  | { readonly at: "work"; readonly turnsLeft: number }
  | { readonly at: "idle"; readonly since: Instant; readonly reason: IdleReason }
  | { readonly at: "shutdown"; readonly reason: ShutdownReason };

export type Signal =
  | { readonly kind: "acted"; readonly now: Instant } //                                 the model called tools and wants another turn
  | { readonly kind: "rested"; readonly now: Instant; readonly reason: IdleReason } //   no call, or it called `idle`
  | { readonly kind: "found" } //                                                        mail, its own unfinished task, a claim
  | { readonly kind: "waited"; readonly now: Instant }
  | { readonly kind: "ended"; readonly reason: ShutdownReason };

export type Limits = {
  readonly turnsPerStint: number;
  /** Infinity for "never". */
  readonly idleTimeoutMs: number;
};

/** It has work, and waits for the provider or for an answer that has a deadline of its own: that is not idling. */
export const HAS_WORK: ReadonlySet<IdleReason> = new Set([
  "rate_limited",
  "awaiting_plan",
  "awaiting_permission",
]);

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
        !HAS_WORK.has(phase.reason) &&
        signal.now - phase.since >= limits.idleTimeoutMs;
      return over ? { at: "shutdown", reason: "idle_timeout" } : phase;
    }
  }
}
