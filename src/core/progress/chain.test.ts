/** These tests check when a chain of work is looked at, warned and over, and which tasks belong to it. */
import { describe, expect, it } from "vitest";
import type { Task } from "../board/task.ts";
import { asTaskId, LEAD, type Name, name, PERSON } from "../ids.ts";
import { Chain, type Due, plannedFor } from "./chain.ts";
import type { Step } from "./steps.ts";

const LIMITS = { usd: 10, calls: 1_000 };
const alice = name("alice");
const run = (command: string, text: string): Step => ({
  ...{ tool: "bash", input: { command }, text, isError: false },
  traits: { watches: false },
});
/** The calls after which something was due, until it is over or `most` calls were made. */
function dues(chain: Chain, usd: number, most = 700): [number, Due][] {
  const found: [number, Due][] = [];
  while (chain.calls < most && found.at(-1)?.[1] !== "over") {
    chain.take(alice, usd, [], "");
    const due = chain.due(LIMITS);
    if (due !== "fine") found.push([chain.calls, due]);
  }
  return found;
}

it("is looked at after 60 calls, then after 120 and every 240 more", () =>
  expect(dues(new Chain(null), 0)).toEqual([60, 180, 420, 660].map((calls) => [calls, "look"])));

it("is looked at after each 40 % of its money, too, warned once at 80 %, and over at each further call", () => {
  const chain = new Chain(null, 9_999);
  expect(dues(chain, 1)).toEqual([
    [4, "look"],
    [8, "look"],
    [9, "warn"],
    [10, "over"],
  ]);
  chain.take(alice, 0, [], "");
  expect(chain.due(LIMITS)).toBe("over");
  expect(dues(new Chain(null, 9_999), 0, 2_000)).toEqual([
    [800, "warn"],
    [1_000, "over"],
  ]);
});

it("is looked at again as in its first attempt, when its tasks are tried again", () => {
  const chain = new Chain(asTaskId(1));
  expect(dues(chain, 0, 200)).toHaveLength(2);
  chain.isOver = true;
  chain.isOver = false;
  expect(dues(chain, 0, 300)).toEqual([[260, "look"]]);
});

it("keeps its last steps, and the results of checks over time", () => {
  const chain = new Chain(null);
  for (let n = 1; n <= 50; n += 1) {
    chain.take(alice, 0, [run(n % 10 ? `sed -i s/a/${n}/ x` : "npm test", `many\nlines\n${n} failed\n`)], "");
  }
  expect(chain.steps).toHaveLength(30);
  expect(chain.steps.at(-1)).toBe("50 alice: bash npm test → 50 failed");
  expect(chain.checks.map((line) => line.slice(0, 8))).toEqual([
    "call 10:",
    "call 20:",
    "call 30:",
    "call 40:",
    "call 50:",
  ]);
});

describe("a task", () => {
  const task = (id: number, createdBy: Name, at: number, ended: number | null, parent?: number): Task =>
    ({
      ...{ id: asTaskId(id), createdBy, createdAt: at, subject: `t${id}` },
      ...(ended === null ? { status: "pending" } : { status: "completed", owner: alice, endedAt: ended }),
      ...{ startedAt: at, ...(parent && { parent: asTaskId(parent) }) },
    }) as unknown as Task;
  const planned = (tasks: readonly Task[], rests: readonly number[] = []) =>
    tasks.map((one) => plannedFor(one, tasks, rests, 0));

  it("of the person, and each of a plan of the lead, has a chain of its own; what members add shares it", () => {
    expect(planned([task(1, PERSON, 1, 5), task(2, PERSON, 9, null), task(3, alice, 10, null, 2)])).toEqual([
      1, 2, 2,
    ]);
    expect(planned([task(1, LEAD, 1, 2), task(2, LEAD, 3, 4), task(3, LEAD, 5, null)])).toEqual([1, 2, 3]);
  });

  it("that the lead adds after its plan was done belongs to the goal, and so does all that it adds with it", () => {
    const board = [task(1, LEAD, 1, 4), task(2, LEAD, 2, 5), task(3, LEAD, 8, null), task(4, LEAD, 9, null)];
    expect(planned(board, [3, 7])).toEqual([1, 2, null, null]);
    expect(planned([task(1, PERSON, 1, 4), task(2, LEAD, 8, null)], [7])).toEqual([1, null]);
  });

  it("that the lead adds while its plan is not done is planned", () =>
    expect(planned([task(1, LEAD, 1, null), task(2, LEAD, 8, null)], [3])).toEqual([1, 2]));
});
