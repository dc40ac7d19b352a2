/**
 * Ends a call that stays silent, or that makes no progress. For silence bytes count: a vendor's pings and comments show that it is
 * alive. But they are no progress, and a stream of nothing else ends later. A thought is progress. A model that thinks without
 * showing it may send nothing for minutes once it has begun to answer, so there is a limit of its own for that. The `fetch` of the packages sees the bytes and finds the call's watchdog by its signal.
 */
import { systemClock } from "../clock.ts";
import { httpFetch } from "./http.ts";
import { WholeAnswer } from "./whole-answers.ts";

const watchdogs = new WeakMap<AbortSignal, Watchdog>();

/** Milliseconds. `silenceMs`: without a byte, and after the first byte `begunMs`, if it is there. `contentMs`: without a piece of the reply. */
export type Patience = {
  readonly silenceMs: number;
  readonly begunMs?: number;
  readonly contentMs: number;
};

export class Watchdog {
  /** For the request: aborts with the caller's signal, without a byte, or without progress for too long. */
  readonly signal: AbortSignal;
  /** The reason for which the watchdog ended the call; false if it did not. */
  stalled: "silence" | "no progress" | false = false;
  private heardAt = systemClock.uptime();
  private progressAt = this.heardAt;
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private readonly outer: AbortSignal;
  /** The longest silence that is allowed now. */
  stallMs: number;
  private readonly begunMs: number;
  private readonly progressMs: number;
  private readonly onAbort = (): void => this.controller.abort(this.outer.reason);

  constructor(outer: AbortSignal, { silenceMs, begunMs = silenceMs, contentMs }: Patience) {
    this.progressMs = contentMs;
    this.outer = outer;
    this.stallMs = silenceMs;
    this.begunMs = begunMs;
    this.signal = this.controller.signal;
    watchdogs.set(this.signal, this);
    outer.addEventListener("abort", this.onAbort);
    this.watch(Math.min(silenceMs, contentMs));
  }

  heard(): void {
    this.stallMs = this.begunMs;
    this.heardAt = systemClock.uptime();
  }

  /** A piece of the reply has come. */
  progressed(): void {
    this.progressAt = systemClock.uptime();
  }

  end(): void {
    clearTimeout(this.timer);
    this.outer.removeEventListener("abort", this.onAbort);
  }

  /** One timer that moves on when it fires, instead of one for each chunk. */
  private watch(ms: number): void {
    this.timer = setTimeout(() => {
      const now = systemClock.uptime();
      const silent = this.heardAt + this.stallMs - now;
      const left = Math.min(silent, this.progressAt + this.progressMs - now);
      if (left > 0) return this.watch(left);
      this.stalled = silent > 0 ? "no progress" : "silence";
      this.controller.abort(new Error("stalled"));
    }, ms);
  }
}

export const watchedFetch: typeof globalThis.fetch = (input, init) => {
  const watchdog = init?.signal ? watchdogs.get(init.signal) : undefined;
  return httpFetch(input, init, () => watchdog?.heard(), new WholeAnswer());
};

/** Tells the watchdog of a request that bytes came. */
export const heardBy = (signal: AbortSignal): (() => void) => {
  const watchdog = watchdogs.get(signal);
  return () => watchdog?.heard();
};
