/** These tests check what the judge says to each line of the corpus, in each mode, with a sandbox and without. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Mode, Rule } from "../../src/core/permission/permission.ts";
import { changesNothing } from "../../src/core/shell/readonly.ts";
import { takeAway } from "../fixtures/take-away.ts";
import { type Ground, judge, layGround, placed, rulesOf, sections } from "./corpus.ts";

/** Modes in which a line of a section may not be allowed, and whether that is so in a sandbox, too. */
const MODES: readonly (readonly [heading: RegExp, modes: readonly Mode[], inSandbox: boolean])[] = [
  [/^asks in every mode/, ["plan", "default", "accept-edits", "bypass"], true],
  [/^asks without a sandbox with/, ["default", "bypass"], false],
  [/^asks, also in a sandbox/, ["plan", "default", "accept-edits"], true],
  [/^asks/, ["plan", "default"], false],
  // In the sandbox the file is covered: effects.test.ts runs these lines there.
  [/^not allowed with.*deny read_file/, ["default", "bypass"], false],
  [/^refused with|^not allowed with/, ["default", "bypass"], true],
];

let ground: Ground;
beforeAll(() => {
  ground = layGround();
});
afterAll(() => takeAway(ground.top));

const hostile = sections().filter(({ heading }) => !heading.startsWith("silent"));
const [harmless] = sections().filter(({ heading }) => heading === "silent");
const [work] = sections().filter(({ heading }) => heading === "silent in a sandbox");

describe("no hostile line is allowed without a question", () => {
  it("and there are at least 600 of them", () => {
    expect(hostile.flatMap(({ lines }) => lines).length).toBeGreaterThan(600);
  });

  it.each(hostile)("$name: $heading", async ({ heading, lines }) => {
    const [, modes = [], inSandbox] = MODES.find(([pattern]) => pattern.test(heading)) ?? [];
    const passed: string[] = [];
    for (const line of lines)
      for (const mode of modes)
        for (const confined of inSandbox ? [false, true] : [false]) {
          if (mode === "accept-edits" && !confined) continue;
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
  it("and work in the sandbox is more than reading", () => {
    expect(work?.lines.length).toBeGreaterThan(70);
  });

  it("in the blocks of the runbook that everybody runs first", async () => {
    const text = readFileSync(new URL("../../examples/quickstart.md", import.meta.url), "utf8");
    const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block);
    const asked: string[] = [];
    for (const block of blocks)
      if ((await judge(block, ground, "default", { confined: true })).effect !== "allow") asked.push(block);
    expect(blocks.length).toBeGreaterThan(5);
    expect(asked).toEqual([]);
  });

  it.each([
    [false, 0.1],
    [true, 0],
  ])("in a sandbox: %s, but for a share of %s", async (confined, most) => {
    const lines = [...(harmless?.lines ?? []), ...(confined ? (work?.lines ?? []) : [])];
    const asked: string[] = [];
    for (const line of lines)
      if ((await judge(line, ground, "default", { confined })).effect !== "allow") asked.push(line);
    expect(lines.length).toBeGreaterThan(300);
    if (process.env.EKIDEN_SHOW) console.log(confined, asked.length, lines.length, asked);
    expect(asked.length / lines.length, asked.join("\n")).toBeLessThanOrEqual(most);
  });
});

it("only the exact text of a line that destroys a machine allows it", async () => {
  const [catastrophes] = hostile.filter(({ name }) => name === "catastrophes");
  const refused: string[] = [];
  for (const line of catastrophes?.lines ?? []) {
    const rule: Rule = { effect: "allow", tool: "bash", match: line.trim() };
    if ((await judge(line, ground, "default", { rules: [rule] })).effect !== "allow") refused.push(line);
  }
  expect(refused).toEqual([]);
});

it("what only reads is told apart in every mode, and may run beside other reading", async () => {
  const plan: string[] = [];
  for (const line of harmless?.lines ?? []) {
    const { effect } = await judge(line, ground, "default");
    if (effect === "allow" && (await judge(line, ground, "plan")).effect !== "allow") plan.push(line);
  }
  expect(plan).toEqual([]);
  expect(["ls", "cat a | head", "git log"].map(changesNothing)).toEqual([true, true, true]);
  expect(["rm a", "cd a", "ls > a", "ls $(a)", "npm test"].map(changesNothing)).toEqual(Array(5).fill(false));
});
