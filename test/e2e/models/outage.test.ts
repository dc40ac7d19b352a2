import { expect, it } from "vitest";
import { outage } from "../../fixtures/outage.ts";

it("survives a provider that is gone for four seconds: every task done, every claim kept, few requests wasted", async () => {
  const { tasks, during, meanwhile, claims, released } = await outage(4_000, 20, 30);
  expect(tasks.map(({ status, attempt }) => [status, attempt])).toEqual(Array(20).fill(["completed", 1]));
  expect(released).toBe(0);
  expect(claims.length).toBeGreaterThan(0);
  for (const { task, owner } of claims) expect(tasks.find(({ id }) => id === task)).toMatchObject({ owner });
  const waiting = { phase: "idle", reason: "rate_limited" };
  expect(meanwhile.map(({ activity }) => activity)).toEqual(Array(10).fill(waiting));
  // Up to ten were on their way when it began; then one at a time tries, ever more seldom.
  expect(during).toBeLessThanOrEqual(20);
});
