/** The two clocks: the system's, and one that moves only when a test or a simulation advances it. */
import { setImmediate as breathe } from "node:timers/promises";
import { type Instant, instant } from "../core/ids.ts";
import type { Clock } from "../ports/clock.ts";

/** Node's timers hold 32 bits; a longer sleep takes several. */
const LONGEST = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => instant(Date.now()),
  uptime: () => 1_000 * process.uptime(), // not `performance`, a module of Node that nothing else needs at a start
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      let timer: NodeJS.Timeout;
      let left = ms;
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const step = (): void => {
        const now = Math.min(left, LONGEST);
        left -= now;
        timer = setTimeout(left > 0 ? step : done, now);
      };
      signal?.addEventListener("abort", done, { once: true });
      step();
    }),
};

type Sleeper = { readonly until: number; readonly wake: () => void };

/** Stands still between calls of `advance`. Sleepers wake in the order of their times, each at its own time. */
export class ManualClock implements Clock {
  readonly simulated = true;
  private time: number;
  private readonly sleepers = new Set<Sleeper>();

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.time = start;
  }

  now(): Instant {
    return instant(this.time);
  }

  uptime(): number {
    return this.time;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted || ms <= 0) return resolve();
      const done = (): void => {
        this.sleepers.delete(sleeper);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const sleeper: Sleeper = { until: this.time + ms, wake: done };
      signal?.addEventListener("abort", done, { once: true });
      this.sleepers.add(sleeper);
    });
  }

  /** The number of sleepers: a test that will `advance` can wait until somebody sleeps. */
  get sleeping(): number {
    return this.sleepers.size;
  }

  /** Time passes while no process runs: sleepers that are due wake at the next `advance`. */
  stall(ms: number): void {
    this.time += ms;
  }

  /** Moves on and wakes each sleeper on the way. A sleeper that sleeps again may be woken in the same move. */
  async advance(ms: number): Promise<void> {
    const until = this.time + ms;
    for (;;) {
      await breathe();
      const due = [...this.sleepers].filter((s) => s.until <= until).sort((a, b) => a.until - b.until)[0];
      if (!due) break;
      this.time = Math.max(this.time, due.until);
      due.wake();
    }
    this.time = until;
    await breathe();
  }
}
