/** The news of a team at work: which events a feed shows, and each piece of evidence only once. */
import type { Event } from "../../core/event.ts";
import type { Name } from "../../core/ids.ts";
import { isNews, type Sentence, sentence } from "../../core/views/sentence.ts";

/** Enough of a text to recognise it in another one that may be cut off. */
const SAMPLE = 80;

export class News {
  /** The evidence of the last landing that was refused, by member. */
  private readonly refused = new Map<Name, string>();

  /** Null for an event that the feed does not show. */
  of(event: Event): Sentence | null {
    if (!isNews(event)) return null;
    if (event.type === "task.reopened") this.refused.set(event.by, event.evidence.slice(0, SAMPLE));
    // The refusal was shown as it happened; the answer to the call repeats it, with words meant for the model.
    if (event.type === "tool.called" && this.repeats(event.who, event.note)) return null;
    if (event.type === "task.failed" && event.by && this.repeats(event.by, event.reason))
      return {
        ...sentence(event),
        text: `failed #${event.task} ${event.subject}: it could not land, see above`,
      };
    return sentence(event);
  }

  private repeats(who: Name, text: string | undefined): boolean {
    const evidence = this.refused.get(who);
    return evidence !== undefined && text?.includes(evidence) === true;
  }
}
