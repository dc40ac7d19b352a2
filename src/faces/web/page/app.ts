/** The page's one state: where it is, the team live, the replay, the open questions. Views subscribe and read. */
import { useLayoutEffect, useState } from "preact/hooks";
import type { Event } from "../../../core/event.ts";
import type { MemberRow } from "../../../core/picture/member.ts";
import { Picture } from "../../../core/picture/picture.ts";
import { QUESTION_FACTS } from "../../../core/picture/questions.ts";
import { taskOf } from "../../../core/picture/task.ts";
import type { LiveOutput } from "../../../core/text/live-output.ts";
import type { Act, Acted, Overview, Question, Snapshot } from "../wire.ts";
import type { DialogOf } from "./dialogs.ts";
import type { Connection } from "./live/listen.ts";
import type { Replay } from "./live/replay.ts";
import { Replaying } from "./live/replaying.ts";
import { openSource, Refused, type Source } from "./live/source.ts";
import { putInLine } from "./pure/board.ts";
import { addressOf, currentAddress, parseRoute, pushAddress, type Route } from "./route.ts";

export type Notice = { readonly text: string; readonly isError: boolean };
type Failure = { readonly title: string; readonly text: string };

const SEEN_MAX = 20_000;
const NOTICE_MS = 6_000;
const SENDING_MS = 300;
const LOST_MS = 4_000;
const RETRY_MS = 2_000;

const isAway = ({ is }: Connection): boolean => is === "lost" || is === "refused";

const titleOf = (error: unknown): string => {
  if (!(error instanceof Refused)) return "The page's server cannot be reached";
  return TITLES[error.status] ?? "The team cannot be shown";
};
const TITLES: Readonly<Record<number, string>> = {
  401: "This link does not open the page",
  403: "This link does not open the team",
  404: "There is no such team",
};

export class App {
  readonly source: Source = openSource();
  overview: Overview | null = null;
  /** The name and the folder of the shown team. */
  teamName = "";
  project = "";
  route: Route = { team: "", view: "board", item: "", task: null, at: null };
  live = new Picture();
  readonly replaying = new Replaying(this);
  questions: readonly Question[] = [];
  /** The output of commands at this moment. */
  output: readonly LiveOutput[] = [];
  connection: Connection = { is: "lost" };
  clock: () => number = Date.now;
  private connectionSince = Date.now();
  /** The reason why the page cannot show a team. */
  failure: Failure | null = null;
  loaded = false;
  notice: Notice | null = null;
  dialog: DialogOf = "none";
  /** The panel of a task is opened by a key. */
  panelTakesFocus = false;
  private sending = 0;
  private slowSince: number | null = null;
  private clockOffset = 0;
  private readonly seen = new Set<number>();
  private readonly listeners = new Set<() => void>();
  private readonly taps = new Set<(events: readonly Event[]) => void>();
  private stopListening = (): void => {};
  private isDrawing = false;
  private noticeTimer: ReturnType<typeof setTimeout> | undefined;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private generation = 0;
  /** The number of requests for the open questions. */
  private asked = 0;
  private views: readonly string[] = [];

  get replay(): Replay | null {
    return this.replaying.now;
  }
  /** The shown picture: the team now, or as it was. */
  get model(): Picture {
    return this.replay?.model ?? this.live;
  }
  /** Stands still without a connection: the page does not know whether the shown work still continues. */
  get now(): number {
    const here = isAway(this.connection) ? this.connectionSince : this.clock();
    return this.replay?.time ?? here + this.clockOffset;
  }
  /** A short gap is no news. */
  get isLost(): boolean {
    return isAway(this.connection) && Date.now() - this.connectionSince >= LOST_MS;
  }
  get mayAct(): boolean {
    return this.replay === null && this.source.recording === null && this.overview?.readOnly === false;
  }

  /** `views`: those that an address may name. */
  async start(views: readonly string[]): Promise<void> {
    this.views = views;
    addEventListener("popstate", () => this.follow());
    addEventListener("hashchange", () => this.follow());
    await this.follow();
    if (this.source.recording) await this.replaying.start(this.route.at);
  }

  /** Calls `on` for every batch of live facts. */
  tap(on: (events: readonly Event[]) => void): () => void {
    this.taps.add(on);
    return () => this.taps.delete(on);
  }

  subscribe(on: () => void): () => void {
    this.listeners.add(on);
    return () => this.listeners.delete(on);
  }

  /** Views are drawn once a frame, however much has happened. */
  draw(): void {
    if (this.isDrawing) return;
    this.isDrawing = true;
    // A page in the background gets no frames, but its title counts questions.
    requestAnimationFrame(() => this.isDrawing && this.drawNow());
    setTimeout(() => this.isDrawing && this.drawNow(), 200);
  }

  /** For what takes keys: the next key finds it. */
  drawNow(): void {
    this.isDrawing = false;
    for (const on of [...this.listeners]) on();
  }

  go(change: Partial<Route>): void {
    const isOther = change.team !== undefined && change.team !== this.route.team;
    const next = { ...this.route, ...(isOther && { at: null }), ...change };
    if (addressOf(next) === addressOf(this.route)) return;
    this.dialog = "none"; // its link was followed
    pushAddress(next, false);
    void this.follow();
  }

  say(text: string, isError: boolean): void {
    this.notice = { text, isError };
    clearTimeout(this.noticeTimer);
    this.noticeTimer = setTimeout(() => {
      this.notice = null;
      this.draw();
    }, NOTICE_MS);
    this.draw();
  }

  /** True when it was done; either way a sentence is shown. */
  async act(act: Act): Promise<boolean> {
    const done = await this.send(act);
    this.say(done.text, !done.ok);
    return done.ok;
  }

  /** As `act`, for a caller that shows the sentence where it belongs. Says so while the server is slow. */
  async send(act: Act): Promise<Acted> {
    this.sending += 1;
    const slow = setTimeout(() => this.draw(), SENDING_MS);
    this.slowSince ??= Date.now();
    const done = await this.source.act(this.route.team, act);
    clearTimeout(slow);
    this.sending -= 1;
    if (this.sending === 0) this.slowSince = null;
    if (act.do === "answer" || act.do === "stop") void this.refreshQuestions();
    this.draw();
    return done;
  }

  /** Something was sent and is not answered yet; a short wait is no news. */
  get isSending(): boolean {
    return this.slowSince !== null && Date.now() - this.slowSince >= SENDING_MS;
  }

  toggleReplay(): void {
    this.replaying.toggle();
  }

  private async follow(): Promise<void> {
    const { team } = this.route;
    try {
      this.overview ??= await this.source.get<Overview>("teams");
      this.route = parseRoute(currentAddress(), this.overview.first, this.views);
      if (!currentAddress().startsWith(`/${this.route.team}`)) pushAddress(this.route, true);
      if (this.route.team !== team || !this.loaded) await this.load();
      if (!this.source.recording || this.replay) await this.replaying.follow(this.route.at);
    } catch (error) {
      this.fail(error);
    }
    this.draw();
  }

  private async load(): Promise<void> {
    const generation = ++this.generation;
    const { team } = this.route;
    this.stopListening();
    this.replaying.end();
    this.output = [];
    const state = await this.source.get<Snapshot>(`${team}/state`);
    if (generation !== this.generation) return;
    [this.teamName, this.project] = [state.team, state.project];
    this.live = Picture.of(
      state.tasks.map(taskOf),
      state.members,
      state.questions,
      state.logins,
      state.redBase,
    );
    putInLine(this.live, state.inLine);
    this.clockOffset = this.source.recording ? 0 : state.now - Date.now();
    this.failure = null;
    this.loaded = true;
    this.seen.clear();
    this.stopListening = this.source.listen(team, state.cursor, {
      facts: (events) => this.take(events),
      output: (now) => {
        this.output = now;
        this.draw();
      },
      members: (rows) => {
        this.live.setMembers(rows, null);
        this.draw();
      },
      reset: () => void this.load().catch((error) => this.fail(error)),
      connection: (now) => {
        const wasLost = this.connection.is !== "live";
        if (isAway(now) && !wasLost) setTimeout(() => this.draw(), LOST_MS);
        if (now.is !== this.connection.is) this.connectionSince = Date.now();
        if (isAway(now)) this.output = [];
        this.connection = now;
        if (wasLost && now.is === "live") void this.refreshMembers();
        this.draw();
      },
    });
    if (this.source.recording) this.connection = { is: "live" };
    void this.refreshQuestions();
    if (!this.source.recording) void this.refreshMembers();
    this.draw();
  }

  private fail(error: unknown): void {
    const text = error instanceof Refused ? error.message : "Is ekiden web running?";
    this.failure = { title: titleOf(error), text };
    clearTimeout(this.retryTimer);
    this.retryTimer = setTimeout(() => void this.retry(), RETRY_MS);
    this.draw();
  }

  /** The server may come back, the store be repaired, the link be renewed by another tab. */
  private async retry(): Promise<void> {
    if (this.failure === null) return;
    if (!this.loaded) return await this.follow();
    await this.load().catch((error) => this.fail(error));
  }

  private take(batch: readonly Event[]): void {
    const events = batch.filter((event) => !this.seen.has(event.seq));
    if (events.length === 0) return;
    if (this.seen.size > SEEN_MAX) this.seen.clear();
    for (const event of events) {
      this.seen.add(event.seq);
      this.live.apply(event);
    }
    if (events.some((event) => QUESTION_FACTS.has(event.type))) void this.refreshQuestions();
    for (const tap of this.taps) tap(events);
    this.draw();
  }

  /** After a time in which the page heard nothing. */
  private async refreshMembers(): Promise<void> {
    const live = this.live;
    const { version } = live;
    const rows = await this.source.get<MemberRow[]>(`${this.route.team}/members`).catch(() => null);
    if (!rows || live !== this.live) return;
    live.setMembers(rows, version);
    this.draw();
  }

  async refreshQuestions(): Promise<void> {
    const { team } = this.route;
    const ticket = ++this.asked;
    const questions = await this.source.get<Question[]>(`${team}/questions`).catch(() => null);
    // The older one of two answers may arrive last: it would hide a question that has come since.
    if (!questions || ticket !== this.asked || team !== this.route.team) return;
    this.questions = questions;
    this.draw();
  }
}

export const app = new App();

/** Draws the component again whenever anything changed. */
export function useApp(): App {
  const [, redraw] = useState(0);
  // Before the first paint: a recording has all its answers by then.
  useLayoutEffect(() => app.subscribe(() => redraw((n) => n + 1)), []);
  return app;
}
