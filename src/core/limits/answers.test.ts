import { describe, expect, it } from "vitest";
import { instant } from "../ids.ts";
import { type Headers, limitIn, waitIn } from "./answers.ts";

const now = instant(Date.parse("2026-11-28T01:00:00Z"));
const epoch = String(now / 1_000 + 7_200);
const unified = (more: Headers): Headers => ({
  "anthropic-ratelimit-unified-status": "rejected",
  "anthropic-ratelimit-unified-reset": epoch,
  ...more,
});

describe("the wait that an answer asks for", () => {
  it.each<[string, Headers, string, number | undefined]>([
    ["Anthropic, a subscription", unified({}), "", 7_200_000],
    ["Anthropic, allowed", unified({ "anthropic-ratelimit-unified-status": "allowed" }), "", undefined],
    [
      "Anthropic, a key",
      {
        "anthropic-ratelimit-tokens-remaining": "0",
        "anthropic-ratelimit-tokens-reset": "2026-11-28T01:03:00Z",
        "anthropic-ratelimit-requests-remaining": "40",
        "anthropic-ratelimit-requests-reset": "2026-11-28T01:50:00Z",
      },
      "",
      180_000,
    ],
    [
      "OpenAI",
      {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "6m0s",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "1h2m3.5s",
      },
      "",
      3_723_500,
    ],
    ["OpenAI, soon", { "x-ratelimit-reset-requests": "20ms" }, "", 20],
    ["OpenRouter", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now + 60_000) }, "", 60_000],
    ["seconds", { "ratelimit-remaining": "0", "ratelimit-reset": "90" }, "", 90_000],
    ["Groq, by words", {}, "Rate limit reached for model x. Please try again in 7m12.5s.", 432_500],
    ["a time in the past", {}, "Refused at 2026-11-28T00:59:00Z.", undefined],
    ["nothing", { "x-ratelimit-reset-requests": "soon" }, "slow down", undefined],
  ])("%s", (_, headers, said, ms) => {
    expect(waitIn(headers, said, now)).toBe(ms);
  });
});

it.each<[number, Headers, string, number | undefined, string | null]>([
  [402, {}, "", undefined, "credit"],
  [429, {}, "You exceeded your current quota insufficient_quota", undefined, "credit"],
  [400, {}, "Your credit balance is too low to access the Anthropic API.", undefined, "credit"],
  [400, {}, "max_tokens: must be at least 1", 600_000, null],
  [429, {}, "slow down", 120_000, null],
  [429, {}, "slow down", 121_000, "model"],
  [503, {}, "", 600_000, null],
  [429, unified({ "anthropic-ratelimit-unified-representative-claim": "five_hour" }), "", 7_200_000, "5h"],
  [429, unified({ "anthropic-ratelimit-unified-representative-claim": "seven_day" }), "", 7_200_000, "week"],
  [
    429,
    unified({ "anthropic-ratelimit-unified-representative-claim": "seven_day_opus" }),
    "",
    7_200_000,
    "model",
  ],
])("%i %j %s after %s ms: %s", (status, headers, said, waitMs, kind) => {
  expect(limitIn(status, headers, said, waitMs)).toBe(kind);
});
