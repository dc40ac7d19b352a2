/** Reads the journal on from where the call before ended: each event comes once, also where calls overlap. */
import type { Event, FactType } from "../../core/event.ts";
import type { Cursor, Store } from "../../ports/index.ts";

export function journalReader(
  { journal }: Pick<Store, "journal">,
  take: (event: Event) => void,
  types?: readonly FactType[],
): () => Promise<void> {
  let at = "" as Cursor;
  let reading = Promise.resolve();
  const readOn = async (): Promise<void> => {
    for await (const { events, cursor } of journal.pages(at, types)) {
      for (const event of events) take(event);
      at = cursor;
    }
  };
  return () => {
    reading = reading.catch(() => {}).then(readOn);
    return reading;
  };
}
