import { expect, it } from "vitest";
import { NOTHING_SPENT } from "./board/member.ts";
import { Budget } from "./budget.ts";
import { LEAD, name } from "./ids.ts";

const alice = name("alice");
const bob = name("bob");

it("warns once at 80 % and is over at the limit, at every further turn", () => {
  const budget = new Budget({ budgetTokens: 1_000 });
  expect(budget.spend(alice, 799, 0)).toEqual([]);
  expect(budget.spend(bob, 1, 0)).toEqual([
    { kind: "warning", who: null, text: "The team's budget of 1000 tokens is used up to 80 %." },
  ]);
  expect(budget.spend(alice, 150, 0)).toEqual([]);
  const over = [
    {
      ...{ kind: "over", who: null, what: "budget", goOn: "--budget-tokens 2000" },
      text: "The team's budget of 1000 tokens is used up.",
    },
  ];
  expect(budget.spend(alice, 50, 0)).toEqual(over);
  expect(budget.spend(bob, 0, 0)).toEqual(over);
});

it("counts money, and turns by another name", () => {
  const budget = new Budget({ budgetUsd: 0.5, maxTurns: 2 });
  expect(budget.spend(alice, 9e9, 0.3)).toEqual([]);
  expect(budget.spend(alice, 0, 0.2)).toMatchObject([
    { kind: "over", what: "budget" },
    { kind: "over", what: "turns" },
  ]);
});

it("holds each teammate to its own limit, and the lead to none but the team's", () => {
  const budget = new Budget({ teammateBudgetTokens: 100 });
  expect(budget.spend(alice, 85, 0)).toMatchObject([{ kind: "warning", who: alice }]);
  expect(budget.spend(bob, 15, 0)).toEqual([]);
  expect(budget.spend(LEAD, 500, 0)).toEqual([]);
  expect(budget.spend(alice, 15, 0)).toMatchObject([{ kind: "over", who: alice, what: "budget" }]);
});

it("holds each teammate to its own limit in money", () => {
  const budget = new Budget({ teammateBudgetUsd: 1 });
  expect(budget.spend(alice, 9e9, 0.85)).toMatchObject([{ kind: "warning", who: alice }]);
  expect(budget.spend(bob, 0, 0.5)).toEqual([]);
  expect(budget.spend(LEAD, 0, 5)).toEqual([]);
  expect(budget.spend(alice, 0, 0.15)).toMatchObject([
    { kind: "over", who: alice, what: "budget", text: expect.stringContaining("$1 is used up") },
  ]);
});

it("continues counting where the last run of the team ended", () => {
  const before = [
    { ...NOTHING_SPENT, name: alice, inputTokens: 700, outputTokens: 300 },
    { ...NOTHING_SPENT, name: LEAD, inputTokens: 200 },
  ];
  expect(new Budget({ budgetTokens: 1_000 }, before).check()).toMatchObject([{ kind: "over", who: null }]);
  expect(new Budget({ budgetTokens: 1_400 }, before).check()).toMatchObject([{ kind: "warning" }]);
  expect(new Budget({ budgetTokens: 5_000 }, before).check()).toEqual([]);
});

it("counts nothing against the lead and a new member where a teammate may use one token", () => {
  const budget = new Budget({ teammateBudgetTokens: 1 });
  expect([budget.spend(LEAD, 5, 0), budget.spend(bob, 0, 0)]).toEqual([[], []]);
  expect(budget.spend(bob, 1, 0)).toMatchObject([{ kind: "over", who: bob }]);
});
