/** A run as it was: its facts, a moment, and the model folded up to it. */
import type { Event } from "../../../../core/event.ts";
import { Picture } from "../../../../core/picture/picture.ts";
import type { FactPage } from "../../wire.ts";
import type { Source } from "./source.ts";

export const SPEEDS = [1, 10, 100] as const;
/** A longer time without a fact is left out while a replay plays. */
const IDLE_MS = 60_000;
/** Turns and calls are told apart from the rest of a run up to this size; a longer one replays without them. */
const DETAIL_TURNS_MAX = 15_000;

export async function loadFacts(source: Source, team: string, detail: boolean): Promise<Event[]> {
  const events: Event[] = [];
  for (let after = ""; ; ) {
    const query = { after, detail: detail ? 1 : 0 };
    const page = await source.get<FactPage>(`${team}/timeline`, query);
    events.push(...page.events);
    if (!page.more) return events;
    after = page.cursor;
  }
}

/** The order of facts is that of the journal. Where a clock was set back, or is that of another machine, their times may fall. */
function rising(events: readonly Event[]): readonly Event[] {
  let latest = events[0]?.at;
  return events.map((event) => {
    if (latest === undefined || event.at >= latest) {
      latest = event.at;
      return event;
    }
    return { ...event, at: latest };
  });
}

export class Replay {
  model: Picture;
  time: number;
  speed: number = SPEEDS[1];
  isPlaying = false;
  readonly start: number;
  readonly end: number;
  readonly events: readonly Event[];
  private next = 0;
  private frame = 0;
  private readonly onChange: () => void;

  constructor(events: readonly Event[], onChange: () => void) {
    this.events = rising(events);
    this.onChange = onChange;
    this.start = this.events[0]?.at ?? 0;
    this.end = this.events.at(-1)?.at ?? 0;
    this.time = this.start;
    this.model = new Picture();
  }

  static async load(source: Source, team: string, live: Picture, onChange: () => void): Promise<Replay> {
    const turns = [...live.members.values()].reduce((sum, member) => sum + member.turns, 0);
    return new Replay(await loadFacts(source, team, turns <= DETAIL_TURNS_MAX), onChange);
  }

  /** Plays what happened in about this time, whatever the run took. */
  playIn(ms: number): void {
    this.seek(this.start);
    let busy = 0;
    for (let i = 1; i < this.events.length; i += 1)
      busy += Math.min(IDLE_MS, (this.events[i]?.at ?? 0) - (this.events[i - 1]?.at ?? 0));
    this.speed = Math.max(1, Math.round(busy / ms));
    this.play();
  }

  seek(time: number): void {
    const to = Math.min(this.end, Math.max(this.start, time));
    if (to < this.time) {
      const shape = this.model.shape + 1;
      this.model = new Picture();
      this.model.shape = shape;
      this.next = 0;
    }
    this.time = to;
    for (let event = this.events[this.next]; event && event.at <= to; event = this.events[this.next]) {
      this.model.apply(event);
      this.next += 1;
    }
    this.onChange();
  }

  /** To the next or last moment at which something happened to a task. */
  step(direction: 1 | -1): void {
    const moments = this.events.filter((event) => event.type.startsWith("task."));
    const to =
      direction > 0
        ? moments.find((event) => event.at > this.time)
        : moments.findLast((event) => event.at < this.time);
    this.pause();
    this.seek(to?.at ?? (direction > 0 ? this.end : this.start));
  }

  play(): void {
    if (this.time >= this.end) this.seek(this.start);
    this.isPlaying = true;
    let last = performance.now();
    const step = (now: number): void => {
      if (!this.isPlaying) return;
      this.seek(this.after((now - last) * this.speed));
      last = now;
      if (this.time >= this.end) this.pause();
      else this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
    this.onChange();
  }

  /** A time in which nothing happened is not sat through. */
  private after(ms: number): number {
    const next = this.events[this.next]?.at ?? this.end;
    return next - this.time > IDLE_MS ? next - ms : this.time + ms;
  }

  pause(): void {
    this.isPlaying = false;
    cancelAnimationFrame(this.frame);
    this.onChange();
  }
}
