/**
 * Ends a call that stays silent, or that makes no progress. For silence bytes count: a vendor's pings and comments show that it is
 * alive. But they are no progress, and a stream of nothing else ends later. The `fetch` of the packages sees the bytes and finds the call's watchdog by its signal.
 */
import { httpFetch } from "./http.ts";

const watchdogs = new WeakMap<AbortSignal, Watchdog>();

export class Watchdog {
  /** For the request: aborts with the caller's signal, after `stallMs` without a byte, or after `progressMs` without progress. */
  readonly signal: AbortSignal;
  /** What ended the call, if the watchdog did. */
  stalled: "silence" | "no progress" | false = false;
  private heardAt = performance.now();
  private progressAt = this.heardAt;
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private readonly outer: AbortSignal;
  private readonly stallMs: number;
  private readonly progressMs: number;
  private readonly onAbort = (): void => this.controller.abort(this.outer.reason);

  constructor(outer: AbortSignal, stallMs: number, progressMs: number) {
    this.progressMs = progressMs;
    this.outer = outer;
    this.stallMs = stallMs;
    this.signal = this.controller.signal;
    watchdogs.set(this.signal, this);
    outer.addEventListener("abort", this.onAbort);
    this.watch(Math.min(stallMs, progressMs));
  }

  heard(): void {
    this.heardAt = performance.now();
  }

  /** A piece of the reply has come. */
  progressed(): void {
    this.progressAt = performance.now();
  }

  end(): void {
    clearTimeout(this.timer);
    this.outer.removeEventListener("abort", this.onAbort);
  }

  /** One timer that moves on when it fires, instead of one for each chunk. */
  private watch(ms: number): void {
    this.timer = setTimeout(() => {
      const now = performance.now();
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
  return httpFetch(input, init, () => watchdog?.heard());
};

/** Tells the watchdog of a request that bytes came. */
export const heardBy = (signal: AbortSignal): (() => void) => {
  const watchdog = watchdogs.get(signal);
  return () => watchdog?.heard();
};
