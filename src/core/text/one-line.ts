/** Texts for places that have one line: tables, feeds, messages. */
import { cutEnd } from "./valid.ts";

/** A text as one line of at most `max` characters. */
export function oneLine(text: string, max = Number.POSITIVE_INFINITY): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > max ? `${cutEnd(line, max - 1)}…` : line;
}
