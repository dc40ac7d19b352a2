/**
 * Ends a call that stays silent. Bytes count, not events: a vendor's pings and comments show that it is alive. The `fetch` of the
 * packages sees the bytes and finds the call's watchdog by its signal.
 */
import { httpFetch } from "./http.ts";

const watchdogs = new WeakMap<AbortSignal, Watchdog>();

export class Watchdog {
  /** For the request: aborts with the caller's signal, or after `stallMs` without a byte. */
  readonly signal: AbortSignal;
  /** True if silence ended the call. */
  stalled = false;
  private heardAt = performance.now();
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private readonly outer: AbortSignal;
  private readonly stallMs: number;
  private readonly onAbort = (): void => this.controller.abort(this.outer.reason);

  constructor(outer: AbortSignal, stallMs: number) {
    this.outer = outer;
    this.stallMs = stallMs;
    this.signal = this.controller.signal;
    watchdogs.set(this.signal, this);
    outer.addEventListener("abort", this.onAbort);
    this.watch(stallMs);
  }

  heard(): void {
    this.heardAt = performance.now();
  }

  end(): void {
    clearTimeout(this.timer);
    this.outer.removeEventListener("abort", this.onAbort);
  }

  /** One timer that moves on when it fires, instead of one for each chunk. */
  private watch(ms: number): void {
    this.timer = setTimeout(() => {
      const left = this.heardAt + this.stallMs - performance.now();
      if (left > 0) return this.watch(left);
      this.stalled = true;
      this.controller.abort(new Error("stalled"));
    }, ms);
  }
}

export const watchedFetch: typeof globalThis.fetch = (input, init) => {
  const watchdog = init?.signal ? watchdogs.get(init.signal) : undefined;
  return httpFetch(input, init, () => watchdog?.heard());
};

/** Tells the watchdog of a request that bytes came. */
export const heardBy = (signal: AbortSignal | undefined): (() => void) => {
  const watchdog = signal ? watchdogs.get(signal) : undefined;
  return () => watchdog?.heard();
};
