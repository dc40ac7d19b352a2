/**
 * How long a team whose provider is down is worth keeping up: told by all its members, because one answer for one of them shows
 * that the provider is back. For runs that nobody watches.
 */
import type { Clock } from "../../ports/index.ts";

export class ProviderTimeout {
  private readonly clock: Clock;
  private readonly ms: number;
  private readonly onOut: (why: string) => void;
  private waiting: AbortController | null = null;
  private why = "";

  constructor(clock: Clock, ms: number, onOut: (why: string) => void) {
    this.clock = clock;
    this.ms = ms;
    this.onOut = onOut;
  }

  down(why: string): void {
    this.why = why;
    if (this.waiting) return;
    const waiting = new AbortController();
    this.waiting = waiting;
    void this.clock.sleep(this.ms, waiting.signal).then(() => {
      if (!waiting.signal.aborted) this.onOut(this.why);
    });
  }

  /** Somebody got an answer. Also ends the waiting for good when the run ends. */
  up(): void {
    this.waiting?.abort();
    this.waiting = null;
  }
}
