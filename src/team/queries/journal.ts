/** The journal: its last events, or its events as they come, whichever process writes them. */

import { words } from "../../core/board/mail.ts";
import type { Event } from "../../core/event.ts";
import { oneLine } from "../../core/text/one-line.ts";
import { type Sentence, sentence } from "../../core/views/sentence.ts";
import type { Cursor, Journal, JournalPage, Store } from "../../ports/index.ts";

/** Wake-ups are hints: a lost one costs at most this long. */
const FLOOR_MS = 1_000;

/** Pages of events from `from` on, without end. When the signal aborts, yields what was written by then and ends. */
export async function* follow(
  store: Pick<Store, "journal" | "wake">,
  from: Cursor,
  signal: AbortSignal,
): AsyncGenerator<Event[]> {
  for (let at = from; ; ) {
    const mark = store.wake.mark();
    const over = signal.aborted;
    const { events, cursor } = await store.journal.read(at);
    at = cursor;
    if (events.length > 0) yield events;
    else if (over) return;
    else await store.wake.changed(mark, ["journal"], FLOOR_MS, signal);
  }
}

/** The last `count` events that `wanted` accepts, oldest first, and the place behind all that was read. */
export async function lastEvents(
  journal: Journal,
  from: Cursor,
  count: number,
  wanted: (event: Event) => boolean = () => true,
): Promise<JournalPage> {
  let last: JournalPage = { events: [], cursor: from };
  for await (const { events, cursor } of journal.pages(from))
    last = { events: [...last.events, ...events.filter(wanted)].slice(-count), cursor };
  return last;
}

/** Details that the journal itself does not hold: the text of a mail, the command of a job that has ended. */
export type Detailed = Event & { readonly text?: string; readonly command?: string };

export async function withDetails(
  { mail, jobs }: Pick<Store, "mail" | "jobs">,
  events: readonly Event[],
): Promise<Detailed[]> {
  return await Promise.all(
    events.map(async (event): Promise<Detailed> => {
      if (event.type === "mail.sent") {
        const found = await mail.mail(event.mail);
        return found ? { ...event, text: words(found.body) } : event;
      }
      if (event.type !== "job.ended") return event;
      const job = await jobs.job(event.job);
      return job ? { ...event, command: job.command } : event;
    }),
  );
}

/** The sentence of an event, with its details. */
export function detailedSentence(event: Detailed): Sentence {
  const said = sentence(event);
  const detail = event.type === "mail.sent" ? event.text : event.type === "job.ended" ? event.command : "";
  return detail ? { ...said, text: `${said.text}: ${oneLine(detail, DETAIL_MAX)}` } : said;
}

const DETAIL_MAX = 400;
