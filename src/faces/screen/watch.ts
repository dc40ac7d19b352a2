/** Keeps a screen up to date: follows the journal of the team, and takes what its members write and print meanwhile. */
import { messageOf } from "../../core/errors.ts";
import type { Event } from "../../core/event.ts";
import { LEAD, type Name } from "../../core/ids.ts";
import type { LiveOutput } from "../../core/text/live-output.ts";
import type { HostOptions, TeamHost } from "../../host/team-host.ts";
import type { Store } from "../../ports/index.ts";
import { follow } from "../../team/queries/journal.ts";
import type { LiveReader } from "../../team/queries/live.ts";
import type { Screen } from "./screen.ts";
import { NewsFeed } from "./story/news.ts";
import { followQueued, readQueued } from "./story/queued.ts";
import { TeamModel } from "./story/team.ts";

export class Live {
  private readonly windows = new Map<Name, number>();
  private readonly screen: Screen;
  private team: TeamModel | null = null;
  private news: NewsFeed | null = null;
  private store: Store | null = null;

  constructor(screen: Screen) {
    this.screen = screen;
  }

  /** The news of a host besides the journal, in the form of its options. */
  readonly told: Pick<HostOptions, "onDelta" | "onOutput" | "onModel" | "onNotice"> = {
    onDelta: (who, delta) => {
      this.team?.story(who).delta(delta);
      this.screen.changed();
    },
    onOutput: (who, command, text) => {
      this.team?.stories.get(who)?.output(command, text);
      this.screen.changed();
    },
    onModel: (who, { spec, window }) => {
      // An agent program says nothing of its window, and a host that this one is attached to may not know it.
      if (window > 0 && window < Number.MAX_SAFE_INTEGER) this.windows.set(who, window);
      else this.windows.delete(who);
      if (who === LEAD) this.screen.model = spec;
      this.screen.changed();
    },
    onNotice: (text) => this.screen.warn(text),
  };

  /** To be asked for when `open` has ended. */
  get opened(): TeamModel {
    if (!this.team) throw new Error("the team is not open");
    return this.team;
  }

  /** `recalled`: so many of the last facts are told among the words of the lead. */
  async open(store: Store, recalled = 0): Promise<TeamModel> {
    const { style, questions } = this.screen;
    this.team = await TeamModel.open(store, style, (who) => this.windows.get(who) ?? null);
    this.store = store;
    this.news = new NewsFeed(this.team, style);
    const { team, news } = this;
    if (recalled > 0) await team.recall(recalled, (event) => news.take(event, store));
    await team.story(LEAD).readOn(store);
    this.screen.show(team, store);
    await questions.read(store, this.team);
    await readQueued(store, this.team);
    // Their calls that run began before this process looked.
    const atWork = [...this.team.picture.members.values()].filter(({ phase }) => phase === "work");
    for (const { name } of atWork) await this.team.story(name).readOn(store);
    this.screen.changed();
    return this.team;
  }

  /** The texts and the output of members at this moment; earlier news of them is void. */
  readonly now = (outputs: readonly LiveOutput[]): void => {
    const { team } = this;
    for (const story of team?.stories.values() ?? []) story.startOver();
    for (const { kind, who, command, text } of outputs) {
      const story = team?.story(who as Name);
      if (kind === "command") story?.output(command, text);
      else if (text !== "") story?.delta({ type: kind, text });
    }
    this.screen.changed();
  };

  /** Takes events, in order. */
  async take(events: readonly Event[]): Promise<void> {
    const { team, news, store, screen } = this;
    if (!team || !news || !store) return;
    for (const event of events) {
      await team.take(event);
      await followQueued(event, store, team);
      await news.take(event, store);
      await screen.questions.take(event, store, team);
    }
    screen.refreshPanel();
    screen.changed();
  }

  /**
   * Words and output of members that other processes of this machine run. `here`: the host that this screen hears itself; it may have no
   * members yet. Ends with the signal.
   */
  async hearOthers(
    store: Store,
    read: LiveReader,
    signal: AbortSignal,
    here?: Pick<TeamHost, "models">,
  ): Promise<void> {
    const { team, screen } = this;
    if (!team) return;
    const { hearOthers } = await import("./story/elsewhere.ts");
    const isHere = (who: Name): boolean => here?.models.has(who) === true;
    try {
      await hearOthers(
        team,
        store,
        () => read(store),
        isHere,
        () => screen.changed(),
        signal,
      );
    } catch (error) {
      screen.warn(`cannot follow what others say: ${messageOf(error)}`);
    }
  }

  /** From where `open` has read the state. */
  async follow(signal: AbortSignal): Promise<void> {
    const { team, store } = this;
    if (!team || !store) return;
    try {
      for await (const events of follow(store, team.cursor, signal)) await this.take(events);
    } catch (error) {
      this.screen.warn(`cannot follow the journal: ${messageOf(error)}`);
    }
  }
}
