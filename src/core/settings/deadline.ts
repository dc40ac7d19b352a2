/** The deadline of a run: a duration from its start, or a time of day. */
import { badInput } from "../errors.ts";
import { quote } from "../ids.ts";

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };
const DAY_MS = 86_400_000;
/** Longer than a timer can wait. */
const MOST_MS = 2_147_483_647;

/**
 * Milliseconds from `now` until the deadline. `now`: local time. A time of day that is over is that of tomorrow.
 * @throws EkidenError `bad_input`
 */
export function deadlineMs(text: string, now: Date): number {
  const given = text.trim().toLowerCase();
  const [, hours = "", minutes = ""] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(given) ?? [];
  if (hours !== "") {
    const at = new Date(now);
    at.setHours(Number(hours), Number(minutes), 0, 0);
    return at > now ? at.getTime() - now.getTime() : at.getTime() + DAY_MS - now.getTime();
  }
  const parts = /^(?:\d{1,6}(?:\.\d{1,3})?[dhms])+$/.test(given)
    ? [...given.matchAll(/([\d.]+)([dhms])/g)]
    : [];
  const ms = parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
  if (ms > 0 && ms <= MOST_MS) return ms;
  throw badInput(
    `${quote(text)} is not a deadline. Give a duration of at most 24 days such as "90m" or "2h30m", or a time of day such as "18:30".`,
  );
}

/** The text itself. @throws as `deadlineMs` */
export function checkDeadline(text: string): string {
  deadlineMs(text, new Date(0));
  return text;
}
