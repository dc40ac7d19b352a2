import { expect, it } from "vitest";
import { outage } from "../fixtures/outage.ts";

it("survives a provider that is gone for twenty seconds", async () => {
  const { tasks, during, meanwhile, claims, released } = await outage(20_000, 30, 40);
  expect(tasks.map(({ status, attempt }) => [status, attempt])).toEqual(Array(30).fill(["completed", 1]));
  expect(released).toBe(0);
  for (const { task, owner } of claims) expect(tasks.find(({ id }) => id === task)).toMatchObject({ owner });
  const waiting = { phase: "idle", reason: "rate_limited" };
  expect(meanwhile.map(({ activity }) => activity)).toEqual(Array(10).fill(waiting));
  expect(during).toBeLessThanOrEqual(30);
});
