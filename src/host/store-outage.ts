/** The conduct of a host while its store is away: it waits for it, until the process is to end. */
import type { OutageWatch } from "../adapters/store/databases/outage.ts";
import type { Journal } from "../ports/index.ts";

/** A last chance for a store that is away when the person interrupts the run. */
const LAST_CHANCE_MS = 3_000;

export class StoreOutage implements OutageWatch {
  journal: Journal | null = null;
  private readonly say: (text: string) => void;
  private readonly over = new AbortController();
  readonly giveUp = this.over.signal;

  constructor(say: (text: string) => void = () => {}) {
    this.say = say;
  }

  readonly onAway = (why: string): void =>
    this.say(`The team waits for its store and continues when it is back. ${why}`);

  readonly onBack = (ms: number): void => {
    const text = `The store is back after ${Math.round(ms / 1000)} s.`;
    this.say(text);
    void this.journal?.warn(null, `${text} The team waited for it.`).catch(() => {});
  };

  giveUpSoon(): void {
    setTimeout(() => this.giveUpNow(), LAST_CHANCE_MS).unref();
  }

  giveUpNow(): void {
    this.over.abort();
  }
}
