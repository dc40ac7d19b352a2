/** The news of a team at work: which events a feed shows, and each piece of evidence only once. */

import { words } from "../../core/board/mail.ts";
import type { Event } from "../../core/event.ts";
import { LEAD, type Name, PERSON } from "../../core/ids.ts";
import { isNews, type Sentence, sentence } from "../../core/views/sentence.ts";
import type { Store } from "../../ports/index.ts";

/** A mail to the person in words; null for what is shown in another way: a question, the last words of the lead. */
export async function toPerson(event: Event, { mail: boxes }: Pick<Store, "mail">): Promise<string | null> {
  const mail = event.type === "mail.sent" && event.to === PERSON ? await boxes.mail(event.mail) : null;
  const isShown =
    mail?.body.kind === "permission_request" ||
    mail?.body.kind === "question" ||
    (mail?.from === LEAD && mail.body.kind === "result");
  return mail && !isShown ? `to you: ${words(mail.body)}` : null;
}

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
        text: `failed #${event.task} ${event.subject}: see the reason above`,
      };
    return sentence(event);
  }

  private repeats(who: Name, text: string | undefined): boolean {
    const evidence = this.refused.get(who);
    return evidence !== undefined && text?.includes(evidence) === true;
  }
}
