/**
 * Siblings that begin at the same moment would each pay for the prefix that they share, because a provider's cache has it only once
 * the first of them is answered. So the first request of a prefix goes ahead, and the others wait until its answer begins, or a
 * moment. One for all members of a process. Models without a cache never wait.
 */

/** Longer than a provider usually takes to begin. A member never waits longer for a saving. */
const MOST_MS = 8_000;

export class Stagger {
  private readonly ahead = new Map<string, Promise<void>>();
  private readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;

  constructor(sleep: (ms: number, signal: AbortSignal) => Promise<unknown>) {
    this.sleep = sleep;
  }

  /** Resolves when a request with this prefix may be made. To be called when its answer begins, or it has failed. */
  async enter(prefix: string, signal: AbortSignal): Promise<() => void> {
    const ahead = this.ahead.get(prefix);
    if (ahead !== undefined) {
      const waits = new AbortController();
      await Promise.race([ahead, this.sleep(MOST_MS, AbortSignal.any([signal, waits.signal]))]);
      waits.abort();
      signal.throwIfAborted();
      return () => {};
    }
    let begun = (): void => {};
    this.ahead.set(
      prefix,
      new Promise((resolve) => {
        begun = resolve;
      }),
    );
    return begun;
  }
}
