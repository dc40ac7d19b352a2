/** The events of the team as blocks of the conversation's feed. The lead's own words and calls come from its story. */
import type { Event } from "../../core/event.ts";
import { LEAD } from "../../core/ids.ts";
import { sentence } from "../../core/views/sentence.ts";
import type { Store } from "../../ports/index.ts";
import { News, toPerson } from "../terminal/news.ts";
import { overflow } from "../terminal/print.ts";
import { newsLine } from "./blocks.ts";
import type { Block } from "./feed.ts";
import type { Style } from "./style.ts";
import type { TeamModel } from "./team.ts";

/** Lines of a piece of news that is to be acted on, and of a mail to the person. */
const LINES_MAX = 6;
const MAIL_LINES = 12;
const SHOWN_ELSEWHERE: ReadonlySet<Event["type"]> = new Set([
  "permission.asked",
  "question.asked",
  "mail.sent",
  "model.retried",
]);

export class NewsFeed {
  private readonly news = new News();
  private readonly style: Style;
  private readonly team: TeamModel;

  constructor(team: TeamModel, style: Style) {
    this.team = team;
    this.style = style;
  }

  async take(event: Event, store: Store): Promise<void> {
    const block = (await this.edited(event)) ?? (await this.mailed(event, store)) ?? this.told(event);
    if (block) this.team.main.add(block);
  }

  /** An edit by a teammate: its diff is in its own feed. */
  private async edited(event: Event): Promise<Block | null> {
    if (event.type !== "tool.called" || event.who === LEAD || event.isError || event.subagent) return null;
    const edited = this.team.story(event.who).lastEdit();
    return edited === null ? null : newsLine(this.style, event.who, `edited ${edited}`, "dim");
  }

  private async mailed(event: Event, store: Store): Promise<Block | null> {
    const text = await toPerson(event, store);
    if (text === null || event.type !== "mail.sent") return null;
    return newsLine(this.style, event.from, text, "plain", MAIL_LINES);
  }

  private told(event: Event): Block | null {
    const said = this.news.of(event);
    // The card shows a question; the story and the strip a wait for the provider; the lead's story its words and calls.
    if (!said || SHOWN_ELSEWHERE.has(event.type)) return null;
    if ((event.type === "turn.taken" || event.type === "tool.called") && event.who === LEAD) return null;
    if (event.type === "teammate.spawned" && event.kind === "lead") return null;
    const { who, text, tone } = said;
    // Words of members are cut to one line here: ctrl+n enters a member.
    const lines = overflow(sentence(event).tone) === "goes on" ? LINES_MAX : 1;
    return newsLine(this.style, who, text, tone, lines);
  }
}
