/**
 * The waiters of one process and one database, by topic. Wake-ups are hints: a woken waiter reads the database itself. Changes of
 * this process wake at once; changes of other processes arrive through `Feed`.
 */
import type { Clock } from "../../ports/clock.ts";
import type { Mark, WakeTopic } from "../../ports/store.ts";

/** Sends notices of this process's changes and receives those of other processes. */
export interface Feed {
  /** There is a waiter now: start listening, unless that is done already. */
  start(): void;
  /** There are no waiters any more. */
  pause(): void;
  /** Announces a commit of this process. Never throws. */
  publish(team: string, topics: ReadonlySet<WakeTopic>): void;
  close(): Promise<void>;
}

type Waiter = () => void;
/** Teams of one store wait in the same queue of landings. */
const keyOf = (team: string, topic: WakeTopic): string => (topic === "landings" ? topic : `${team}/${topic}`);

export class WakeHub {
  private count = 0;
  private closed = false;
  /** The mark of the last change of each topic. */
  private readonly lastChange = new Map<string, number>();
  /** Up to this mark any topic may have changed: notices were lost. */
  private everything = 0;
  private readonly waiting = new Map<string, Set<Waiter>>();
  private waiters = 0;
  feed: Feed | null = null;

  mark(): Mark {
    return this.count as Mark;
  }

  /** After a commit of this process. */
  announce(team: string, topics: ReadonlySet<WakeTopic>): void {
    if (topics.size === 0) return;
    this.wake(team, topics);
    this.feed?.publish(team, topics);
  }

  wake(team: string, topics: Iterable<WakeTopic>): void {
    this.count += 1;
    for (const topic of topics) {
      const key = keyOf(team, topic);
      this.lastChange.set(key, this.count);
      this.run(key);
    }
  }

  wakeAll(): void {
    this.count += 1;
    this.everything = this.count;
    for (const key of [...this.waiting.keys()]) this.run(key);
  }

  private run(key: string): void {
    const waiters = this.waiting.get(key);
    if (waiters) for (const waiter of [...waiters]) waiter();
  }

  changed(
    team: string,
    since: Mark,
    topics: readonly WakeTopic[],
    ms: number,
    clock: Clock,
    signal?: AbortSignal,
  ): Promise<void> {
    const keys = topics.map((topic) => keyOf(team, topic));
    return new Promise((resolve) => {
      // Even a ready answer waits for a turn of the event loop: SQLite never really waits, so a loop of looks and wake-ups would
      // otherwise keep all timers of the process from running.
      if (
        this.closed ||
        signal?.aborted ||
        this.everything > since ||
        keys.some((key) => (this.lastChange.get(key) ?? 0) > since)
      ) {
        setImmediate(resolve);
        return;
      }
      const timer = new AbortController();
      const done = (): void => {
        for (const key of keys) this.remove(key, done);
        signal?.removeEventListener("abort", done);
        timer.abort();
        resolve();
      };
      for (const key of keys) this.add(key, done);
      signal?.addEventListener("abort", done, { once: true });
      if (ms !== Number.POSITIVE_INFINITY) void clock.sleep(ms, timer.signal).then(done);
    });
  }

  /** Calls `on` in a later turn of the event loop, once for all changes before it. */
  watch(team: string, topic: WakeTopic, on: () => void): () => void {
    const key = keyOf(team, topic);
    let planned = false;
    let over = false;
    const waiter = (): void => {
      if (planned) return;
      planned = true;
      setImmediate(() => {
        planned = false;
        if (!over) on();
      });
    };
    this.add(key, waiter);
    return () => {
      over = true;
      this.remove(key, waiter);
    };
  }

  private add(key: string, waiter: Waiter): void {
    const set = this.waiting.get(key) ?? new Set();
    this.waiting.set(key, set);
    set.add(waiter);
    this.waiters += 1;
    if (this.waiters === 1) this.feed?.start();
  }

  private remove(key: string, waiter: Waiter): void {
    const set = this.waiting.get(key);
    if (!set?.delete(waiter)) return;
    if (set.size === 0) this.waiting.delete(key);
    this.waiters -= 1;
    if (this.waiters === 0) this.feed?.pause();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.wakeAll();
    await this.feed?.close();
  }
}
