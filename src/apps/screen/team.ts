/** The team as the screen shows it: who does what, on what, for how long, with how much. Kept from the journal alone. */
import type { Event } from "../../core/event.ts";
import { LEAD, type Name } from "../../core/ids.ts";
import type { Counts, Task } from "../../core/task.ts";
import { countTasks } from "../../core/views/board.ts";
import type { Store } from "../../ports/index.ts";
import { TeamStatus } from "../terminal/status.ts";
import { Feed } from "./feed.ts";
import { Story } from "./story.ts";
import type { Style } from "./style.ts";

export type Spent = { tokens: number; usd: number; context: number };

export class TeamModel {
  readonly status: TeamStatus;
  readonly stories = new Map<Name, Story>();
  readonly spent = new Map<Name, Spent>();
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
    status: TeamStatus,
    tasks: readonly Task[],
  ) {
    this.store = store;
    this.windowOf = windowOf;
    this.style = style;
    this.status = status;
    this.tasks = tasks;
    this.counts = countTasks(tasks);
  }

  static async open(store: Store, style: Style, windowOf: (who: Name) => number | null): Promise<TeamModel> {
    const [members, tasks] = [await store.roster.members(), await store.board.tasks()];
    const team = new TeamModel(store, style, windowOf, new TeamStatus(members, tasks), tasks);
    for (const { name, inputTokens, outputTokens, usd } of members)
      team.spent.set(name, { tokens: inputTokens + outputTokens, usd, context: 0 });
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
    this.status.apply(event);
    if ("task" in event) this.stale = true;
    const who = "who" in event ? event.who : null;
    if (event.type === "turn.taken") this.book(event);
    if (who === null || ("subagent" in event && event.subagent)) return;
    if (event.type === "model.retried") return this.story(who).startOver();
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

  private book(event: Extract<Event, { type: "turn.taken" }>): void {
    const spent = this.spent.get(event.who) ?? { tokens: 0, usd: 0, context: 0 };
    this.spent.set(event.who, spent);
    spent.tokens += event.inputTokens + event.outputTokens;
    spent.usd += event.usd;
    if (!event.subagent) spent.context = event.inputTokens + event.outputTokens;
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
