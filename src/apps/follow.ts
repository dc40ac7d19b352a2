/** Reading the journal: all that is there, or on and on as it grows, whichever process writes it. */
import type { Event, FactType } from "../core/event.ts";
import type { Cursor, Journal, Store } from "../ports/index.ts";

const PAGE = 500;
/** Wake-ups are hints: one that was lost costs at most this long. */
const FLOOR_MS = 1_000;

export async function* allEvents(
  journal: Journal,
  from: Cursor,
  types?: readonly FactType[],
): AsyncGenerator<Event[]> {
  for (let at = from; ; ) {
    const { events, cursor } = await journal.read(at, { limit: PAGE, ...(types && { types }) });
    if (events.length === 0) return;
    yield events;
    at = cursor;
  }
}

/** Ends when the signal aborts. What had been written by then is yielded. */
export async function* follow(
  store: Pick<Store, "journal" | "wake">,
  from: Cursor,
  signal: AbortSignal,
): AsyncGenerator<Event[]> {
  for (let at = from; ; ) {
    const mark = store.wake.mark();
    const over = signal.aborted;
    const { events, cursor } = await store.journal.read(at, { limit: PAGE });
    at = cursor;
    if (events.length > 0) yield events;
    else if (over) return;
    else await store.wake.changed(mark, ["journal"], FLOOR_MS, signal);
  }
}
