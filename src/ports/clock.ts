/** The time, and waiting for a time: everything that waits does it by a clock, so that tests can move the time. */
import type { Instant } from "../core/ids.ts";

/** Two implementations: the system's, and one that tests move by hand. */
export interface Clock {
  /** True: tests move it, so a database's own clock must not be used beside it. */
  readonly simulated?: boolean;
  now(): Instant;
  /** Milliseconds since some moment. Never set back; may stand still while the machine sleeps. */
  uptime(): number;
  /** Resolves after `ms`, or at once and without an error when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
