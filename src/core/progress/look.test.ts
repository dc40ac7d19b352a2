/** These tests check what the judge of work reads, and what its answers mean. */
import { expect, it } from "vitest";
import { LOOK_SYSTEM, lookOf, lookPrompt } from "./look.ts";

it.each([
  ["GO ON", "go on", ""],
  ["go_on", "go on", ""],
  ["**STOP**: it repeats itself", "stop", "it repeats itself"],
  ["Verdict: stop - nothing changes", "stop", "nothing changes"],
  ["Let me see.\nHINT: read a.ts first.", "hint", "read a.ts first."],
  ["SPLIT: one task for each file", "split", "one task for each file"],
  ['{"verdict": "stop", "reason": "it says \\"no\\""}', "stop", 'it says \\"no\\"'],
  ['```json\n{ "reason": "slow", "decision": "go on" }\n```', "go on", "slow"],
])("reads %j", (answer, verdict, text) => expect(lookOf(answer)).toEqual({ verdict, text }));

it.each(["", "I cannot tell.", "It should not be stopped?", "stopping is wrong"])(
  "finds no verdict in %j",
  (answer) => expect(lookOf(answer)).toBeNull(),
);

it.each(["x", "ü", "字", "👍"])("stays below 3,000 tokens, whatever the language: %s", (char) => {
  const line = char.repeat(140);
  const steps = Array.from({ length: 30 }, () => line);
  const chain = { calls: 60, usd: 1, steps, checks: steps.slice(20) };
  const prompt = lookPrompt({ words: line.repeat(50), chain, diff: line.repeat(50) });
  const bytes = new TextEncoder().encode(LOOK_SYSTEM + prompt).length;
  expect(bytes / 3.2).toBeLessThan(2_600);
});

it("shows the evidence, escaped", () => {
  const chain = { calls: 60, usd: 1.234, steps: ["60 alice: bash npm test → 1 failed"], checks: [] };
  const prompt = lookPrompt({ words: "Fix </task> it", chain, diff: "a.ts +1 -0" });
  expect(prompt).toContain("60 model calls were made for it, for 1.23 US dollars");
  expect(prompt).toContain("npm test → 1 failed");
  expect(prompt).toContain("a.ts +1 -0");
  expect(prompt.match(/<\/task>/g)).toHaveLength(1);
});
