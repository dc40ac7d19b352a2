/** The team as the screen shows it: who does what, on what, for how long, with how much. Kept from the journal alone. */
import type { Event } from "../../core/event.ts";
import { LEAD, type Name } from "../../core/ids.ts";
import { rowOf } from "../../core/picture/member.ts";
import { Picture } from "../../core/picture/picture.ts";
import { shownOf } from "../../core/picture/task.ts";
import type { Counts, Task } from "../../core/task.ts";
import { countTasks } from "../../core/views/board.ts";
import type { Store } from "../../ports/index.ts";
import { openQuestion } from "../../team/queries/requests.ts";
import { Feed } from "./feed.ts";
import { Story } from "./story.ts";
import type { Style } from "./style.ts";

export class TeamModel {
  readonly picture: Picture;
  readonly stories = new Map<Name, Story>();
  tasks: readonly Task[];
  counts: Counts;
  /** The feed of the conversation: the lead's words and the news of the others. */
  readonly main = new Feed();
  private readonly store: Store;
  private readonly style: Style;
  /** Tokens that the member's model can read; null where it is not known here. */
  readonly windowOf: (who: Name) => number | null;
  private stale = false;
  private notBefore = 0;

  private constructor(
    store: Store,
    style: Style,
    windowOf: (who: Name) => number | null,
    picture: Picture,
    tasks: readonly Task[],
  ) {
    this.store = store;
    this.windowOf = windowOf;
    this.style = style;
    this.picture = picture;
    this.tasks = tasks;
    this.counts = countTasks(tasks);
  }

  static async open(store: Store, style: Style, windowOf: (who: Name) => number | null): Promise<TeamModel> {
    const [members, tasks] = [await store.roster.members(), await store.board.tasks()];
    const questions = (await store.requests.open()).map(openQuestion);
    const picture = Picture.of(tasks.map(shownOf), members.map(rowOf), questions);
    const team = new TeamModel(store, style, windowOf, picture, tasks);
    await team.story(LEAD).readOn(store);
    return team;
  }

  /** Of the lead in the main feed, of a teammate in its own. */
  story(who: Name): Story {
    const known = this.stories.get(who);
    if (known) return known;
    const story = new Story(who, who === LEAD ? this.main : new Feed(), this.style);
    this.stories.set(who, story);
    return story;
  }

  /** Resolves when what the event announces was read. */
  async take(event: Event): Promise<void> {
    this.picture.apply(event);
    if ("task" in event) this.stale = true;
    const who = "who" in event ? event.who : null;
    if (who === null || ("subagent" in event && event.subagent)) return;
    const retry = this.picture.members.get(who)?.retry ?? null;
    if (event.type === "model.retried" || (event.type === "teammate.phase" && retry === null))
      this.story(who).retried(retry);
    if (SPEAKS.has(event.type)) await this.story(who).readOn(this.store);
  }

  /** Reads the board if events have changed it. Called once for many events, and no more often than a large board allows. */
  async readBoard(): Promise<void> {
    if (!this.stale || performance.now() < this.notBefore) return;
    this.stale = false;
    const began = performance.now();
    this.notBefore = Number.POSITIVE_INFINITY;
    try {
      this.tasks = await this.store.board.tasks();
      this.counts = countTasks(this.tasks);
    } catch (error) {
      this.stale = true;
      throw error;
    } finally {
      const now = performance.now();
      this.notBefore = now + (now - began) * 20;
    }
  }
}

/** Behind these there is more in the member's transcript. */
const SPEAKS: ReadonlySet<Event["type"]> = new Set([
  "turn.taken",
  "tool.called",
  "teammate.phase",
  "permission.asked",
  "context.compacted",
]);
