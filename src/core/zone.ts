/**
 * Wall-clock time in a time zone. A local time may not exist (the clocks went forward over it) or exist twice (they went
 * back); whoever turns local times into instants must say what becomes of those. Here: the first moment after the gap, and
 * the earlier of the two.
 */
import { EkidenError } from "./errors.ts";
import { type Instant, instant, quote } from "./ids.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Minutes since 1970-01-01T00:00 on the clock on the wall, as if that clock were UTC. */
export type WallMinute = number;

/** A time zone. Making one costs 50 µs, asking it 2 µs, so each name is made once. */
export interface Zone {
  readonly name: string;
  /** The wall clock at that instant, to the minute. */
  wall(at: Instant): WallMinute;
  /** The first instant at which the wall clock shows this, or, when it skips it, the first instant after the gap. */
  instantOf(wall: WallMinute): Instant;
}

const known = new Map<string, Zone>();

/** @throws EkidenError `bad_input` for a name that the system's time zone data does not have. */
export function zoneOf(name: string): Zone {
  const made = known.get(name) ?? make(name);
  known.set(name, made);
  return made;
}

function make(name: string): Zone {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
    });
  } catch {
    throw new EkidenError(
      "bad_input",
      `${quote(name)} is not a time zone. Use a name such as "Europe/Berlin" or "UTC".`,
    );
  }
  const wall = (at: Instant): WallMinute => {
    const part: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(at)) part[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute) / MINUTE;
  };
  /** What the wall clock is ahead of UTC at that instant, in ms. Zones of our time differ from UTC by whole minutes. */
  const offset = (at: number): number => wall(instant(at)) * MINUTE - Math.floor(at / MINUTE) * MINUTE;
  const instantOf = (shown: WallMinute): Instant => {
    const asUtc = shown * MINUTE;
    // No zone changes its clocks twice within two days, so these two are the only offsets there can be.
    const before = offset(asUtc - 24 * HOUR);
    const after = offset(asUtc + 24 * HOUR);
    const candidates = [asUtc - before, asUtc - after].sort((a, b) => a - b);
    for (const candidate of candidates) if (wall(instant(candidate)) === shown) return instant(candidate);
    // Skipped: look for the change between the two.
    let [low = 0, high = 0] = candidates;
    while (high - low > MINUTE) {
      const middle = Math.floor((low + high) / 2 / MINUTE) * MINUTE;
      if (offset(middle) === before) low = middle;
      else high = middle;
    }
    return instant(high);
  };
  return { name, wall, instantOf };
}

/** "2026-03-29 03:00 (Europe/Berlin)" */
export const showTime = (at: Instant, zone: string): string =>
  `${new Date(zoneOf(zone).wall(at) * MINUTE).toISOString().slice(0, 16).replace("T", " ")} (${zone})`;
