/** `ekiden top`: the full screen on a store, without a host. It follows a team that any process runs, and writes nothing into the store. */
import { matchesKey } from "@earendil-works/pi-tui";
import { systemClock } from "../../adapters/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { type Name, name } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import { liveHosts, standsStill } from "../../team/queries/hosts.ts";
import { follow } from "../../team/queries/journal.ts";
import type { LiveReader } from "../../team/queries/live.ts";
import type { Invocation } from "../kit/invocation.ts";
import { onSignals } from "../kit/run-guards.ts";
import type { ActionName } from "./keys.ts";
import { Screen } from "./screen.ts";
import type { TeamModel } from "./story/team.ts";
import { openTask } from "./views/view-commands.ts";
import { Live } from "./watch.ts";

/** Facts of the past that the feed begins with. */
const KEPT = 500;
/** A failed store is asked again. */
const RETRY_MS = 2_000;
/** Hosts come and go without a fact. */
const LOOK_MS = 5_000;
const KEYS = "q leave · t team · tab panel · ctrl+n member";

export class Top {
  private readonly call: Invocation;
  private readonly live: LiveReader;
  private readonly screen: Screen;
  private readonly over = new AbortController();
  private store: Store;
  private reading = new AbortController();
  private about = "";
  private team: TeamModel | null = null;

  constructor(call: Invocation, store: Store, live: LiveReader) {
    this.call = call;
    this.store = store;
    this.live = live;
    this.screen = new Screen({
      call,
      commands: [],
      handlers: {
        stopKey: "",
        submit: (line) => void this.look(line).catch((error) => this.screen.note(messageOf(error))),
        interrupt: () => false,
        ctrlC: () => this.leave(),
        leave: () => this.leave(),
        mode: () => null,
        nextMode: () => "",
        watch: {
          title: () => `ekiden top · ${this.about}`,
          keys: KEYS,
          actionOf: (data) => this.actionOf(data),
        },
      },
    });
  }

  /** Resolves when the person leaves. */
  async run(): Promise<void> {
    const release = onSignals(() => this.leave());
    try {
      while (!this.over.signal.aborted) await this.watch();
    } finally {
      release();
      await this.screen.close();
    }
  }

  /** One team, until another one is chosen, the store fails, or the person leaves. */
  private async watch(): Promise<void> {
    const { screen, store } = this;
    this.reading = new AbortController();
    const { signal } = this.reading;
    const beside: Promise<void>[] = [];
    try {
      await this.describe();
      const live = new Live(screen);
      this.team = await live.open(store, KEPT);
      screen.enter(name("lead"));
      screen.open("board");
      beside.push(this.watchHosts(signal), live.hearOthers(store, this.live, signal));
      for await (const events of follow(store, live.opened.cursor, signal)) await live.take(events);
    } catch (error) {
      if (this.over.signal.aborted) return;
      screen.note(`${messageOf(error)} (retried every ${RETRY_MS / 1_000} s)`);
      await systemClock.sleep(RETRY_MS, this.over.signal);
    } finally {
      this.reading.abort();
      await Promise.all(beside);
    }
  }

  private async watchHosts(signal: AbortSignal): Promise<void> {
    for (;;) {
      await systemClock.sleep(LOOK_MS, signal);
      if (signal.aborted) return;
      await this.describe().catch(() => {});
      this.screen.changed();
    }
  }

  private async describe(): Promise<void> {
    const { store } = this;
    const [live, { length }] = [await liveHosts(store), await store.teams()];
    const others = length > 1 ? ` (${length} in the store)` : "";
    const still = (await store.roster.hosts()).find(standsStill);
    const state = live.length > 0 ? "running" : still ? `process ${still.pid} stands still` : "at rest";
    this.about = `team ${store.team}${others} · ${state}`;
  }

  private leave(): void {
    this.over.abort();
    this.reading.abort();
  }

  private actionOf(data: string): ActionName | "taken" | null {
    if (data === "q" || matchesKey(data, "escape")) return "leave";
    if (matchesKey(data, "tab")) return "panels";
    if (data !== "t") return null;
    void this.next().catch((error) => this.screen.note(messageOf(error)));
    return "taken";
  }

  private async next(): Promise<void> {
    const teams: readonly Name[] = await this.store.teams();
    const next = teams[(teams.indexOf(this.store.team) + 1) % teams.length];
    if (next === undefined || next === this.store.team) return;
    this.store = await this.store.forTeam(next);
    this.reading.abort();
  }

  /** Runs the line of a panel's key. */
  private async look(line: string): Promise<void> {
    const { call, screen, store, team } = this;
    const [word, which = ""] = line.slice(1).split(" ");
    if (word === "to") return screen.enter(name(which));
    if (word !== "task" || !team) return screen.note(`${KEYS} · ctrl+o calls in full`);
    await openTask({ screen, team, call }, store, which);
  }
}
