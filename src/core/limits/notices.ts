/**
 * How agent programs and providers say that a login has used up what it may use, by program. Samples are in the test. Words that
 * fit no line say nothing: then a member rests because it does nothing (runtime/member/ability.ts).
 */
import { type Instant, instant } from "../ids.ts";
import { resetIn } from "./reset-time.ts";
import type { Notice, WindowKind } from "./window.ts";

/** A notice is short: a text about limits is none. */
const NOTICE_MAX = 600;

/** By the program that says them. Each text is tried with all of them: some programs pass on the words of a vendor. */
const WORDS: Readonly<Record<string, RegExp>> = {
  claude:
    /(?:hit|reached) your (?:[\w-]+ ){0,3}limit\b.*resets?|usage limit reached\|\d{10}|\b(?:5-hour|weekly|opus|sonnet|usage) limit reached/i,
  codex: /hit your usage limit|usage_limit_reached|workspace is out of credits/i,
  gemini: /exceeded your current quota|RESOURCE_EXHAUSTED|quota will reset after|daily quota limit/i,
  qwen: /Qwen OAuth quota exceeded|free (?:daily )?(?:allocated )?quota|insufficient_quota/i,
  opencode: /free usage exceeded|insufficient_quota|credit balance is too low|usage limit/i,
};

const KINDS: readonly (readonly [WindowKind, RegExp])[] = [
  ["week", /\bweek|seven_day|secondary|7d/i],
  ["model", /\b(opus|sonnet|model|per day|daily)\b/i],
];
const kindIn = (text: string): WindowKind => KINDS.find(([, words]) => words.test(text))?.[0] ?? "5h";

/** Null: the text is no notice of a limit. `zone`: of this machine. */
export function noticeIn(text: string, now: Instant, zone: string): Notice | null {
  if (text.length > NOTICE_MAX || !Object.values(WORDS).some((one) => one.test(text))) return null;
  return { kind: kindIn(text), usedPercent: 100, resetsAt: resetIn(text, now, zone), source: "words" };
}

type Fields = Readonly<Record<string, unknown>>;
const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
const number = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
const at = (seconds: number | undefined): Instant | undefined =>
  seconds === undefined ? undefined : instant(Math.round(seconds * 1_000));

/** `_meta["_claude/rateLimit"]` of a usage update: whether the login may continue, and how much of a window is used. */
export function claudeRateLimit(meta: unknown): Notice[] {
  const { status, resetsAt, rateLimitType, utilization } = fields(fields(meta)["_claude/rateLimit"]);
  if (status !== "allowed" && status !== "allowed_warning" && status !== "rejected") return [];
  const share = number(utilization);
  const usedPercent = status === "rejected" ? 100 : share === undefined ? undefined : percent(share);
  if (usedPercent === undefined) return [];
  const kind = /opus|sonnet/.test(String(rateLimitType)) ? "model" : kindIn(String(rateLimitType));
  return [{ kind, usedPercent, resetsAt: at(number(resetsAt)), source: "event" }];
}

/** `rate_limits` in the token events of Codex: a shorter window and a longer one. */
export function codexRateLimits(event: unknown): Notice[] {
  const outer = fields(event);
  const limits = fields(outer.rate_limits ?? fields(outer.msg ?? outer.payload ?? outer.info).rate_limits);
  return ["primary", "secondary"].flatMap((name): Notice[] => {
    const { used_percent, window_minutes, resets_at } = fields(limits[name]);
    const usedPercent = number(used_percent);
    if (usedPercent === undefined) return [];
    const kind = (number(window_minutes) ?? 0) > 24 * 60 ? "week" : "5h";
    return [
      { kind, usedPercent: Math.min(100, usedPercent), resetsAt: at(number(resets_at)), source: "event" },
    ];
  });
}

/** A share of 0 to 1, or what is a percentage already. */
const percent = (share: number): number => Math.min(100, Math.round(share <= 1 ? share * 100 : share));
