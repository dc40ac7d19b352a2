/**
 * The retry policy, in one place for all providers: the wait that a provider asks for counts, up to `maxWaitMs`; otherwise waits
 * grow exponentially with full jitter. A failure that every call would meet shuts the shared gate; a failure of one call (a cut
 * stream, a stall, a 500) delays only that call. A caller with a fallback model gets a failure after three attempts, or at once
 * if it would have to wait for long. The limit of an account is a failure at once: the members that use it rest.
 */
import { derived } from "../../core/derived.ts";
import { EkidenError, isEkidenError } from "../../core/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Model, ModelRequest, Reply } from "../../ports/model.ts";
import { type Pass, RateLimitGate } from "./rate-limit-gate.ts";
import type { AliveOptions } from "./vendor-model.ts";

export type RetryOptions = {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Calls made for one reply, the first included. Default 8. */
  readonly attempts?: number;
  /** A call is given up at once, with `details.retryAfterMs`, if the provider asks for a longer wait. Default 15 minutes. */
  readonly maxWaitMs?: number;
  /** Unset: the model's own gate. */
  readonly gate?: RateLimitGate;
};

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** For a caller with a fallback. */
const FEW_ATTEMPTS = 3;
const SHORT_WAIT_MS = 5_000;

export function retrying(model: Model, options: RetryOptions): Model {
  const { attempts = 8, maxWaitMs = 900_000, gate = new RateLimitGate() } = options;
  const policy = { ...options, attempts, maxWaitMs, gate };
  return derived(model, { reply: (request, call) => new Tries(model, request, call, policy).reply() });
}

/** One call with all its attempts. */
class Tries {
  private readonly model: Model;
  private readonly request: ModelRequest;
  private readonly call: AliveOptions;
  private readonly policy: Required<RetryOptions>;
  private readonly most: number;
  private readonly longest: number;
  /** Set when the call ends for another reason than the answer of the provider. */
  private own: unknown = null;
  private why = "the provider asked another call to wait";
  private pass: Pass | null = null;

  constructor(model: Model, request: ModelRequest, call: AliveOptions, policy: Required<RetryOptions>) {
    [this.model, this.request, this.call, this.policy] = [model, request, call, policy];
    const { attempts, maxWaitMs } = policy;
    this.most = call.hasFallback ? Math.min(attempts, FEW_ATTEMPTS) : attempts;
    this.longest = call.hasFallback ? Math.min(maxWaitMs, SHORT_WAIT_MS) : maxWaitMs;
  }

  async reply(): Promise<Reply> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (!this.policy.gate.open) await this.atGate(attempt);
        const onAlive = (): void => {
          this.pass?.answered();
          this.call.onAlive?.();
        };
        const answer = await this.model.reply(this.request, { ...this.call, onAlive } as AliveOptions);
        this.pass?.answered();
        return answer;
      } catch (error) {
        const waitMs = this.failed(error, attempt);
        this.pass?.give();
        // Its own wait, also when another call is answered meanwhile and the gate opens.
        await this.policy.clock.sleep(waitMs, this.call.signal);
        await this.afterWait();
      } finally {
        this.pass?.give();
        this.pass = null;
      }
    }
  }

  private async atGate(attempt: number): Promise<void> {
    const { gate, clock } = this.policy;
    const { onRetry, signal } = this.call;
    this.check();
    const waitMs = Math.max(0, gate.until - clock.now());
    // also told while it is in the queue, for an unknown time
    if (waitMs > 0 || gate.occupied) onRetry?.({ attempt: attempt - 1, waitMs, why: this.why });
    this.pass = await gate.enter(signal);
    this.check();
    await this.pass.wait(clock, signal);
    await this.afterWait();
  }

  /** Others have found out that the provider does not answer. A gate whose time is over is tried again. */
  private check(): void {
    const { gate, clock } = this.policy;
    const waitMs = gate.until - clock.now();
    if (!this.call.hasFallback || waitMs <= 0) return;
    if (waitMs <= this.longest && gate.failures < this.most) return;
    this.own = new EkidenError("model_overloaded", `${this.model.spec}: ${this.why}`);
    throw this.own;
  }

  private async afterWait(): Promise<void> {
    this.call.signal.throwIfAborted();
    await this.call.afterWait?.().catch((error: unknown) => {
      this.own = error;
      throw error;
    });
  }

  /** The time to wait before the next attempt. @throws the error, where there is none */
  private failed(error: unknown, attempt: number): number {
    const { gate, clock, maxWaitMs } = this.policy;
    if (this.call.signal.aborted || error === this.own || !isEkidenError(error)) throw error;
    if (!error.retryable) {
      this.pass?.answered(); // a refusal is an answer: the provider works
      throw error;
    }
    const { limit, stalled, everyone: isForAll, retryAfterMs } = error.details;
    const everyone = isForAll === true || retryAfterMs !== undefined;
    const waitMs = this.waitFor(retryAfterMs, everyone ? gate.failures : attempt - 1);
    if (everyone && waitMs <= maxWaitMs && !limit) gate.close(clock.now(), waitMs);
    // who has another model to ask does not wait for silence twice
    const isOver = attempt >= this.most || waitMs > this.longest || limit;
    if (isOver || (this.call.hasFallback && stalled === true)) throw error;
    this.why = error.message;
    this.call.onRetry?.({ attempt, waitMs, why: this.why });
    return waitMs;
  }

  private waitFor(asked: number | undefined, failures: number): number {
    const { random, maxWaitMs } = this.policy;
    // A little more, so that processes which share a key do not all return in the same millisecond.
    if (asked !== undefined && asked > maxWaitMs) return asked;
    if (asked !== undefined)
      return Math.min(maxWaitMs, Math.ceil(asked + random() * Math.min(1_000, asked / 10)));
    return Math.ceil(random() * Math.min(LONGEST_WAIT_MS, maxWaitMs, FIRST_WAIT_MS * 2 ** failures));
  }
}
