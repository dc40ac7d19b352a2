/** Tests that were red and then green without a change, or gates whose tests have no names: those that were so most often. */
import type { Event } from "../../core/event.ts";
import type { Store } from "../../ports/index.ts";

export const FLAKY_SHOWN = 3;

/** Of a fact: the names, or the gate; [] for another fact. */
export function flakyIn(event: Event): readonly string[] {
  if (event.type === "gate.flaky") return event.names.length > 0 ? event.names : [event.command];
  if (event.type !== "base.judged" || event.verdict !== "flaky") return [];
  return event.names.length > 0 ? event.names : [event.gate];
}

export async function flakyTests({ journal }: Pick<Store, "journal">): Promise<string[]> {
  const times = new Map<string, number>();
  for await (const { events } of journal.pages(journal.from(0), ["gate.flaky", "base.judged"]))
    for (const name of events.flatMap(flakyIn)) times.set(name, (times.get(name) ?? 0) + 1);
  return [...times]
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name)
    .slice(0, FLAKY_SHOWN);
}
