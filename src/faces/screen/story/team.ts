/** The team as the screen shows it: who does what, on what, for how long, with how much. Kept from the journal alone. */
import type { Event } from "../../../core/event.ts";
import { LEAD, type Name } from "../../../core/ids.ts";
import type { Picture } from "../../../core/picture/picture.ts";
import type { Cursor, Store } from "../../../ports/index.ts";
import { lastEvents } from "../../../team/queries/journal.ts";
import { pictureOf } from "../../../team/queries/picture.ts";
import { colourOf } from "../draw/colours.ts";
import type { Style } from "../draw/style.ts";
import { Feed } from "./feed.ts";
import { Story } from "./story.ts";

export class TeamModel {
  readonly picture: Picture;
  /** Where the facts begin that the picture does not have. */
  readonly cursor: Cursor;
  readonly stories = new Map<Name, Story>();
  /** The feed of the conversation: the lead's words and the news of the others. */
  readonly main = new Feed();
  /** When the team began to work, whichever terminal looked on; null where it never did. */
  began: number | null = null;
  private readonly store: Store;
  private readonly style: Style;
  /** Tokens that the member's model can read; null where it is not known here. */
  readonly windowOf: (who: Name) => number | null;

  private constructor(
    store: Store,
    style: Style,
    windowOf: (who: Name) => number | null,
    { picture, cursor }: Awaited<ReturnType<typeof pictureOf>>,
  ) {
    this.store = store;
    this.windowOf = windowOf;
    this.style = style;
    this.picture = picture;
    this.cursor = cursor;
  }

  static async open(store: Store, style: Style, windowOf: (who: Name) => number | null): Promise<TeamModel> {
    const team = new TeamModel(store, style, windowOf, await pictureOf(store));
    for (const { name } of team.picture.members.values()) colourOf(name);
    for await (const { events } of store.journal.pages(store.journal.from(0), [...BEGINS]))
      team.began = events.at(-1)?.at ?? team.began;
    return team;
  }

  /** Shows the lead's texts since the first of the last `kept` facts, and tells these facts between them. */
  async recall(kept: number, tell: (event: Event) => Promise<void>): Promise<void> {
    const { store } = this;
    const fresh = new Set((await store.journal.read(this.cursor)).events.map(({ seq }) => seq));
    const { events } = await lastEvents(store.journal, store.journal.from(0), kept);
    for (const event of events.filter(({ seq }) => !fresh.has(seq))) {
      if (event === events[0] || SPEAKS.has(event.type)) await this.story(LEAD).readOn(store, event.at);
      await tell(event);
    }
  }

  /** The names of members that have not stopped. */
  get names(): Name[] {
    const members = [...this.picture.members.values()];
    return members.filter(({ phase }) => phase !== "shutdown").map(({ name }) => name);
  }

  /** The one of these names behind `who`, or before it. */
  following(who: Name, by: 1 | -1 = 1): Name {
    const { names } = this;
    return names.at((names.indexOf(who) + by) % names.length) ?? LEAD;
  }

  /** The story of a member: the lead's is in the main feed, a teammate's in its own. */
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
    if (BEGINS.has(event.type)) this.began = event.at;
    const who = "who" in event ? event.who : null;
    if (who === null || ("subagent" in event && event.subagent)) return;
    const retry = this.picture.members.get(who)?.retry ?? null;
    if (event.type === "model.retried" || (event.type === "teammate.phase" && retry === null))
      this.story(who).retried(retry);
    if (event.type === "teammate.phase" && event.phase === "work") this.story(who).isCut = false;
    if (SPEAKS.has(event.type)) await this.story(who).readOn(this.store);
    if (ASKS.has(event.type)) this.story(who).waits(event.at);
    if (ANSWERS.has(event.type)) this.story(who).goesOn(event.at);
  }
}

const BEGINS: ReadonlySet<Event["type"]> = new Set(["run.began", "team.resumed"]);

/** Facts after which the member's transcript holds more. */
const SPEAKS: ReadonlySet<Event["type"]> = new Set([
  "turn.taken",
  "tool.called",
  "teammate.phase",
  "permission.asked",
  "context.compacted",
]);

/** Between these somebody thinks whom the member (`who`) has asked. */
export const ASKS: ReadonlySet<Event["type"]> = new Set([
  "permission.asked",
  "question.asked",
  "plan.submitted",
]);
export const ANSWERS: ReadonlySet<Event["type"]> = new Set([
  "permission.answered",
  "question.answered",
  "plan.answered",
]);
