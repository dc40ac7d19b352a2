/**
 * Who waits for what, in one process, for every view of one database. Everything here is a hint: a waiter that is woken looks
 * at the database itself. A change by this process wakes at once; changes by others come in through `Feed`.
 */
import type { Clock } from "../../ports/clock.ts";
import type { Mark, WakeTopic } from "../../ports/store.ts";

/** How changes of other processes arrive, and how ours leave. */
export interface Feed {
  /** Somebody waits from now on: begin to listen, if that is not done yet. */
  start(): void;
  /** Nobody waits any more. */
  pause(): void;
  /** Committed here: tell the others. Never throws. */
  publish(team: string, topics: ReadonlySet<WakeTopic>): void;
  close(): Promise<void>;
}

type Waiter = () => void;
const keyOf = (team: string, topic: WakeTopic): string => `${team}/${topic}`;

export class WakeHub {
  private count = 0;
  private closed = false;
  /** The mark of the last change of each topic. A topic that nobody ever asked about is not kept. */
  private readonly lastChange = new Map<string, number>();
  /** Every change up to here may have touched any topic: an outage, a lost connection. */
  private everything = 0;
  private readonly waiting = new Map<string, Set<Waiter>>();
  private waiters = 0;
  feed: Feed | null = null;

  mark(): Mark {
    return this.count as Mark;
  }

  /** Topics that somebody waits for, as team and topic: what a feed has to look for. */
  awaited(): { team: string; topic: WakeTopic }[] {
    return [...this.waiting.keys()].map((key) => {
      const slash = key.indexOf("/");
      return { team: key.slice(0, slash), topic: key.slice(slash + 1) as WakeTopic };
    });
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
      // Also an answer that is ready takes a turn of the event loop: the embedded database never really waits, so a loop
      // of looks and wake-ups would otherwise keep every timer of the process from running.
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

  /** Calls `on` in a later turn of the event loop, once for all changes until then. */
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
