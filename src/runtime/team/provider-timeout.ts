/**
 * Ends a run that nobody watches when its provider stays down. All members report here, because one answer to any of them shows that
 * the provider is back.
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

  /** A member got an answer, or the run ends. */
  up(): void {
    this.waiting?.abort();
    this.waiting = null;
  }
}
