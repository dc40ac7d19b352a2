import { describe, expect, it } from "vitest";
import { instant } from "../ids.ts";
import { claudeRateLimit, codexRateLimits, noticeIn } from "./notices.ts";
import { resetIn } from "./reset-time.ts";

const now = instant(Date.parse("2026-11-28T01:00:00Z"));
const time = (at: number | undefined): string =>
  at === undefined ? "unknown" : new Date(at).toISOString().slice(0, 19);

/** The words of the programs. */
it.each([
  ["claude", "You've hit your session limit · resets 3:20am (UTC)", "5h", "2026-11-28T03:20:00"],
  [
    "claude",
    "You've hit your session limit · resets 8:30am (America/Los_Angeles)",
    "5h",
    "2026-11-28T16:30:00",
  ],
  ["claude", "You've hit your weekly limit · resets Dec 3 at 3pm (UTC)", "week", "2026-12-03T15:00:00"],
  ["claude", "Claude AI usage limit reached|1795842000", "5h", "2026-11-28T05:00:00"],
  ["claude", "5-hour limit reached ∙ resets 3am", "5h", "2026-11-28T02:00:00"],
  ["claude", "You've hit your Opus limit · resets 11pm (UTC)", "model", "2026-11-28T23:00:00"],
  [
    "codex",
    "You've hit your usage limit. Upgrade to Pro or try again in 2 hours 30 minutes.",
    "5h",
    "2026-11-28T03:30:00",
  ],
  [
    "codex",
    "You've hit your usage limit. To get more access now, try again at 11:05 PM.",
    "5h",
    "2026-11-28T22:05:00",
  ],
  [
    "gemini",
    "[429] You exceeded your current quota, please check your plan. Please retry in 34.07s.",
    "5h",
    "2026-11-28T01:00:34",
  ],
  [
    "gemini",
    "You have exhausted your capacity on this model. Your quota will reset after 2h13m20s.",
    "model",
    "2026-11-28T03:13:20",
  ],
  ["qwen", "Qwen OAuth quota exceeded: Your free daily quota has been reached.", "model", "unknown"],
  ["opencode", "Free usage exceeded, add credits", "5h", "unknown"],
])("%s: %s", (_program, words, kind, resets) => {
  const notice = noticeIn(words, now, "Europe/Berlin");
  expect(notice).toMatchObject({ kind, usedPercent: 100, source: "words" });
  expect(time(notice?.resetsAt)).toBe(resets);
});

it.each([
  "I have read the file. The limit of retries is 5.",
  "Rate limits reset each hour, says docs/limits.md; I wrote a test for it.",
  "",
  `You've hit your session limit · resets 3:20am (UTC)${" and so on".repeat(60)}`,
])("is no notice: %s", (text) => {
  expect(noticeIn(text, now, "UTC")).toBeNull();
});

describe("the time of a reset", () => {
  it.each([
    ["resets 12:30am (UTC)", "2026-11-28T23:50:00Z", "2026-11-29T00:30:00"],
    ["resets 12pm (UTC)", "2026-11-28T01:00:00Z", "2026-11-28T12:00:00"],
    ["resets 12am (America/Los_Angeles)", "2026-11-28T07:59:00Z", "2026-11-28T08:00:00"],
    ["resets 2am (America/Los_Angeles)", "2026-11-28T23:00:00Z", "2026-11-29T10:00:00"],
    // A notice that stays a moment after the reset that it names.
    ["resets 3:20am (UTC)", "2026-11-28T03:20:40Z", "2026-11-28T03:20:40"],
    ["resets 3:20am (UTC)", "2026-11-28T03:45:00Z", "2026-11-29T03:20:00"],
    // Summer time begins that night.
    ["resets 8:30am (America/Los_Angeles)", "2027-03-14T05:00:00Z", "2027-03-14T15:30:00"],
    ["resets Jan 2 at 1am (UTC)", "2026-12-30T00:00:00Z", "2027-01-02T01:00:00"],
    ["resets 15:00 (Europe/Berlin)", "2026-11-28T01:00:00Z", "2026-11-28T14:00:00"],
    ["resets 3am (Nowhere/Town)", "2026-11-28T01:00:00Z", "2026-11-28T03:00:00"],
    ["resets 2026-11-28T04:00:00Z", "2026-11-28T01:00:00Z", "2026-11-28T04:00:00"],
    ["try again in 3 days 2 hours", "2026-11-28T01:00:00Z", "2026-12-01T03:00:00"],
    ["resets soon", "2026-11-28T01:00:00Z", "unknown"],
    ["resets 3 of them", "2026-11-28T01:00:00Z", "unknown"],
  ])("%s at %s", (words, at, resets) => {
    expect(time(resetIn(words, instant(Date.parse(at)), "UTC"))).toBe(resets);
  });
});

it("reads events, and nothing from what has another form", () => {
  const resetsAt = 1_795_842_000;
  const meta = (more: object) => ({ "_claude/rateLimit": { resetsAt, rateLimitType: "five_hour", ...more } });
  expect(claudeRateLimit(meta({ status: "rejected" }))).toEqual([
    { kind: "5h", usedPercent: 100, resetsAt: resetsAt * 1_000, source: "event" },
  ]);
  expect(
    claudeRateLimit(meta({ status: "allowed_warning", utilization: 0.83, rateLimitType: "seven_day" })),
  ).toMatchObject([{ kind: "week", usedPercent: 83 }]);
  expect(claudeRateLimit(meta({ status: "allowed" }))).toEqual([]);
  const primary = { used_percent: 42.5, window_minutes: 300, resets_at: resetsAt };
  const secondary = { used_percent: 100, window_minutes: 10_080, resets_at: resetsAt };
  expect(codexRateLimits({ type: "token_count", rate_limits: { primary, secondary } })).toMatchObject([
    { kind: "5h", usedPercent: 42.5, resetsAt: resetsAt * 1_000 },
    { kind: "week", usedPercent: 100 },
  ]);
  for (const other of [null, 1, "x", {}, { rate_limits: 3 }, { "_claude/rateLimit": "x" }]) {
    expect(claudeRateLimit(other)).toEqual([]);
    expect(codexRateLimits(other)).toEqual([]);
  }
});
