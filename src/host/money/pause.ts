/** Holds back the model calls of members while a limit of the team is used up and a person is there to raise it. */
export class Pause {
  private waiting: PromiseWithResolvers | null = null;

  get isOn(): boolean {
    return this.waiting !== null;
  }

  begin(): void {
    this.waiting ??= withResolvers();
  }

  end(): void {
    this.waiting?.resolve();
    this.waiting = null;
  }

  /** Resolves when nothing is waited for. @throws the signal's reason when it aborts */
  async passed(signal: AbortSignal): Promise<void> {
    while (this.waiting) {
      signal.throwIfAborted();
      const { promise } = this.waiting;
      await new Promise<void>((resolve, reject) => {
        const stop = (): void => reject(signal.reason as Error);
        signal.addEventListener("abort", stop, { once: true });
        void promise.then(() => {
          signal.removeEventListener("abort", stop);
          resolve();
        });
      });
    }
  }
}

type PromiseWithResolvers = { readonly promise: Promise<void>; readonly resolve: () => void };

function withResolvers(): PromiseWithResolvers {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
