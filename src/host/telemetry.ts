/**
 * Follows the journal and exports spans and metrics of the members that this process runs. The journal is the source, so a member's
 * turn costs nothing more, and an export that fails loses no work. Loaded only when the standard OTEL_ variables ask for it.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { type Otlp, post } from "../adapters/telemetry/otlp.ts";
import type { Name } from "../core/ids.ts";
import { Meters } from "../core/telemetry/meters.ts";
import { metricsBody, tracesBody } from "../core/telemetry/otlp.ts";
import { type Attributes, type Span, SpanWriter } from "../core/telemetry/spans.ts";
import { TOLD_FACTS, type ToldEvent } from "../core/telemetry/told.ts";
import type { Clock, Cursor, Store } from "../ports/index.ts";

export type Telemetry = {
  /** The member runs here from now on. */
  hosts(name: Name): void;
  /** Exports the rest, for a few seconds at most. Never rejects. */
  close(): Promise<void>;
};

type Parts = { readonly store: Store; readonly clock: Clock; readonly version: string };

export async function openTelemetry(otlp: Otlp, parts: Parts): Promise<Telemetry> {
  const follower = new Follower(otlp, parts, await parts.store.journal.end());
  follower.begin();
  return follower;
}

/** Spans that wait while the receiver is away; later ones are dropped. */
const QUEUE_MAX = 20_000;
const BATCH = 512;
const CLOSE_MS = 4_000;

class Follower implements Telemetry {
  private readonly otlp: Otlp;
  private readonly parts: Parts;
  private readonly spans: SpanWriter;
  private readonly meters = new Meters();
  private readonly ours = new Set<Name>();
  private readonly resource: Attributes;
  private readonly started: number;
  private readonly closing = new AbortController();
  /** `close` has waited long enough. */
  private readonly over = new AbortController();
  private cursor: Cursor;
  private queue: Span[] = [];
  private dropped = 0;
  private metricsAt: number;
  private following: Promise<void> = Promise.resolve();
  private failing = false;

  constructor(otlp: Otlp, parts: Parts, cursor: Cursor) {
    const { store, clock, version } = parts;
    this.otlp = otlp;
    this.parts = parts;
    this.cursor = cursor;
    this.started = clock.now();
    this.metricsAt = this.started + otlp.metricsMs;
    this.spans = new SpanWriter(store.team, (bytes) => randomBytes(bytes).toString("hex"));
    this.resource = {
      "service.name": "ekiden",
      "service.version": version,
      "service.instance.id": randomUUID(),
      "host.name": hostname(),
      "process.pid": process.pid,
      "ekiden.team": store.team,
      ...otlp.resource,
    };
  }

  begin(): void {
    this.following = this.follow();
  }

  hosts(name: Name): void {
    this.ours.add(name);
  }

  async close(): Promise<void> {
    const late = setTimeout(() => this.over.abort(), CLOSE_MS);
    this.closing.abort();
    await this.following;
    await this.round(true).catch(() => {});
    clearTimeout(late);
  }

  private async follow(): Promise<void> {
    const { clock } = this.parts;
    while (!this.closing.signal.aborted) {
      await clock.sleep(Math.min(this.otlp.spansMs, this.otlp.metricsMs), this.closing.signal);
      if (this.closing.signal.aborted) return;
      await this.round(false).catch(() => {}); // the store is away; the next round reads on
    }
  }

  private async round(isLast: boolean): Promise<void> {
    const { store, clock } = this.parts;
    for await (const { events, cursor } of store.journal.pages(this.cursor, TOLD_FACTS)) {
      for (const event of events) this.take(event as ToldEvent);
      this.cursor = cursor;
    }
    if (isLast) this.enqueue(this.spans.closeAll());
    await this.sendSpans();
    if (!isLast && clock.now() < this.metricsAt) return;
    this.metricsAt = clock.now() + this.otlp.metricsMs;
    await this.sendMetrics();
  }

  private take(event: ToldEvent): void {
    if (!this.ours.has(actorOf(event) as Name)) return;
    this.meters.take(event);
    if (this.otlp.traces) this.enqueue(this.spans.take(event));
  }

  private enqueue(spans: readonly Span[]): void {
    const room = Math.max(0, QUEUE_MAX - this.queue.length);
    this.queue.push(...spans.slice(0, room));
    this.dropped += Math.max(0, spans.length - room);
  }

  private async sendSpans(): Promise<void> {
    const { traces } = this.otlp;
    while (traces && this.queue.length > 0) {
      const batch = this.queue.slice(0, BATCH);
      if (!(await this.accepted(traces, tracesBody(this.resource, batch)))) return;
      this.queue = this.queue.slice(batch.length);
    }
  }

  private async sendMetrics(): Promise<void> {
    const { metrics } = this.otlp;
    const sums = this.meters.snapshot();
    if (!metrics || sums.length === 0) return;
    await this.accepted(metrics, metricsBody(this.resource, sums, this.started, this.parts.clock.now()));
  }

  /** The first failure of an outage becomes a warning, and so does its end if it cost spans. */
  private async accepted(url: URL, body: string): Promise<boolean> {
    const why = await post(url, body, this.otlp, this.over.signal);
    const { journal } = this.parts.store;
    if (why === null) {
      if (this.dropped > 0)
        await journal.warn(null, `Telemetry: ${this.dropped} spans were lost while ${url.origin} was away.`);
      this.failing = false;
      this.dropped = 0;
      return true;
    }
    if (!this.failing)
      await journal.warn(
        null,
        `Telemetry: ${url.origin}${url.pathname} did not take it: ${why}. It is tried again; the work continues.`,
      );
    this.failing = true;
    return false;
  }
}

function actorOf(event: ToldEvent): string | null {
  if ("who" in event) return event.who ?? null;
  if (event.type === "task.released") return event.from;
  return "by" in event ? String(event.by) : null;
}
