/**
 * When something is to happen again: the five fields of cron, checked here and calculated here. Pure: the time it is now
 * comes in as `from`.
 *
 * What cron implementations do not agree on, and what is done here:
 * - Day of month and day of week both restricted: a day that fits either will do.
 * - A fixed time that the clocks skip happens once, at the first moment after the gap; one that they show twice, once, the
 *   first time. An expression whose hour is `*` goes by elapsed time instead: every 20 minutes stays every 20 minutes.
 */
import { EkidenError } from "./errors.ts";
import { type Instant, instant, quote } from "./ids.ts";
import { showTime, type WallMinute, type Zone, zoneOf } from "./zone.ts";

type Field = {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  readonly names?: readonly string[];
};

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const DAYS = "sun mon tue wed thu fri sat".split(" ");
const FIELDS = [
  { name: "minute", low: 0, high: 59 },
  { name: "hour", low: 0, high: 23 },
  { name: "day of month", low: 1, high: 31 },
  { name: "month", low: 1, high: 12, names: MONTHS },
  { name: "day of week", low: 0, high: 7, names: DAYS },
] as const satisfies readonly Field[];

/** A checked expression. The sets hold every value that fits; Sunday is 0. */
export type Cron = {
  readonly text: string;
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly daysOfWeek: ReadonlySet<number>;
};

/**
 * Reads `minute hour day-of-month month day-of-week`: numbers, names of months and days, lists, ranges and steps.
 * @throws EkidenError `bad_input` naming the field and its range; also for a date that never comes.
 */
export function parseCron(text: string): Cron {
  const parts = text.trim().split(/\s+/).filter(Boolean);
  if (parts.length !== FIELDS.length)
    throw new EkidenError(
      "bad_input",
      `The cron expression ${quote(text)} has ${parts.length} fields; it must have 5: minute hour day-of-month month day-of-week, such as "30 9 * * mon-fri".`,
    );
  const [minutes, hours, daysOfMonth, months, days] = FIELDS.map((field, i) => values(field, parts[i] ?? ""));
  const cron = {
    text: parts.join(" "),
    minutes: minutes ?? new Set(),
    hours: hours ?? new Set(),
    daysOfMonth: daysOfMonth ?? new Set(),
    months: months ?? new Set(),
    daysOfWeek: new Set([...(days ?? [])].map((day) => day % 7)),
  };
  if (!everyDayOfMonth(cron) && everyDayOfWeek(cron)) {
    const first = Math.min(...cron.daysOfMonth);
    if (![...cron.months].some((month) => first <= (LONGEST[month - 1] ?? 31)))
      throw new EkidenError(
        "bad_input",
        `The cron expression ${quote(text)} names a date that never comes: day ${first} in month ${[...cron.months].join(", ")}.`,
      );
  }
  return cron;
}

const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const everyDayOfMonth = ({ daysOfMonth }: Cron): boolean => daysOfMonth.size === 31;
const everyDayOfWeek = ({ daysOfWeek }: Cron): boolean => daysOfWeek.size === 7;

function values(field: Field, text: string): Set<number> {
  const found = new Set<number>();
  for (const item of text.split(",")) {
    const { from, to, step } = range(field, item, text);
    for (let value = from; value <= to; value += step) found.add(value);
  }
  return found;
}

function range(field: Field, item: string, whole: string): { from: number; to: number; step: number } {
  const wrong = (why: string): EkidenError =>
    new EkidenError(
      "bad_input",
      `The ${field.name} field ${quote(whole)} of a cron expression is wrong: ${why}. It takes ${field.low}-${field.high}${field.names ? ` or ${field.names[0]}-${field.names.at(-1)}` : ""}, as *, a number, a list (1,2), a range (1-5) or with a step (*/2, 1-9/2).`,
    );
  const one = (word: string): number => {
    const named = field.names?.indexOf(word.toLowerCase()) ?? -1;
    const value =
      named >= 0 ? named + (field.low === 1 ? 1 : 0) : /^[0-9]{1,4}$/.test(word) ? Number(word) : Number.NaN;
    if (Number.isNaN(value))
      throw wrong(word === "" ? "a value is missing" : `${quote(word)} is not one of its values`);
    if (value < field.low || value > field.high) throw wrong(`${value} is out of range`);
    return value;
  };
  const [span = "", every, ...more] = item.split("/");
  const [first = "", last, ...rest] = span.split("-");
  if (more.length > 0 || rest.length > 0) throw wrong(`${quote(item)} cannot be read`);
  let from = field.low;
  let to: number = field.high;
  if (span !== "*") {
    from = one(first);
    to = last === undefined ? from : one(last);
    if (last?.toLowerCase() === "sun") to = 7; // "fri-sun": as the end of a range, Sunday is the seventh day
    if (to < from) throw wrong(`the range ${quote(span)} runs backwards`);
    if (every !== undefined && last === undefined)
      throw wrong(`a step needs a range: ${first}-${field.high}/${every}`);
  }
  if (every === undefined) return { from, to, step: 1 };
  const most = field.high - field.low;
  if (!/^[0-9]{1,4}$/.test(every) || Number(every) < 1 || Number(every) > most)
    throw wrong(`the step ${quote(every)} is not a number from 1 to ${most}`);
  return { from, to, step: Number(every) };
}

const DAY = 24 * 60;
/** 29 February comes again after eight years at most (1896-1904, 2096-2104). */
const HORIZON = 8 * 366 + 31;

/** The first moment after `from` at which it is due, or null when there is none in the next eight years. @throws `bad_input`: the zone */
export function nextRun(cron: Cron, from: Instant, zone: string): Instant | null {
  const place = zoneOf(zone);
  const times = [...cron.hours]
    .flatMap((hour) => [...cron.minutes].map((minute) => hour * 60 + minute))
    .sort((a, b) => a - b);
  // A day earlier: where midnight is skipped, a time of yesterday may become a moment of today.
  const today = Math.floor(place.wall(from) / DAY) * DAY;
  for (let n = -1; n <= HORIZON; n += 1) {
    const day = today + n * DAY;
    if (!fits(cron, day)) continue;
    const found = cron.hours.size === 24 ? elapsed(cron, place, day, from) : fixed(times, place, day, from);
    if (found !== null) return found;
  }
  return null;
}

function fits(cron: Cron, day: WallMinute): boolean {
  const date = new Date(day * 60_000);
  if (!cron.months.has(date.getUTCMonth() + 1)) return false;
  const byMonth = cron.daysOfMonth.has(date.getUTCDate());
  const byWeek = cron.daysOfWeek.has(date.getUTCDay());
  return everyDayOfMonth(cron) ? byWeek : everyDayOfWeek(cron) ? byMonth : byMonth || byWeek;
}

/** Times of day: each happens once on each day that fits, whatever the clocks do. */
function fixed(times: readonly number[], zone: Zone, day: WallMinute, from: Instant): Instant | null {
  for (const time of times) {
    // Far before `from`, on any clock: not worth asking the zone.
    if ((day + time) * 60_000 < from - 26 * 3_600_000) continue;
    const at = zone.instantOf(day + time);
    if (at > from) return at;
  }
  return null;
}

/** Every hour of the day: each minute that really comes, also in an hour that comes twice. */
function elapsed(cron: Cron, zone: Zone, day: WallMinute, from: Instant): Instant | null {
  const start = Math.max(zone.instantOf(day), Math.floor(from / 60_000) * 60_000 + 60_000);
  const end = zone.instantOf(day + DAY);
  for (let at = start; at < end; at += 60_000) {
    const wall = zone.wall(instant(at));
    if (wall >= day && wall < day + DAY && cron.minutes.has(wall % 60)) return instant(at);
  }
  return null;
}

/** One that is later than this was missed: nobody ran when it was due. */
export const LATE_MS = 60_000;

/** The text that a firing sends. `missed`: when the cron was due, if nobody ran then. */
export const cronText = (
  text: string,
  missed: { readonly dueAt: Instant; readonly zone: string } | null,
): string =>
  missed === null
    ? text
    : `[late: it was due at ${showTime(missed.dueAt, missed.zone)}, when nobody ran]\n${text}`;
