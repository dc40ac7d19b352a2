/** `ekiden top`: follows a team and draws it. It writes nothing into the store. */
import { systemClock } from "../../adapters/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { Event } from "../../core/event.ts";
import type { Name } from "../../core/ids.ts";
import { rowOf } from "../../core/picture/member.ts";
import { Picture } from "../../core/picture/picture.ts";
import type { Task } from "../../core/task.ts";
import { boardData } from "../../core/views/board.ts";
import type { Store } from "../../ports/index.ts";
import { readHosts } from "../../team/queries/hosts.ts";
import { detailedSentence, follow, lastEvents, withDetails } from "../../team/queries/journal.ts";
import type { LiveReader } from "../../team/queries/live.ts";
import { onSignals } from "../run-guards.ts";
import { News } from "../terminal/news.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type Extent, frame, inOrder, type Known, type Look } from "./frame.ts";
import { FullScreen } from "./full-screen.ts";
import type { Action } from "./keys.ts";
import { nextPane, scrolled } from "./panes.ts";

/** Events that the feed keeps. */
const KEPT = 500;
/** A frame at most so often. */
const FRAME_MS = 100;
/** Ages are drawn anew while somebody works, and hosts are looked for. */
const TICK_MS = 1_000;
const LOOK_MS = 5_000;
/** A failed store is asked again. */
const RETRY_MS = 2_000;

export class Top {
  private known: Known;
  private look: Look = { focus: "board", back: { team: 0, board: 0, feed: 0 } };
  private extent: Extent | null = null;
  private picture = new Picture();
  private readonly screen: FullScreen;
  private timer: NodeJS.Timeout | null = null;
  private reading: AbortController | null = null;
  private readonly over = new AbortController();
  private next: Name | null = null;
  private isStale = true;
  private isBoardStale = true;
  private tasks: readonly Task[] = [];
  private lookedAt = 0;

  private readonly term: Terminal;
  private store: Store;
  private readonly live: LiveReader;

  constructor(term: Terminal, store: Store, live: LiveReader) {
    this.term = term;
    this.store = store;
    this.live = live;
    this.known = empty(store.team);
    this.screen = new FullScreen(
      (action) => this.act(action),
      () => this.draw(),
    );
  }

  /** Resolves when the person leaves. */
  async run(): Promise<void> {
    const release = onSignals(() => this.act("leave"));
    this.screen.open();
    const tick = setInterval(() => this.onTick(), TICK_MS);
    try {
      while (!this.over.signal.aborted) await this.watch();
    } finally {
      clearInterval(tick);
      if (this.timer) clearTimeout(this.timer);
      release();
      this.screen.close();
    }
  }

  /** One team, until another one is chosen, the store fails, or the person leaves. */
  private async watch(): Promise<void> {
    const reading = new AbortController();
    this.reading = reading;
    this.isBoardStale = true;
    try {
      if (this.next !== null) this.store = await this.store.forTeam(this.next);
      this.next = null;
      await this.refresh();
      const news = new News();
      const last = await lastEvents(this.store.journal, this.store.journal.from(0), KEPT);
      this.known = { ...this.known, news: [], trouble: "" };
      await this.take(last.events, news);
      for await (const events of follow(this.store, last.cursor, reading.signal))
        await this.take(events, news);
    } catch (error) {
      if (this.over.signal.aborted) return;
      this.known = {
        ...this.known,
        trouble: `${messageOf(error)} (asked again every ${RETRY_MS / 1_000} s)`,
      };
      this.draw();
      await systemClock.sleep(RETRY_MS, this.over.signal);
    }
  }

  private async take(events: readonly Event[], news: News): Promise<void> {
    for (const event of events) this.picture.apply(event);
    const wanted = events.filter((event) => event.type === "tool.called" || news.of(event) !== null);
    const added = (await withDetails(this.store, wanted)).map((event) => ({
      at: event.at,
      said: detailedSentence(event),
    }));
    this.known = { ...this.known, news: [...this.known.news, ...added].slice(-KEPT) };
    this.isStale = true;
    this.isBoardStale ||= events.some((event) => "task" in event);
    this.schedule();
  }

  private schedule(): void {
    if (this.timer || this.over.signal.aborted) return;
    this.timer = setTimeout(() => void this.update(), FRAME_MS);
  }

  private async update(): Promise<void> {
    try {
      if (this.isStale) await this.refresh();
      const live = await this.live(this.store);
      const printed = new Map(live.map(({ who, text }) => [who, text.trimEnd().split("\n").at(-1) ?? ""]));
      this.known = { ...this.known, printed };
    } catch (error) {
      this.isBoardStale = true;
      this.known = { ...this.known, trouble: messageOf(error) };
    }
    this.timer = null;
    this.draw();
  }

  private async refresh(): Promise<void> {
    const { store } = this;
    this.isStale = false;
    this.lookedAt = systemClock.now();
    const [members, hosts] = [await store.roster.members(), await readHosts(store)];
    const teams = (await store.teams()).length;
    if (this.isBoardStale) await this.readBoard(store);
    const { tasks } = this;
    if (this.picture.members.size === 0) this.picture.setMembers(members.map(rowOf), -1);
    const steps = new Map([...this.picture.members.values()].map(({ name, step }) => [name, step]));
    const inHand = new Set(members.map(({ task }) => task));
    const held = tasks.filter(({ id }) => inHand.has(id));
    this.known = { ...this.known, team: store.team, teams, held, members, hosts, steps, trouble: "" };
  }

  /** Ten thousand tasks take a tenth of a second, so they are read only when something has happened to one. */
  private async readBoard(store: Store): Promise<void> {
    this.isBoardStale = false;
    this.tasks = inOrder(await store.board.tasks());
    const readAt = systemClock.now();
    this.known = { ...this.known, board: boardData(store.team, this.tasks, readAt), readAt };
  }

  private onTick(): void {
    if (systemClock.now() - this.lookedAt >= LOOK_MS) this.isStale = true;
    const isAtWork = this.known.members.some(({ activity }) => activity.phase === "work");
    if (this.isStale || isAtWork) this.schedule();
  }

  private draw(): void {
    if (this.over.signal.aborted) return;
    const made = frame(this.term, this.screen.size(), this.known, this.look, systemClock.now());
    this.extent = made.extent;
    this.screen.draw(made.lines);
  }

  private act(action: Action): void {
    switch (action) {
      case "leave":
        this.over.abort();
        this.reading?.abort();
        return;
      case "suspend":
        this.screen.suspend();
        return;
      case "next pane":
      case "previous pane":
        this.look = { ...this.look, focus: nextPane(this.look.focus, action === "next pane" ? 1 : -1) };
        break;
      case "next team":
        void this.nextTeam();
        return;
      default:
        this.scroll(action);
    }
    this.draw();
  }

  private scroll(
    action: Exclude<Action, "leave" | "suspend" | "next pane" | "previous pane" | "next team">,
  ): void {
    const { focus, back } = this.look;
    if (this.extent === null) return;
    const { lines, height } = this.extent[focus];
    const page = Math.max(1, height - 1);
    const by = { up: -1, down: 1, "page up": -page, "page down": page, first: -lines, last: lines }[action];
    this.look = { focus, back: { ...back, [focus]: scrolled(focus, back[focus], by, lines, height) } };
  }

  private async nextTeam(): Promise<void> {
    try {
      const teams = await this.store.teams();
      const next = teams[(teams.indexOf(this.store.team) + 1) % teams.length];
      if (next === undefined || next === this.store.team) return;
      this.next = next;
      this.known = empty(next);
      this.picture = new Picture();
      this.look = { ...this.look, back: { team: 0, board: 0, feed: 0 } };
      this.reading?.abort();
    } catch (error) {
      this.known = { ...this.known, trouble: messageOf(error) };
      this.draw();
    }
  }
}

const empty = (team: Name): Known => ({
  team,
  teams: 1,
  board: boardData(team, [], systemClock.now()),
  readAt: systemClock.now(),
  held: [],
  members: [],
  hosts: [],
  steps: new Map(),
  printed: new Map(),
  news: [],
  trouble: "",
});
