import { expect, it } from "vitest";
import { stepsOf, type Turn } from "./turns.ts";

const turn = (from: number, to: number): Turn => ({ who: "alice", from, to });

it("puts the time of tools between turns, without the time in which the member rests", () => {
  const turns = [turn(0, 10), turn(20, 30), turn(100, 110), turn(150, 160)];
  const rests = [
    { from: 35, to: 60 },
    { from: 111, to: 140 },
    { from: 165, to: null },
  ];
  expect(stepsOf(turns, rests).map(({ kind, from, to }) => [kind, from, to])).toEqual([
    ["model", 0, 10],
    ["tool", 10, 20],
    ["model", 20, 30],
    ["tool", 30, 35],
    ["tool", 60, 100],
    ["model", 100, 110],
    ["tool", 110, 111],
    ["tool", 140, 150],
    ["model", 150, 160],
    ["tool", 160, 165],
  ]);
  expect(stepsOf([turn(0, 10)], []).at(-1)).toEqual({ kind: "tool", from: 10, to: null });
});
