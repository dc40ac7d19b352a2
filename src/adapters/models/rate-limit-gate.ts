/**
 * The access to one model of a provider with one key, shared by the members of a process. Open, it costs nothing. When a call is told to
 * wait, it shuts: all calls wait until then and continue one by one, each after the one before got its answer (or its first
 * byte), so that ten teammates try a broken provider once and not ten times.
 *
 * | state | a call comes             | the provider is busy            | a call is answered                     |
 * |-------|--------------------------|---------------------------------|----------------------------------------|
 * | open  | goes                     | shut until then                 | open                                   |
 * | shut  | joins the queue          | the first of the queue waits    | the next of the queue goes; open when  |
 * |       |                          | and tries again                 | the queue is empty                     |
 */
import type { Clock } from "../../ports/clock.ts";

export class RateLimitGate {
  /** Milliseconds since the epoch before which no call is made. */
  until = 0;
  /** Failures in a row, of any call: the exponent of the next wait. */
  failures = 0;
  private shut = false;
  private busy = false;
  private readonly queue: (() => void)[] = [];

  get open(): boolean {
    return !this.shut;
  }

  /** A call is trying: further calls join the queue. */
  get occupied(): boolean {
    return this.busy;
  }

  /** Shuts it. Failures of calls that were under way together count once. */
  close(now: number, waitMs: number): void {
    if (!this.shut || now >= this.until) this.failures += 1;
    this.shut = true;
    this.until = Math.max(this.until, now + waitMs);
  }

  /** Resolves at the caller's turn at a shut gate, before its time is up. @throws the signal's reason */
  async enter(signal: AbortSignal): Promise<Pass> {
    signal.throwIfAborted();
    if (this.busy) await this.waitInQueue(signal);
    this.busy = true;
    return new Pass(this);
  }

  /** The first call of the queue got an answer. */
  answered(): void {
    this.failures = 0;
    this.until = 0;
  }

  leave(): void {
    this.busy = false;
    const next = this.queue.shift();
    if (next) next();
    else if (this.until === 0) this.shut = false;
  }

  private waitInQueue(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener("abort", giveUp);
        this.busy = true;
        resolve();
      };
      const giveUp = (): void => {
        this.queue.splice(this.queue.indexOf(go), 1);
        reject(signal.reason);
      };
      this.queue.push(go);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }
}

/** The right to try. */
export class Pass {
  private gate: RateLimitGate | null;

  constructor(gate: RateLimitGate) {
    this.gate = gate;
  }

  /** Waits until the gate's time, however often it moves. */
  async wait(clock: Clock, signal: AbortSignal): Promise<void> {
    while (this.gate && this.gate.until > clock.now()) {
      await clock.sleep(this.gate.until - clock.now(), signal);
      signal.throwIfAborted();
    }
  }

  /** Answered: the next call may go. */
  answered(): void {
    this.gate?.answered();
    this.give();
  }

  /** Passes the right on to the next of the queue. A second call does nothing. */
  give(): void {
    this.gate?.leave();
    this.gate = null;
  }
}
