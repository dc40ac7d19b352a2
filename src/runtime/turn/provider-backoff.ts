/**
 * The time in which a provider does not answer one member: shown as idle (rate_limited), with growing pauses or until the time
 * the provider named. The member keeps its claim and its conversation, and goes on by itself.
 */
import type { EkidenError } from "../../core/errors.ts";
import { type Instant, instant, later } from "../../core/ids.ts";
import type { ReplyOptions } from "../../ports/index.ts";
import type { Agent } from "../agent/agent.ts";

/** Who waits no longer than this is not shown as waiting. */
const SHOWN_MS = 1_000;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

type Retry = Parameters<NonNullable<ReplyOptions["onRetry"]>>[0];

export class ProviderBackoff {
  private readonly agent: Agent;
  private until: Instant = instant(0);
  private pauses = 0;
  private shown = false;
  private grace: AbortController | null = null;
  private writing: Promise<void> = Promise.resolve();
  /** The person ended the pause that began last: kept, for it may come between two waits. */
  givenUp = false;

  constructor(agent: Agent) {
    this.agent = agent;
  }

  /** The model waits inside a call, or stands in a line of those who wait. */
  retried({ attempt, waitMs, why }: Retry): void {
    const { store, seat, clock, providerTimeout: patience } = this.agent;
    patience?.down(why);
    if (waitMs > 0)
      void store.journal
        .note([{ type: "model.retried", who: seat.name, why, attempt, waitMs }])
        .catch(() => {});
    if (this.grace) return;
    const grace = new AbortController();
    this.grace = grace;
    // by the clock and not by `waitMs`: who stands in the line of a shut gate is not told how long
    void clock.sleep(SHOWN_MS, grace.signal).then(() => {
      if (!grace.signal.aborted) this.show();
    });
  }

  /** The step ended without a reply. */
  leave(): void {
    this.grace?.abort();
    this.grace = null;
  }

  /** The model gave up: the member pauses. */
  begin(error: EkidenError): void {
    this.agent.providerTimeout?.down(error.message);
    this.givenUp = false;
    const asked = error.details.retryAfterMs;
    const pause =
      asked === undefined
        ? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.pauses)
        : Math.max(SHOWN_MS, asked);
    this.pauses += 1;
    this.until = later(this.agent.clock.now(), pause);
    this.show();
  }

  /** Milliseconds of the pause that are left. */
  get left(): number {
    return this.until - this.agent.clock.now();
  }

  /** A reply came. */
  async over(): Promise<void> {
    this.leave();
    this.agent.providerTimeout?.up();
    this.pauses = 0;
    if (!this.shown) return;
    this.shown = false;
    await this.writing;
    await this.agent.store.roster.setActivity(this.agent.seat, { phase: "work" });
  }

  private show(): void {
    if (this.shown) return;
    this.shown = true;
    const { store, seat } = this.agent;
    // a seat that is lost is found out by the next write that matters
    this.writing = store.roster.setActivity(seat, { phase: "idle", reason: "rate_limited" }).catch(() => {});
  }
}
