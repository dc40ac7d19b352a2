/** Wall-clock time in a time zone, as text. The calculation of times is in `cron.ts`, which loads a library for it. */
import { badInput } from "../errors.ts";
import { type Instant, quote } from "../ids.ts";

const known = new Map<string, Intl.DateTimeFormat>();

/** The name again, when the system's time zone data has it. @throws EkidenError `bad_input` */
export function checkZone(name: string): string {
  formatOf(name);
  return name;
}

/** A formatter takes 50 µs to make and 2 µs to use, so each zone's is kept. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const made = known.get(zone) ?? make(zone);
  known.set(zone, made);
  return made;
}

function make(zone: string): Intl.DateTimeFormat {
  try {
    // Sweden writes dates in the order of ISO 8601.
    return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
  } catch {
    throw badInput(`${quote(zone)} is not a time zone. Use a name such as "Europe/Berlin" or "UTC".`);
  }
}

/** "2026-03-29 03:00 (Europe/Berlin)" */
export const showTime = (at: Instant, zone: string): string => `${formatOf(zone).format(at)} (${zone})`;

/** A cron job that goes off later than this was missed: no process ran when it was due. */
export const LATE_MS = 60_000;

/** The text of a cron job that goes off. `missed`: when it was due, if it is late. */
export const cronText = (
  text: string,
  missed: { readonly dueAt: Instant; readonly zone: string } | null,
): string =>
  missed === null
    ? text
    : `[late: it was due at ${showTime(missed.dueAt, missed.zone)}, when no process ran]\n${text}`;
