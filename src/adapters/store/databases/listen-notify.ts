/**
 * Wake-ups by LISTEN/NOTIFY. A notice is sent after the commit, in a statement of its own: inside a transaction it would make all
 * commits wait for one lock. Notices are lost only with the connection, so every new connection wakes all waiters.
 */
import { randomUUID } from "node:crypto";
import type { Client, Pool } from "pg";
import type { WakeTopic } from "../../../ports/store.ts";
import type { Feed, WakeHub } from "../wake-hub.ts";

/** Only views wait for the facts of other processes. At 25 ms, eight busy processes sent a notice for every second task. */
const JOURNAL_MS = 50;
/** Each notice is a transaction, so notices in quick succession are joined: the first goes at once, the rest after this time. */
const GAP_MS = 5;
/** PostgreSQL accepts less than 8,000 bytes. */
const PAYLOAD_MAX = 7_000;
const RECONNECT_MS = { first: 20, longest: 5_000 };

export class ListenNotify implements Feed {
  private readonly client: () => Client;
  private readonly pool: Pool;
  private readonly channel: string;
  private readonly hub: WakeHub;
  private readonly self = randomUUID();
  private listener: Promise<Client | null> | null = null;
  private closed = false;
  private again: NodeJS.Timeout | null = null;
  private wait = RECONNECT_MS.first;
  /** Topics to be announced, as `team/topic`. */
  private readonly news = new Set<string>();
  private later: NodeJS.Timeout | null = null;
  private flushAt = Number.POSITIVE_INFINITY;
  private sentAt = Number.NEGATIVE_INFINITY;
  private readonly sending = new Set<Promise<unknown>>();

  constructor(client: () => Client, pool: Pool, channel: string, hub: WakeHub) {
    this.client = client;
    this.pool = pool;
    this.channel = channel;
    this.hub = hub;
  }

  start(): void {
    if (!this.closed && !this.again) this.listener ??= this.listen();
  }

  pause(): void {}

  publish(team: string, topics: ReadonlySet<WakeTopic>): void {
    const waits = topics.size === 1 && topics.has("journal") ? JOURNAL_MS : GAP_MS;
    for (const topic of topics) this.news.add(`${team}/${topic}`);
    const at = Math.max(performance.now() + (waits === GAP_MS ? 0 : waits), this.sentAt + waits);
    if (at >= this.flushAt) return;
    if (this.later) clearTimeout(this.later);
    this.flushAt = at;
    const wait = at - performance.now();
    if (wait <= 0) this.flush();
    else this.later = setTimeout(() => this.flush(), wait).unref();
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.again) clearTimeout(this.again);
    this.flush();
    await Promise.all(this.sending);
    await (await this.listener)?.end().catch(() => {});
  }

  private async listen(): Promise<Client | null> {
    const client = this.client();
    client.on("error", () => {});
    client.on("end", () => this.lost());
    client.on("notification", ({ payload = "" }) => this.receive(payload));
    try {
      await client.connect();
      await client.query(`listen "${this.channel}"`);
      this.wait = RECONNECT_MS.first;
      this.hub.wakeAll();
      return client;
    } catch {
      void client.end().catch(() => {});
      this.lost();
      return null;
    }
  }

  private lost(): void {
    this.listener = null;
    if (this.closed || this.again) return;
    this.again = setTimeout(() => {
      this.again = null;
      this.start();
    }, this.wait).unref();
    this.wait = Math.min(2 * this.wait, RECONNECT_MS.longest);
  }

  private flush(): void {
    if (this.later) clearTimeout(this.later);
    this.later = null;
    this.flushAt = Number.POSITIVE_INFINITY;
    if (this.news.size === 0) return;
    this.sentAt = performance.now();
    let payload: string = this.self;
    for (const place of this.news) {
      if (payload.length + place.length > PAYLOAD_MAX) {
        this.send(payload);
        payload = this.self;
      }
      payload += ` ${place}`;
    }
    this.send(payload);
    this.news.clear();
  }

  private send(payload: string): void {
    const sent: Promise<unknown> = this.pool
      .query({ name: "ekiden notify", text: "select pg_notify($1, $2)", values: [this.channel, payload] })
      .catch(() => {}) // the next write reports the error
      .finally(() => this.sending.delete(sent));
    this.sending.add(sent);
  }

  private receive(payload: string): void {
    const [from, ...places] = payload.split(" ");
    if (from === this.self) return;
    for (const place of places) {
      const slash = place.indexOf("/");
      this.hub.wake(place.slice(0, slash), [place.slice(slash + 1) as WakeTopic]);
    }
  }
}
