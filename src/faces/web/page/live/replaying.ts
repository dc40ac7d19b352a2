/** The replay of the page: begun, moved and ended by hand or by the address, which names its moment while it stands still. */
import type { App } from "../app.ts";
import { pushAddress } from "../route.ts";
import { Replay } from "./replay.ts";

/** Browsers refuse too many changes of the address. */
const ADDRESS_MS = 250;

export class Replaying {
  now: Replay | null = null;
  private readonly app: App;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(app: App) {
    this.app = app;
  }

  /** A recording shows its end first, a live run its beginning. */
  async start(at?: number | null, begin?: (replay: Replay) => void): Promise<void> {
    const { app } = this;
    const { source } = app;
    const { team } = app.route;
    try {
      const replay = await Replay.load(source, team, app.live, () => this.moved());
      if (team !== app.route.team) return;
      this.now = replay;
      replay.seek(at ?? (source.recording ? replay.end : replay.start));
      begin?.(replay);
    } catch (error) {
      app.say(error instanceof Error ? error.message : String(error), true);
    }
    app.draw();
  }

  toggle(): void {
    if (this.app.source.recording) return;
    if (!this.now) return void this.start();
    this.end();
    this.app.go({ at: null });
    this.app.draw();
  }

  /** The whole run in about this time, from its beginning. */
  async watch(ms: number): Promise<void> {
    this.app.go({ view: "board", item: "", task: null });
    if (this.now) this.now.playIn(ms);
    else await this.start(null, (replay) => replay.playIn(ms));
  }

  /** As the address says: at a moment of the run, or live. */
  async follow(at: number | null): Promise<void> {
    const replay = this.now;
    if (replay?.isPlaying) return;
    if (at === null) {
      if (!this.app.source.recording) this.end();
    } else if (!replay) await this.start(at);
    else if (Math.round(replay.time) !== at) replay.seek(at);
  }

  end(): void {
    clearTimeout(this.timer);
    this.now?.pause();
    this.now = null;
  }

  private moved(): void {
    const { app, now } = this;
    if (now && !now.isPlaying && app.route.at !== Math.round(now.time)) {
      app.route = { ...app.route, at: Math.round(now.time) };
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.now && pushAddress(app.route, true), ADDRESS_MS);
    }
    app.draw();
  }
}
