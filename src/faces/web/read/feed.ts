/**
 * The journal of one team, pushed to all pages that watch it: read once, written to each. A page that comes back with the place
 * of its last message gets what it has missed. Facts may arrive twice around that moment, never not at all; the page knows them
 * by their numbers.
 */

import { messageOf } from "../../../core/errors.ts";
import type { Event } from "../../../core/event.ts";
import type { MemberRow } from "../../../core/picture/member.ts";
import type { LiveOutput } from "../../../core/text/live-output.ts";
import type { Clock, Cursor, Store } from "../../../ports/index.ts";

/** One page. `send` returns false when it takes nothing more. */
export type Watcher = { send(message: Buffer): boolean; end(): void };

const PAGE = 500;
/** Facts that come close together travel together; the more pages are written to, the longer is waited for company. */
const GATHER_MS = 20;
const GATHER_MAX_MS = 80;
/** Wake-ups are hints: a lost one costs at most this long. */
const FLOOR_MS = 2_000;
const RETRY_MS = 1_000;
/** Pages give up a connection that is silent for longer than two of these; so do proxies, later. */
const BEAT_MS = 5_000;
/** Leases end without a fact. */
const HOSTS_MS = 5_000;
/** Where facts come all the time, rows are told that may be a little older than they are. */
const MEMBERS_TRIES = 5;
/** The time between two looks at the output of commands, and while none prints; all pages together get at most 5 MB a second. */
const OUTPUT_MS = 100;
const SILENCE_MS = 500;
/** And where nothing at all happens for a while. */
const QUIET_MS = 3_000;
const QUIET_AFTER_MS = 20_000;
const OUTPUT_BYTES_PER_MS = 5_000;
/** A page that has missed more than this reads the board again. */
const MISSED_MAX = 5_000;

const message = (event: string, data: unknown): Buffer =>
  Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
const BEAT = message("beat", {});
const NO_OUTPUT = message("output", []);
const facts = (events: readonly Event[], cursor: Cursor): Buffer =>
  Buffer.from(`id: ${cursor}\ndata: ${JSON.stringify(events)}\n\n`);

/** State that is in no fact. */
export type Looks = {
  /** The output of commands at this moment. */
  output(): Promise<readonly LiveOutput[]>;
  /** The processes that live, as a text that changes with them. */
  hosts(): Promise<string>;
  members(): Promise<readonly MemberRow[]>;
};

export class Feed {
  private readonly store: Pick<Store, "journal" | "wake">;
  private readonly clock: Clock;
  /** With what came while the watcher was still catching up; null when it is up to date. */
  private readonly watchers = new Map<Watcher, Buffer[] | null>();
  /** The place behind what was pushed last. */
  private at = "" as Cursor;
  private readonly looks: Looks;
  /** The last message of what commands print. */
  private output = NO_OUTPUT;
  private happenedAt = 0;
  private running: { readonly over: AbortController; readonly begun: Promise<void> } | null = null;

  constructor(store: Pick<Store, "journal" | "wake">, clock: Clock, looks: Looks) {
    this.store = store;
    this.clock = clock;
    this.looks = looks;
  }

  /** Resolves when the watcher is up to date. */
  async join(watcher: Watcher, from: Cursor): Promise<void> {
    this.watchers.set(watcher, []);
    try {
      await this.run();
      await this.catchUp(watcher, from, () => this.watchers.has(watcher));
    } catch (error) {
      watcher.send(message("trouble", { text: messageOf(error) }));
      watcher.end(); // it comes back by itself, from where it was
      return this.leave(watcher);
    }
    for (const held of this.watchers.get(watcher) ?? []) watcher.send(held);
    if (this.watchers.has(watcher)) this.watchers.set(watcher, null);
    watcher.send(this.output);
  }

  /** Sends only the events that a watcher missed; it is a watcher already, elsewhere. */
  async tellMissed(watcher: Watcher, from: Cursor): Promise<void> {
    let isThere = true;
    const told: Watcher = {
      send: (text) => {
        isThere = watcher.send(text);
        return isThere;
      },
      end: () => {},
    };
    try {
      await this.catchUp(told, from, () => isThere);
      told.send(this.output);
    } catch (error) {
      watcher.send(message("trouble", { text: messageOf(error) }));
    }
    watcher.end();
  }

  leave(watcher: Watcher): void {
    this.watchers.delete(watcher);
    if (this.watchers.size > 0) return;
    this.running?.over.abort();
    this.running = null;
  }

  /** Ends all pages' connections, once they have got what has happened until now. */
  async close(): Promise<void> {
    const page = this.running && (await this.store.journal.read(this.at, { limit: PAGE }).catch(() => null));
    if (page && page.events.length > 0) this.broadcast(facts(page.events, page.cursor));
    for (const watcher of [...this.watchers.keys()]) {
      watcher.end();
      this.leave(watcher);
    }
  }

  private async catchUp(watcher: Watcher, from: Cursor, isThere: () => boolean): Promise<void> {
    let missed = 0;
    for (let at = from; isThere(); ) {
      const { events, cursor } = await this.store.journal.read(at, { limit: PAGE });
      missed += events.length;
      if (events.length === 0) return;
      if (missed > MISSED_MAX) {
        watcher.send(message("reset", {}));
        return;
      }
      watcher.send(facts(events, cursor));
      at = cursor;
    }
  }

  private run(): Promise<void> {
    if (this.running) return this.running.begun;
    const over = new AbortController();
    const begun = this.store.journal.end().then((end) => {
      void this.push(end, over.signal);
      void this.pushOutput(over.signal);
      void this.pushHosts(over.signal);
    });
    this.running = { over, begun };
    begun.catch(() => {
      this.running = null;
    });
    return begun;
  }

  private async push(from: Cursor, signal: AbortSignal): Promise<void> {
    const { journal, wake } = this.store;
    const beat = setInterval(() => this.broadcast(BEAT), BEAT_MS);
    beat.unref();
    let down = false;
    this.at = from;
    while (!signal.aborted) {
      const mark = wake.mark();
      try {
        const { events, cursor } = await journal.read(this.at, { limit: PAGE });
        if (signal.aborted) break;
        if (down) this.broadcast(message("well", {}));
        down = false;
        this.at = cursor;
        if (events.length > 0) {
          this.happenedAt = this.clock.now();
          this.broadcast(facts(events, cursor));
          await this.clock.sleep(Math.min(GATHER_MAX_MS, GATHER_MS + this.watchers.size), signal);
        } else await wake.changed(mark, ["journal"], FLOOR_MS, signal);
      } catch (error) {
        if (signal.aborted) break;
        if (!down) this.broadcast(message("trouble", { text: messageOf(error) }));
        down = true;
        await this.clock.sleep(RETRY_MS, signal);
      }
    }
    clearInterval(beat);
  }

  /** Every page has the whole list, so that a lost message does no harm. */
  private async pushOutput(signal: AbortSignal): Promise<void> {
    this.output = NO_OUTPUT;
    this.happenedAt = this.clock.now();
    while (!signal.aborted) {
      const printing = await this.looks.output();
      const text = message("output", printing);
      if (!text.equals(this.output)) {
        this.output = text;
        this.broadcast(text);
        await this.clock.sleep((text.length * this.watchers.size) / OUTPUT_BYTES_PER_MS, signal);
      }
      const isQuiet = this.clock.now() - this.happenedAt > QUIET_AFTER_MS;
      await this.clock.sleep(printing.length > 0 ? OUTPUT_MS : isQuiet ? QUIET_MS : SILENCE_MS, signal);
    }
  }

  private async pushHosts(signal: AbortSignal): Promise<void> {
    let known: string | null = null;
    while (!signal.aborted) {
      try {
        const hosts = await this.looks.hosts();
        if (known !== null && hosts !== known) this.broadcast(message("members", await this.members()));
        known = hosts;
      } catch {
        // The journal cannot be read either, and that is told.
      }
      await this.clock.sleep(HOSTS_MS, signal);
    }
  }

  /** As they are after all facts that pages have: an older row would take back that a member has stopped, or is run again. */
  private async members(): Promise<readonly MemberRow[]> {
    for (let tries = 1; ; tries += 1) {
      const { at } = this;
      const rows = await this.looks.members();
      if (at === this.at || tries === MEMBERS_TRIES) return rows;
    }
  }

  private broadcast(text: Buffer): void {
    for (const [watcher, held] of this.watchers)
      if (held) held.push(text);
      else if (!watcher.send(text)) {
        watcher.end();
        this.leave(watcher);
      }
  }
}
