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
  const { clock, random, attempts = 8, maxWaitMs = 900_000, gate = new RateLimitGate() } = options;

  const waitFor = (error: EkidenError, failures: number): number => {
    const asked = error.details.retryAfterMs;
    // A little more, so that processes which share a key do not all return in the same millisecond.
    if (asked !== undefined && asked > maxWaitMs) return asked;
    if (asked !== undefined)
      return Math.min(maxWaitMs, Math.ceil(asked + random() * Math.min(1_000, asked / 10)));
    return Math.ceil(random() * Math.min(LONGEST_WAIT_MS, maxWaitMs, FIRST_WAIT_MS * 2 ** failures));
  };

  async function reply(request: ModelRequest, call: AliveOptions): Promise<Reply> {
    const { signal, onRetry, hasFallback = false } = call;
    const most = hasFallback ? Math.min(attempts, FEW_ATTEMPTS) : attempts;
    const longest = hasFallback ? Math.min(maxWaitMs, SHORT_WAIT_MS) : maxWaitMs;
    /** Set when the call ends for another reason than the answer of the provider. */
    let own: unknown = null;
    /** Others have found out that the provider does not answer. A gate whose time is over is tried again. */
    const check = (): void => {
      const waitMs = gate.until - clock.now();
      if (!hasFallback || waitMs <= 0 || (waitMs <= longest && gate.failures < most)) return;
      own = new EkidenError("model_overloaded", `${model.spec}: ${why}`);
      throw own;
    };
    const afterWait = async (): Promise<void> => {
      signal.throwIfAborted();
      await call.afterWait?.().catch((error: unknown) => {
        own = error;
        throw error;
      });
    };
    let why = "the provider asked another call to wait";
    for (let attempt = 1; ; attempt += 1) {
      let pass: Pass | null = null;
      try {
        if (!gate.open) {
          check();
          const waitMs = Math.max(0, gate.until - clock.now());
          // also told while it is in the queue, for an unknown time
          if (waitMs > 0 || gate.occupied) onRetry?.({ attempt: attempt - 1, waitMs, why });
          pass = await gate.enter(signal);
          check();
          await pass.wait(clock, signal);
          await afterWait();
        }
        const onAlive = (): void => {
          pass?.answered();
          call.onAlive?.();
        };
        const answer = await model.reply(request, { ...call, onAlive } as AliveOptions);
        pass?.answered();
        return answer;
      } catch (error) {
        if (signal.aborted || error === own || !isEkidenError(error)) throw error;
        if (!error.retryable) {
          pass?.answered(); // a refusal is an answer: the provider works
          throw error;
        }
        const everyone = error.details.everyone === true || error.details.retryAfterMs !== undefined;
        const waitMs = waitFor(error, everyone ? gate.failures : attempt - 1);
        const { limit, stalled } = error.details;
        if (everyone && waitMs <= maxWaitMs && !limit) gate.close(clock.now(), waitMs);
        // who has another model to ask does not wait for silence twice
        if (attempt >= most || waitMs > longest || limit || (hasFallback && stalled === true)) throw error;
        why = error.message;
        onRetry?.({ attempt, waitMs, why });
        pass?.give();
        // Its own wait, also when another call is answered meanwhile and the gate opens.
        await clock.sleep(waitMs, signal);
        await afterWait();
      } finally {
        pass?.give();
      }
    }
  }

  return derived(model, { reply });
}
