/** These tests check what lines that commands wrote into files are worth to the limit of calls without progress. */
import { expect, it } from "vitest";
import type { Name } from "../ids.ts";
import type { Step } from "./gains.ts";
import { ProgressLimit } from "./progress-limit.ts";

const alice = "alice" as Name;
const traits = { aboutTeam: false, createsTasks: false, completes: false, looks: true, writes: false };
const failed: Step = { tool: "bash", input: {}, text: "", isError: true, traits };
/** The limit is 20. The verdict on a call after `calls` ones and what was then found. */
function after(calls: number, ...found: readonly { changed: number; grown: number }[]) {
  const limit = new ProgressLimit(20);
  for (let n = 0; n < calls; n += 1) limit.take(alice, [failed]);
  return { goesOn: limit.found(found), left: left(limit) };
}
function left(limit: ProgressLimit): number {
  let calls = 1;
  while (limit.take(alice, [failed]) !== "over") calls += 1;
  return calls;
}

it.each([
  ["one line a call", 12, [{ changed: 0, grown: 12 }], { goesOn: false, left: 8 }],
  [
    "one line a call, in two files",
    12,
    [
      { changed: 0, grown: 6 },
      { changed: 0, grown: 6 },
    ],
    { goesOn: false, left: 8 },
  ],
  ["two lines a call", 12, [{ changed: 0, grown: 24 }], { goesOn: true, left: 20 }],
  ["a line in place of another", 12, [{ changed: 6, grown: 0 }], { goesOn: true, left: 20 }],
  [
    "a file of one line for each call",
    12,
    Array.from({ length: 12 }, () => ({ changed: 0.5, grown: 0 })),
    { goesOn: true, left: 20 },
  ],
  ["nothing", 12, [], { goesOn: false, left: 8 }],
])("%s", (_, calls, found, then) => {
  expect(after(calls, ...found)).toEqual(then);
});

it("asks early, once, for what commands wrote", () => {
  const limit = new ProgressLimit(32);
  const verdicts = (calls: number): string =>
    Array.from({ length: calls }, () => limit.take(alice, [failed])).join(" ");
  expect(verdicts(4)).toBe("fine look fine look");
  limit.begin();
  expect(verdicts(8)).not.toContain("look");
  limit.settle();
  expect(verdicts(4)).toBe("fine look fine look");
});

it("goes on counting calls of others that gained nothing, up to a quarter of the limit", () => {
  const bob = "bob" as Name;
  const input = { path: "a.txt", content: "a result" };
  const wrote: Step = { ...failed, input, isError: false, traits: { ...traits, writes: true } };
  const afterIdle = (calls: number): number => {
    const limit = new ProgressLimit(20);
    for (let n = 0; n < calls; n += 1) limit.take(bob, [failed]);
    expect(limit.take(alice, [wrote])).toBe("fine");
    return left(limit);
  };
  expect([0, 3, 15].map(afterIdle)).toEqual([20, 17, 15]);
});
