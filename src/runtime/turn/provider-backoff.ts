/**
 * The time in which a provider does not answer one member. It is shown as idle (rate_limited) and pauses for the time that the
 * provider named, else for growing times. It keeps its claim and its conversation, and continues without help.
 */
import type { EkidenError } from "../../core/errors.ts";
import { type Instant, instant, later } from "../../core/ids.ts";
import { oneLine } from "../../core/text/one-line.ts";
import type { Model, ReplyOptions } from "../../ports/index.ts";
import type { Agent } from "../agent/agent.ts";

/** A shorter wait is not shown. */
const SHOWN_MS = 1_000;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

type Retry = Parameters<NonNullable<ReplyOptions["onRetry"]>>[0];

export class ProviderBackoff {
  private readonly agent: Agent;
  private until: Instant = instant(0);
  private pauses = 0;
  /** Ends the display as rate_limited; null while it is not shown. */
  private shown: Promise<(() => Promise<void>) | undefined> | null = null;
  private grace: AbortController | null = null;
  /** The person ended the current pause. Kept, because this may happen between two waits. */
  givenUp = false;

  constructor(agent: Agent) {
    this.agent = agent;
  }

  /** The waiting of a call. While there is another model to ask, this one is not waited for long. */
  waiting(model: Model): Omit<ReplyOptions, "signal"> {
    const { model: main, fallback } = this.agent;
    return {
      onRetry: (retry) => this.retried(retry),
      afterWait: () => this.checkSeat(),
      ...(fallback && model === main && { hasFallback: true }),
    };
  }

  /** Before each call. @throws `stale_seat` */
  async beforeCall(): Promise<void> {
    if (this.pauses > 0 || this.agent.team.lease?.isFresh === false) await this.checkSeat();
  }

  /** A process that was frozen may have lost the member, and must not ask for a reply that it cannot record. @throws `stale_seat` */
  private async checkSeat(): Promise<void> {
    const { store, seat } = this.agent;
    await store.transcript.record(seat, []);
  }

  /** The model waits inside a call, or in the queue of its rate limit gate. */
  private retried({ attempt, waitMs, why }: Retry): void {
    const { clock, providerTimeout } = this.agent;
    providerTimeout?.down(why);
    if (waitMs > 0) this.note({ attempt, waitMs, why });
    if (this.grace) return;
    const grace = new AbortController();
    this.grace = grace;
    // by the clock and not by `waitMs`: a model in the queue of a closed gate is not told how long it will wait
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
    this.note({ attempt: this.pauses, waitMs: pause, why: oneLine(error.message) });
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
    const end = await this.shown;
    this.shown = null;
    await end?.();
  }

  private note(retry: Retry): void {
    const { store, seat } = this.agent;
    void store.journal.note([{ type: "model.retried", who: seat.name, ...retry }]).catch(() => {});
  }

  private show(): void {
    // the next write that matters finds out that the seat is lost
    this.shown ??= this.agent.activity.waitFor("rate_limited").catch(() => undefined);
  }
}
