/**
 * The live journal for all tabs of this server: one connection for each team, whoever listens. It runs in a worker that the tabs share,
 * because a browser opens six connections to a server and no more. A tab that comes later is told what it missed, once. Pure but for
 * `fetch` and timers; it knows neither the document nor what messages mean.
 */
import { messagesIn } from "./stream.ts";

/** `lost`: no connection. `refused`: the server wants another token. `trouble`: the server cannot read its store; it says why. */
export type Connection =
  | { readonly is: "live" }
  | { readonly is: "lost" }
  | { readonly is: "refused" | "trouble"; readonly text: string };
/** Data is JSON, which the tab reads. */
export type Heard =
  | { readonly is: "message"; readonly event: string; readonly data: string; readonly id: string | null }
  | { readonly is: "connection"; readonly now: Connection };
type Ear = (heard: Heard) => void;

/** `base`: the address of the server's answers. */
export type Place = {
  readonly base: string;
  readonly team: string;
  readonly from: string;
  readonly token: string;
};

const RETRY_MS = 500;
/** The server is heard every 5 seconds. A proxy that swallows bytes keeps a dead connection open. */
const SILENT_MS = 12_000;
/** A clock that goes on by more than this between two looks: the machine slept, and its connections may be dead without a word. */
const SLEPT_MS = 5_000;
const LOOK_MS = 1_000;
/** Teams with a connection that stays open; the others ask again and again. Tabs need connections for their questions too. */
const OPEN_MAX = 3;
const ASK_AGAIN_MS = 2_000;

export class Streams {
  private readonly teams = new Map<string, TeamStream>();

  /** Ends with the returned function. */
  listen(place: Place, ear: Ear): () => void {
    const stream =
      this.teams.get(place.team) ??
      new TeamStream(place, () => [...this.teams.keys()].indexOf(place.team) < OPEN_MAX);
    this.teams.set(place.team, stream);
    stream.join(ear, place);
    return () => {
      stream.leave(ear);
      if (stream.isLeft && this.teams.get(place.team) === stream) this.teams.delete(place.team);
    };
  }
}

class TeamStream {
  /** With what came while an ear was still told what it missed; null when it is up to date. */
  private readonly ears = new Map<Ear, Heard[] | null>();
  private readonly mayStay: () => boolean;
  private readonly over = new AbortController();
  private place: Place;
  private connection: Connection = { is: "lost" };
  private output: Heard | null = null;

  constructor(place: Place, mayStay: () => boolean) {
    this.place = place;
    this.mayStay = mayStay;
  }

  get isLeft(): boolean {
    return this.ears.size === 0;
  }

  join(ear: Ear, { from, token }: Place): void {
    const isFirst = this.isLeft;
    this.place = { ...this.place, token };
    this.ears.set(ear, isFirst ? null : []);
    if (isFirst) return void this.run();
    ear({ is: "connection", now: this.connection });
    void this.tellMissed(ear, from);
  }

  leave(ear: Ear): void {
    this.ears.delete(ear);
    if (this.isLeft) this.over.abort();
  }

  private tell(heard: Heard): void {
    for (const [ear, held] of this.ears)
      if (held) held.push(heard);
      else ear(heard);
  }

  private connected(now: Connection): void {
    this.connection = now;
    this.tell({ is: "connection", now });
  }

  private async run(): Promise<void> {
    const { signal } = this.over;
    while (!signal.aborted) {
      const isOnce = !this.mayStay();
      try {
        await this.follow(this.place.from, isOnce, (heard) => this.take(heard));
        if (isOnce) {
          await pause(ASK_AGAIN_MS, signal);
          continue;
        }
        this.connected({ is: "lost" });
      } catch (error) {
        if (signal.aborted) return;
        this.connected(error instanceof Unwelcome ? { is: "refused", text: error.message } : { is: "lost" });
      }
      await pause(RETRY_MS, signal);
    }
  }

  private take(heard: Heard): void {
    if (heard.is === "connection") {
      this.connected(heard.now);
      return;
    }
    if (heard.id) this.place = { ...this.place, from: heard.id };
    if (heard.event === "output") this.output = heard;
    if (heard.event === "trouble") {
      const { text } = JSON.parse(heard.data) as { text: string };
      this.connected({ is: "trouble", text });
    } else if (heard.event === "well") this.connected({ is: "live" });
    else if (heard.event !== "beat") this.tell(heard);
  }

  private async tellMissed(ear: Ear, from: string): Promise<void> {
    const { signal } = this.over;
    while (this.ears.get(ear) && !signal.aborted)
      try {
        await this.follow(from, true, (heard) => {
          if (heard.is === "message" && heard.event !== "beat" && this.ears.has(ear)) ear(heard);
        });
        const held = this.ears.get(ear) ?? [];
        if (!this.ears.has(ear)) return;
        this.ears.set(ear, null);
        for (const heard of [...held, ...(this.output ? [this.output] : [])]) ear(heard);
        return;
      } catch {
        await pause(RETRY_MS, signal);
      }
  }

  /** Reads until the connection ends; `isOnce`: only the missed events. @throws what the connection throws */
  private async follow(from: string, isOnce: boolean, on: (heard: Heard) => void): Promise<void> {
    const { base, team, token } = this.place;
    const silent = new AbortController();
    const signal = AbortSignal.any([this.over.signal, silent.signal]);
    let heardAt = Date.now();
    let lookedAt = heardAt;
    const looking = setInterval(() => {
      const now = Date.now();
      if (now - lookedAt > SLEPT_MS || now - heardAt > SILENT_MS) silent.abort();
      lookedAt = now;
    }, LOOK_MS);
    const heardIt = (): void => {
      heardAt = Date.now();
    };
    try {
      const answer = await fetch(
        `${base}/${encodeURIComponent(team)}/stream?from=${encodeURIComponent(from)}${isOnce ? "&once=1" : ""}`,
        { signal, headers: { Authorization: `Bearer ${token}` } },
      );
      if (answer.status === 401 || answer.status === 403) throw new Unwelcome((await answer.text()).trim());
      if (!answer.ok || !answer.body) throw new Error(`The server answered ${answer.status}.`);
      if (this.connection.is !== "live") on({ is: "connection", now: { is: "live" } });
      for await (const { event, data, id } of messagesIn(answer.body)) {
        if (signal.aborted) return;
        heardIt();
        on({ is: "message", event, data, id });
      }
    } finally {
      clearInterval(looking);
    }
  }
}

class Unwelcome extends Error {}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) return done();
    const timer = setTimeout(done, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        done();
      },
      { once: true },
    );
  });
