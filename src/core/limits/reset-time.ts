/** Reads when a limit ends from the words of a program. A time of the day is the next one; one that has just passed is now. */
import { type Instant, instant, later } from "../ids.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
/** A notice may stay for a moment after the reset that it names. */
const JUST_NOW_MS = 10 * MINUTE;
const UNITS: Readonly<Record<string, number>> = { d: DAY, h: 3_600_000, m: MINUTE, s: 1_000 };
const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/** Undefined where the words name no time. `zone`: of this machine, for a time without one. */
export function resetIn(words: string, now: Instant, zone: string): Instant | undefined {
  return epochIn(words) ?? spanIn(words, now) ?? isoIn(words) ?? clockIn(words, now, zone);
}

/** "limit reached|1735689600" */
function epochIn(words: string): Instant | undefined {
  const seconds = /\|(\d{10})\b/.exec(words)?.[1];
  return seconds === undefined ? undefined : instant(Number(seconds) * 1_000);
}

const isoIn = (words: string): Instant | undefined => {
  const iso = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/.exec(words)?.[0];
  return iso === undefined || Number.isNaN(Date.parse(iso)) ? undefined : instant(Date.parse(iso));
};

/** "try again in 2 hours 30 minutes", "reset after 2h13m20s", "Please retry in 34.07s" */
function spanIn(words: string, now: Instant): Instant | undefined {
  const span = /\b(?:in|after) ((?:about )?(?:\d+(?:\.\d+)? ?(?:d|h|m|s)[a-z]*[ ,]*(?:and )?)+)/i.exec(
    words,
  )?.[1];
  if (span === undefined) return undefined;
  let ms = 0;
  for (const [, count, unit] of span.matchAll(/(\d+(?:\.\d+)?) ?([dhms])/gi))
    ms += Number(count) * (UNITS[unit?.toLowerCase() ?? ""] ?? 0);
  return ms > 0 ? later(now, Math.ceil(ms)) : undefined;
}

const DATE =
  /(?:\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?(?:,| at)* )?/;
const TIME = /\b(\d{1,2})(?::(\d\d))? ?(am|pm)?(?: ?\(([A-Za-z_+\-/0-9]+)\))?/;
const RESETS = new RegExp(`(?:resets?|again|until)(?: at| on)? ${DATE.source}${TIME.source}`, "i");

/** "resets 3:20am (UTC)", "resets Nov 29 at 3pm (America/Los_Angeles)", "try again at 11:05 PM" */
function clockIn(words: string, now: Instant, machineZone: string): Instant | undefined {
  const found = RESETS.exec(words);
  if (!found) return undefined;
  const [, month, day, year, hour = "", minute, half, named] = found;
  if (minute === undefined && half === undefined) return undefined;
  const zone = named && isZone(named) ? named : machineZone;
  const time =
    (Number(hour) % (half ? 12 : 24)) * 60 + Number(minute ?? 0) + (/p/i.test(half ?? "") ? 720 : 0);
  const today = partsAt(now, zone);
  if (month !== undefined) {
    const nth = MONTHS.indexOf(month.toLowerCase().slice(0, 3));
    const at = (y: number): Instant => atWall(Date.UTC(y, nth, Number(day)) + time * MINUTE, zone);
    const first = at(Number(year ?? today.year));
    return year === undefined && first < now - 180 * DAY ? at(today.year + 1) : first;
  }
  const midnight = Date.UTC(today.year, today.month - 1, today.day);
  for (const days of [0, 1]) {
    const at = atWall(midnight + days * DAY + time * MINUTE, zone);
    if (at >= now) return at;
    if (now - at <= JUST_NOW_MS) return now;
  }
  return undefined;
}

const isZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }) !== null;
  } catch {
    return false;
  }
};

function partsAt(at: number, timeZone: string): { year: number; month: number; day: number; wall: number } {
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  const of = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = of;
  return { year, month, day, wall: Date.UTC(year, month - 1, day, hour, minute, second) };
}

/** The moment at which clocks in a zone show this time, given as if it were UTC. */
function atWall(wall: number, zone: string): Instant {
  const offset = (at: number): number => partsAt(at, zone).wall - Math.floor(at / 1_000) * 1_000;
  const first = wall - offset(wall);
  return instant(wall - offset(first));
}
