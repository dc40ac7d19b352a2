/** What the judge says to each line of the corpus, in each mode, with a sandbox and without. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Mode } from "../../src/core/permission/permission.ts";
import { takeAway } from "../fixtures/take-away.ts";
import { type Ground, judge, layGround, placed, rulesOf, sections } from "./corpus.ts";

/** Modes in which a line of a section may not be allowed. */
const MODES: readonly (readonly [RegExp, readonly Mode[]])[] = [
  [/^asks in every mode/, ["plan", "default", "accept-edits", "bypass"]],
  [/^asks/, ["plan", "default"]],
  [/^refused with|^not allowed with/, ["default", "bypass"]],
];

let ground: Ground;
beforeAll(() => {
  ground = layGround();
});
afterAll(() => takeAway(ground.top));

const hostile = sections().filter(({ heading }) => heading !== "silent");
const [harmless] = sections().filter(({ heading }) => heading === "silent");

describe("no hostile line is allowed without a question", () => {
  it("and there are at least 600 of them", () => {
    expect(hostile.flatMap(({ lines }) => lines).length).toBeGreaterThan(600);
  });

  it.each(hostile)("$name: $heading", async ({ heading, lines }) => {
    const modes = MODES.find(([pattern]) => pattern.test(heading))?.[1] ?? [];
    const passed: string[] = [];
    for (const line of lines)
      for (const mode of modes)
        for (const confined of heading === "asks without a sandbox" ? [false] : [false, true]) {
          const { effect } = await judge(placed(line, ground, 9), ground, mode, {
            confined,
            rules: rulesOf(heading),
          });
          if (effect === "allow" || (heading.startsWith("refused") && effect !== "deny"))
            passed.push(`${mode}${confined ? ", confined" : ""}: ${JSON.stringify(line)}: ${effect}`);
        }
    expect(passed).toEqual([]);
  });
});

describe("harmless lines are not asked about", () => {
  it("in a sandbox, questions to tools of the project", async () => {
    const lines = hostile
      .filter(({ heading }) => heading === "asks without a sandbox")
      .flatMap((one) => one.lines);
    const asked: string[] = [];
    for (const line of lines)
      if ((await judge(line, ground, "default", { confined: true })).readOnly !== true) asked.push(line);
    expect(asked).toEqual([]);
    expect(lines.length).toBeGreaterThan(30);
  });

  it.each([
    [false, 0.1],
    [true, 0.02],
  ])("in a sandbox: %s, but for a share of %s", async (confined, most) => {
    const lines = harmless?.lines ?? [];
    const asked: string[] = [];
    for (const line of lines)
      if ((await judge(line, ground, "default", { confined })).effect !== "allow") asked.push(line);
    expect(lines.length).toBeGreaterThan(300);
    if (process.env.EKIDEN_SHOW) console.log(confined, asked.length, lines.length, asked);
    expect(asked.length / lines.length, asked.join("\n")).toBeLessThanOrEqual(most);
  });
});
