/**
 * Crons, and their expressions of five fields: the check, and the next time at which one is due. Pure: the current time comes in as `from`.
 *
 * croner calculates. It accepts more than the five classic fields (`@daily`, seconds, `L`, `mon#2`); that is refused here, because
 * other implementations read it differently. Its rules, which cron.test.ts checks:
 * - Day of month and day of week both restricted: a day that fits either one will do.
 * - A fixed time in the gap when the clocks go forward happens once, at the first moment after the gap; a fixed time that
 *   occurs twice when they go back happens once, the first time. With `*` as hour, every hour counts as it passes.
 *
 * Load this file lazily: croner has 22 KB and few commands need it.
 */

import { Cron as Croner } from "croner";
import { badInput } from "../errors.ts";
import { type CronId, type HostId, type Instant, instant, type Name, quote } from "../ids.ts";
import { checkZone } from "../text/zone.ts";
import { succeeds } from "../tried.ts";

export type NewCron = {
  /** Five fields. */
  readonly expression: string;
  /** The time zone of the fields, by name. */
  readonly zone: string;
  readonly text: string;
  /** A firing becomes mail to a member, or a new task on the board whose subject is the text. */
  readonly target: { readonly kind: "mail"; readonly to: Name } | { readonly kind: "task" };
  /** Fires once and is removed in the same step. */
  readonly once: boolean;
  /** It ends with this host. Null: durable, it survives restarts. */
  readonly session: HostId | null;
};

export type Cron = NewCron & {
  readonly id: CronId;
  readonly by: Name;
  readonly createdAt: Instant;
  readonly nextAt: Instant;
  readonly lastAt: Instant | null;
  /** The number of times that it fired. */
  readonly fired: number;
};

type Field = readonly [name: string, low: number, high: number, names?: string];
const FIELDS: readonly Field[] = [
  ["minute", 0, 59],
  ["hour", 0, 23],
  ["day of month", 1, 31],
  ["month", 1, 12, "jan-dec"],
  ["day of week", 0, 7, "sun-sat"],
];

/**
 * Reads `minute hour day-of-month month day-of-week`: numbers, names of months and days, lists, ranges and steps.
 * Returns it with single spaces.
 * @throws EkidenError `bad_input` naming the field and its range; also for a date that never comes.
 */
export function parseCron(text: string): string {
  const parts = text.trim().split(/\s+/).filter(Boolean);
  if (parts.length !== FIELDS.length)
    throw badInput(
      `The cron expression ${quote(text)} has ${parts.length} fields; it must have 5: minute hour day-of-month month day-of-week, such as "30 9 * * mon-fri".`,
    );
  FIELDS.forEach((field, i) => void checkField(field, i, parts[i] ?? ""));
  const expression = parts.join(" ");
  if (nextRun(expression, instant(0), "UTC") === null)
    throw badInput(`The cron expression ${quote(text)} names a date that never comes.`);
  return expression;
}

function checkField([name, low, high, names]: Field, index: number, value: string): void {
  const stepsFit = [...value.matchAll(/\/(\d+)/g)].every(([, step]) => Number(step) <= high - low);
  const alone = FIELDS.map((_, i) => (i === index ? value : "*")).join(" ");
  // Of croner's further signs, `L` and `W` are letters also of "jul" and "wed": a name has three letters.
  const isClassic = /^(?:[\d*/,-]|(?<![a-z])[a-z]{3}(?![a-z]))+$/i.test(value);
  if (isClassic && stepsFit && isReadable(alone)) return;
  throw badInput(
    `The ${name} field ${quote(value)} of a cron expression is wrong. It takes ${low}-${high}${names ? ` or ${names}` : ""}, as *, a number, a list (1,2), an ascending range (1-5) or a range with a step from 1 to ${high - low} (*/2, ${low}-${high}/2).`,
  );
}

const isReadable = (expression: string): boolean => succeeds(() => new Croner(expression, { paused: true }));

/** The first moment after `from` at which it is due, or null when it is never due again. @throws `bad_input`: the zone */
export function nextRun(expression: string, from: Instant, zone: string): Instant | null {
  const next = new Croner(expression, { paused: true, timezone: checkZone(zone) }).nextRun(new Date(from));
  return next === null ? null : instant(next.getTime());
}
