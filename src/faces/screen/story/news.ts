/** The events of the team as blocks of the conversation's feed. The lead's own words and calls come from its story. */
import { reasonWords } from "../../../core/board/reason.ts";
import type { Event } from "../../../core/event.ts";
import { LEAD, type Name, PERSON } from "../../../core/ids.ts";
import { sentence } from "../../../core/views/sentence.ts";
import type { Store } from "../../../ports/index.ts";
import { News, toPerson } from "../../kit/news.ts";
import { overflow } from "../../kit/print.ts";
import type { Style } from "../draw/style.ts";
import { newsLine } from "./blocks.ts";
import type { Block } from "./feed.ts";
import { ANSWERS, ASKS, type TeamModel } from "./team.ts";
import { type End, SeveralBlock, TaskBlock } from "./told-blocks.ts";

/** Lines of a piece of news that is to be acted on, and of a mail to the person. */
const LINES_MAX = 6;
const MAIL_LINES = 12;
const SHOWN_ELSEWHERE: ReadonlySet<Event["type"]> = new Set([
  "permission.asked",
  "question.asked",
  "mail.sent",
  "model.retried",
  // The screen itself shows that one is under way.
  "run.began",
]);

/** The events that the line of a task shows. */
const STEPS: ReadonlySet<Event["type"]> = new Set([
  "turn.taken",
  "tool.called",
  "permission.answered",
  "plan.submitted",
  "plan.answered",
  "gate.started",
  "task.reopened",
  "task.checked",
  "task.reviewed",
  "task.signalled",
  "task.drifted",
  "task.landed",
  "task.proposed",
]);

export class NewsFeed {
  private readonly news = new News();
  private readonly style: Style;
  private readonly team: TeamModel;
  /** Of the tasks that somebody works on. */
  private readonly tasks = new Map<number, TaskBlock>();

  constructor(team: TeamModel, style: Style) {
    this.team = team;
    this.style = style;
  }

  async take(event: Event, store: Store): Promise<void> {
    if (this.taken(event) || this.joined(event)) return;
    const block = (await this.mailed(event, store)) ?? this.told(event);
    if (block) this.team.main.add(block, null, whoOf(event));
  }

  /** Whether the line of a task says it. */
  private taken(event: Event): boolean {
    const { main } = this.team;
    if (event.type === "task.claimed") {
      const block = new TaskBlock(this.style, event, event.at);
      this.tasks.set(event.task, block);
      main.add(block, null, event.by);
      return true;
    }
    const block = this.blockOf(event);
    if (!block) return false;
    if (ASKS.has(event.type)) block.waits(event.at);
    if (ANSWERS.has(event.type)) block.goesOn(event.at);
    const end = endOf(event, block.by);
    if (end) {
      block.end(end, event.at);
      this.tasks.delete(block.task);
      // The end is news.
      main.remove(block);
      main.add(block, null, block.by);
      return true;
    }
    if (event.type === "teammate.phase" && event.reason === "awaiting_base") {
      // The last step was its gate, which has ended.
      block.add({ tone: "dim", text: `is ${reasonWords(event.reason)}` });
      return true;
    }
    if (!STEPS.has(event.type)) return false;
    const { tone, text: told } = this.news.of(event) ?? { tone: "dim", text: "" };
    // The card has the request.
    const text = event.type === "plan.submitted" ? "submitted a plan" : told;
    const edited =
      event.type === "tool.called" && !event.isError ? this.team.story(event.who).lastEdit() : null;
    if (edited) block.edited(edited);
    // The story of the lead shows its own words and calls.
    else if (text !== "" && !(block.by === LEAD && "who" in event))
      block.add({ tone, text: event.type === "turn.taken" ? event.text : text });
    return true;
  }

  private blockOf(event: Event): TaskBlock | undefined {
    if ("task" in event && event.task !== null) return this.tasks.get(event.task);
    if (!("who" in event) || ("subagent" in event && event.subagent)) return undefined;
    return [...this.tasks.values()].findLast(({ by }) => by === event.who);
  }

  /** Whether it was said together with the fact before. */
  private joined(event: Event): boolean {
    const kind = KINDS[event.type];
    if (!kind || (event.type === "teammate.spawned" && event.kind === "lead")) return false;
    const { who, text, tone } = sentence(event);
    const key = kind.ofOne ? `${event.type} ${who}` : event.type;
    const { main } = this.team;
    const last = main.last;
    const block = last instanceof SeveralBlock && last.kind === key ? last : null;
    const added = block ?? new SeveralBlock(this.style, key, kind.together);
    added.add(who, { text, tone }, event);
    if (!block) main.add(added, null, kind.ofOne ? who : "");
    return true;
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
    // The call itself says it.
    if (event.type === "permission.answered" && event.by === PERSON) return null;
    const { who, text, tone } = said;
    // Words of members are cut to one line here: ctrl+n enters a member.
    const lines = overflow(sentence(event).tone) === "goes on" ? LINES_MAX : 1;
    return newsLine(this.style, who, text, tone, lines);
  }
}

const whoOf = (event: Event): string => sentence(event).who;

type Kind = { readonly ofOne: boolean; together(facts: readonly Event[]): string };

/** Facts that come in numbers. */
const KINDS: Partial<Record<Event["type"], Kind>> = {
  "task.added": {
    ofOne: true,
    together: (facts) => {
      const tasks = facts.flatMap((one) =>
        one.type === "task.added" ? [`#${one.task} ${one.subject}`] : [],
      );
      return `added ${tasks.length} tasks: ${tasks.join(", ")}`;
    },
  },
  "teammate.spawned": {
    ofOne: false,
    together: (facts) => {
      const names = facts.flatMap((one) => (one.type === "teammate.spawned" ? [one.who] : []));
      return `${names.length} joined: ${names.join(", ")}`;
    },
  },
};

/** The end of a try; null for events that end none. `owner`: the line names it, and the end may be the decision of another. */
function endOf(event: Event, owner: Name): End | null {
  const by =
    "by" in event && event.by !== null && event.by !== owner
      ? ` by ${event.by === PERSON ? "you" : event.by}`
      : "";
  const words = (verb: string, said: string): string =>
    said.startsWith(verb) ? said : [verb + by, said].filter(Boolean).join(": ");
  switch (event.type) {
    case "task.completed":
      return {
        glyph: "✓",
        tone: "good",
        text: by ? words("completed", event.result) : event.result || "completed",
      };
    case "task.failed":
      return { glyph: "✗", tone: "bad", text: [by.trim(), event.reason].filter(Boolean).join(": ") };
    case "task.cancelled":
      return { glyph: "⊘", tone: "warn", text: words("cancelled", event.reason) };
    case "task.released":
      return { glyph: "◌", tone: "warn", text: sentence(event).text };
    default:
      return null;
  }
}
