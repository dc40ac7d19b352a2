/**
 * Wake-ups by LISTEN/NOTIFY. The notice is a statement of its own after the commit: inside a transaction it would make commits
 * queue up behind one lock. A notice can only be lost with the connection, and whenever that is (re)made everybody is woken.
 */
import { randomUUID } from "node:crypto";
import type { Client, Pool } from "pg";
import type { Topic } from "../../ports/store.ts";
import type { Feed, Hub } from "./hub.ts";

const JOURNAL_MS = 25;
const RECONNECT_MS = { first: 20, longest: 5_000 };

export class Notices implements Feed {
  readonly #client: () => Client;
  readonly #pool: Pool;
  readonly #channel: string;
  readonly #hub: Hub;
  readonly #self = randomUUID();
  #ear: Promise<Client | null> | null = null;
  #closed = false;
  #again: NodeJS.Timeout | null = null;
  #wait = RECONNECT_MS.first;
  readonly #late = new Set<string>();
  #later: NodeJS.Timeout | null = null;
  readonly #sending = new Set<Promise<unknown>>();

  constructor(client: () => Client, pool: Pool, channel: string, hub: Hub) {
    this.#client = client;
    this.#pool = pool;
    this.#channel = channel;
    this.#hub = hub;
  }

  start(): void {
    if (!this.#closed && !this.#again) this.#ear ??= this.#listen();
  }

  pause(): void {}

  publish(team: string, topics: ReadonlySet<Topic>): void {
    if (topics.size === 1 && topics.has("journal")) {
      this.#late.add(team);
      this.#later ??= setTimeout(() => this.#flush(), JOURNAL_MS).unref();
    } else this.#send([...topics].map((topic) => [team, topic]));
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#again) clearTimeout(this.#again);
    this.#flush();
    await Promise.all(this.#sending);
    await (await this.#ear)?.end().catch(() => {});
  }

  async #listen(): Promise<Client | null> {
    const client = this.#client();
    client.on("error", () => {});
    client.on("end", () => this.#lost());
    client.on("notification", ({ payload = "" }) => this.#hear(payload));
    try {
      await client.connect();
      await client.query(`listen "${this.#channel}"`);
      this.#wait = RECONNECT_MS.first;
      this.#hub.wakeAll();
      return client;
    } catch {
      void client.end().catch(() => {});
      this.#lost();
      return null;
    }
  }

  #lost(): void {
    this.#ear = null;
    if (this.#closed || this.#again) return;
    this.#again = setTimeout(() => {
      this.#again = null;
      this.start();
    }, this.#wait).unref();
    this.#wait = Math.min(2 * this.#wait, RECONNECT_MS.longest);
  }

  #flush(): void {
    if (this.#later) clearTimeout(this.#later);
    this.#later = null;
    if (this.#late.size > 0) this.#send([...this.#late].map((team) => [team, "journal"]));
    this.#late.clear();
  }

  #send(news: readonly (readonly [string, Topic])[]): void {
    const payloads = JSON.stringify(news.map(([team, topic]) => `${this.#self} ${team}/${topic}`));
    const text = "select pg_notify($1, payload) from json_array_elements_text($2::json) as payload";
    const sent: Promise<unknown> = this.#pool
      .query({ text, values: [this.#channel, payloads] })
      .catch(() => {}) // whoever writes next meets the fault
      .finally(() => this.#sending.delete(sent));
    this.#sending.add(sent);
  }

  #hear(payload: string): void {
    const [from, place = ""] = payload.split(" ");
    if (from === this.#self) return;
    const slash = place.indexOf("/");
    this.#hub.wake(place.slice(0, slash), [place.slice(slash + 1) as Topic]);
  }
}
