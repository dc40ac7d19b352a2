/** Keeps a screen up to date: follows the journal of the team, and takes what its members write and print meanwhile. */
import { messageOf } from "../../core/errors.ts";
import type { Event } from "../../core/event.ts";
import { LEAD, type Name } from "../../core/ids.ts";
import type { Delta, Store } from "../../ports/index.ts";
import { follow } from "../queries/journal.ts";
import { NewsFeed } from "./news.ts";
import type { Screen } from "./screen.ts";
import { TeamModel } from "./team.ts";

/** What a host tells besides the journal, in the form of its options. */
export class Live {
  team: TeamModel | null = null;
  private readonly windows = new Map<Name, number>();
  private readonly screen: Screen;

  constructor(screen: Screen) {
    this.screen = screen;
  }

  readonly onDelta = (who: Name, delta: Delta): void => {
    this.team?.delta(who, delta);
    this.screen.changed();
  };

  readonly onOutput = (who: Name, command: string, text: string): void => {
    this.team?.stories.get(who)?.output(command, text);
    this.screen.changed();
  };

  readonly onModel = (
    who: Name,
    { spec, window }: { readonly spec: string; readonly window: number },
  ): void => {
    this.windows.set(who, window);
    if (who === LEAD) this.screen.modelIs(spec);
  };

  async open(store: Store): Promise<TeamModel> {
    this.team = await TeamModel.open(store, this.screen.style, (who) => this.windows.get(who) ?? null);
    this.screen.show(this.team, store);
    return this.team;
  }
}

/** Takes pages of events, in order. */
export class Watcher {
  private readonly screen: Screen;
  private readonly team: TeamModel;
  private readonly store: Store;
  private readonly news: NewsFeed;

  constructor(screen: Screen, team: TeamModel, store: Store) {
    this.screen = screen;
    this.team = team;
    this.store = store;
    this.news = new NewsFeed(team, screen.style);
  }

  async take(events: readonly Event[]): Promise<void> {
    for (const event of events) {
      await this.team.take(event);
      await this.news.take(event, this.store);
      await this.screen.questions.take(event, this.store, this.team);
    }
    await this.team.readBoard();
    this.screen.refreshPanel();
    this.screen.changed();
  }

  async follow(signal: AbortSignal): Promise<void> {
    try {
      const from = await this.store.journal.end();
      await this.screen.questions.read(this.store, this.team);
      for await (const events of follow(this.store, from, signal)) await this.take(events);
    } catch (error) {
      this.screen.warn(`cannot follow the journal: ${messageOf(error)}`);
    }
  }
}
