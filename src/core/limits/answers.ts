/**
 * The limits of an account in the answers of providers over HTTP: when they end, and which of them mean more than a short wait. The limit
 * of a model leaves other models of the same account alone.
 */
import { type Instant, instant, later } from "../ids.ts";
import { resetIn } from "./reset-time.ts";
import type { WindowKind } from "./window.ts";

/** Names in lower case. */
export type Headers = Readonly<Record<string, unknown>>;

/** A longer wait is a limit, and no busy provider. */
export const SHORT_WAIT_MS = 120_000;

/** Waiting does not help: the person has to pay. Anthropic says it with 400, OpenAI with 429. */
const UNPAID =
  /insufficient[_ ](?:quota|credits?|balance|funds)|billing (?:hard limit|error)|credit balance is too low|exceeded_current_quota_error|payment required/i;

/** By the value of `anthropic-ratelimit-unified-representative-claim`. */
const CLAIMS: readonly (readonly [RegExp, WindowKind])[] = [
  [/opus|sonnet|haiku/, "model"],
  [/seven_day|7d/, "week"],
  [/five_hour|5h/, "5h"],
];

/** Milliseconds until the limit of an answer ends, by its headers or else its words. Undefined where it says nothing of that. */
export function waitIn(headers: Headers, said: string, now: Instant): number | undefined {
  const at = unified(headers, now) ?? exhausted(headers, now) ?? resetIn(said, now, "UTC");
  // A time in the past may be any other one.
  return at === undefined || at <= now ? undefined : at - now;
}

/** The window that is used up; null: none, or a wait that is short. `said`: the message and the body. `waitMs`: the wait that it asks for. */
export function limitIn(status: number, headers: Headers, said: string, waitMs = 0): WindowKind | null {
  if (status === 402 || ((status === 429 || status === 400) && UNPAID.test(said))) return "credit";
  if (status !== 429 || waitMs <= SHORT_WAIT_MS) return null;
  const claim = String(headers[`${UNIFIED}representative-claim`] ?? "");
  return CLAIMS.find(([words]) => words.test(claim))?.[1] ?? "model";
}

const UNIFIED = "anthropic-ratelimit-unified-";

/** It comes with each answer of a subscription. */
const unified = (headers: Headers, now: Instant): Instant | undefined =>
  (headers[`${UNIFIED}status`] ?? "rejected") === "rejected"
    ? timeIn(headers[`${UNIFIED}reset`], now)
    : undefined;

/**
 * `x-ratelimit-reset-tokens` and `anthropic-ratelimit-tokens-reset` beside a `…remaining…` that is 0; the latest of several. One without any
 * `…remaining…` counts, too.
 */
function exhausted(headers: Headers, now: Instant): Instant | undefined {
  const times = Object.entries(headers).flatMap(([name, value]) => {
    if (!/^(?:x-ratelimit|anthropic-ratelimit|ratelimit)-(?:[\w-]+-)?reset\b/.test(name)) return [];
    if (name.startsWith(UNIFIED)) return [];
    const remaining = headers[name.replace("reset", "remaining")];
    return remaining === undefined || Number(remaining) === 0 ? (timeIn(value, now) ?? []) : [];
  });
  return times.length === 0 ? undefined : instant(Math.max(...times));
}

/** A time since the epoch in seconds or milliseconds, a date, or a span such as "6m0s" or seconds. */
function timeIn(value: unknown, now: Instant): Instant | undefined {
  const text = String(value ?? "").trim();
  const number = text === "" ? Number.NaN : Number(text);
  if (number >= 1e12) return instant(Math.round(number));
  if (number >= 1e9) return instant(Math.round(number * 1_000));
  if (number >= 0) return later(now, number * 1_000);
  if (/^[\d.]+ms$/.test(text)) return later(now, Number.parseFloat(text));
  return resetIn(`in ${text}`, now, "UTC");
}
