/** The events of a search. The server and the page ask in the same way. Pure. */
import type { Event } from "../event.ts";
import { sentence } from "./sentence.ts";

/** Each is "" for any. */
export type Search = {
  /** In the type or the sentence of an event, or its author's name; lower case. */
  readonly text: string;
  readonly who: string;
  /** The beginning of the type: "task", "mail". */
  readonly kind: string;
};

/** Whether the event is about the member or was caused by it. */
export const concerns = (event: Event, who: string): boolean =>
  (["who", "by", "from", "to"] as const).some(
    (key) => (event as Partial<Record<typeof key, unknown>>)[key] === who,
  );

export function fits(event: Event, { text, who, kind }: Search): boolean {
  if (kind !== "" && !event.type.startsWith(`${kind}.`)) return false;
  if (who !== "" && !concerns(event, who)) return false;
  if (text === "") return true;
  const said = sentence(event);
  return `${event.type} ${said.who} ${said.text}`.toLowerCase().includes(text);
}
