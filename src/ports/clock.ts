import type { Instant } from "../core/ids.ts";

/** Two implementations: the system's, and one that tests move by hand. */
export interface Clock {
  now(): Instant;
  /** Resolves after `ms`, or at once and without an error when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
