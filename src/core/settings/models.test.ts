import { expect, it } from "vitest";
import { capabilitiesOf, isUnpriced, usdOf, windowOf } from "./models.ts";

const million = { fresh: 1e6, cached: 0, written: 0, output: 0 };

it("prices the four kinds of tokens apart", () => {
  expect(usdOf("claude-opus-4-5-20251101", million)).toBe(5);
  expect(usdOf("claude-opus-4-5", { fresh: 0, cached: 1e6, written: 0, output: 0 })).toBe(0.5);
  expect(usdOf("claude-opus-4-5", { fresh: 0, cached: 0, written: 1e6, output: 0 })).toBe(6.25);
  expect(usdOf("claude-opus-4-5", { fresh: 0, cached: 0, written: 0, output: 1e6 })).toBe(25);
});

it("takes the longest beginning, and only whole words of it", () => {
  expect(usdOf("gpt-5-mini-2025-08-07", { ...million, fresh: 1e5 })).toBeCloseTo(0.025);
  expect(usdOf("gpt-5.4-mini", { ...million, fresh: 1e5 })).toBeCloseTo(0.075);
  expect(usdOf("claude-opus-5-5", { ...million, fresh: 1e5 })).toBeCloseTo(0.4);
  expect(usdOf("gpt-50", million)).toBe(0);
  expect(usdOf("gpt-5.9", million)).toBe(0);
});

it("charges a long prompt the long rate, counting what was cached", () => {
  expect(usdOf("gpt-5.4", { fresh: 200_000, cached: 0, written: 0, output: 1e6 })).toBeCloseTo(15.5);
  expect(usdOf("gpt-5.4", { fresh: 200_000, cached: 100_000, written: 0, output: 1e6 })).toBeCloseTo(
    1 + 0.05 + 22.5,
  );
});

it("begins the long rate above its limit, and counts what was written to the cache", () => {
  const reply = { fresh: 272_000, cached: 0, written: 0, output: 0 };
  expect(usdOf("gpt-5.4", reply)).toBeCloseTo(0.68);
  expect(usdOf("gpt-5.4", { ...reply, written: 1 })).toBeGreaterThan(1.36);
});

it.each(["claude-new", "gemini-9", "qwen3:8b"])("charges nothing for %s, which has no price", (model) => {
  expect(usdOf(model, { fresh: 1e6, cached: 1e6, written: 1e6, output: 1e6 })).toBe(0);
});

it("knows windows, and says 0 dollars and a careful window for strangers", () => {
  expect(windowOf("claude-haiku-4-5")).toBe(200_000);
  expect(windowOf("claude-sonnet-5-5")).toBe(1_000_000);
  expect(windowOf("claude-something-new")).toBe(200_000);
  expect(windowOf("qwen3:8b")).toBe(128_000);
  expect(usdOf("qwen3:8b", million)).toBe(0);
});

it("knows which models a budget in money cannot count", () => {
  for (const spec of [
    "anthropic/claude-opus-4-5",
    "openai/gpt-5-mini",
    "ollama/llama3",
    "runbook",
    "scripted:x.json",
  ])
    expect(isUnpriced(spec)).toBe(false);
  for (const spec of ["anthropic/loopback", "openai-compatible/my-own"]) expect(isUnpriced(spec)).toBe(true);
});

it.each([
  ["claude-sonnet-5-5", true, true, true],
  ["claude-fable-5-1", true, true, true],
  ["claude-haiku-5-5", true, true, false],
  ["claude-opus-5", false, true, true],
  ["claude-opus-4-8", false, true, true],
  ["claude-sonnet-5", false, true, false],
  ["claude-opus-4-7", false, true, false],
  ["claude-sonnet-4-6", false, true, false],
  ["claude-haiku-4-5-20251001", false, true, false],
  ["claude-sonnet-4-20250514", false, false, false],
  ["gpt-6.1-sol", true, false, true],
  ["gpt-5.4", false, false, true],
  ["gemini-3.8-flash", false, false, false],
  ["some-model", false, false, false],
])("%s: binds %s, clears %s, hears system messages %s", (model, binds, clears, hearsSystem) => {
  expect(capabilitiesOf(model)).toMatchObject({ binds, clears, hearsSystem });
});
