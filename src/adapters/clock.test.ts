import { expect, it } from "vitest";
import { ManualClock, systemClock } from "./clock.ts";

it("a manual clock wakes sleepers in order, at their own times, also those who sleep again on the way", async () => {
  const clock = new ManualClock(1_000);
  const woken: string[] = [];
  const sleep = async (who: string, ms: number): Promise<void> => {
    await clock.sleep(ms);
    woken.push(`${who} ${clock.now()}`);
  };
  const all = [sleep("late", 30), sleep("early", 10).then(() => sleep("again", 10)), sleep("later", 31)];
  expect(clock.sleeping).toBe(3);
  await clock.advance(30);
  expect(woken).toEqual(["early 1010", "again 1020", "late 1030"]);
  expect([clock.now(), clock.sleeping]).toEqual([1030, 1]);
  await clock.advance(1);
  await Promise.all(all);
});

it.each([
  ["manual", new ManualClock()],
  ["system", systemClock],
])("a sleep on the %s clock ends at once on abort, without an error", async (_, clock) => {
  const stop = new AbortController();
  const sleeping = clock.sleep(2 ** 40, stop.signal);
  stop.abort();
  await sleeping;
  await clock.sleep(2 ** 40, AbortSignal.abort());
});

it("the system clock sleeps as long as it was told", async () => {
  const since = systemClock.now();
  await systemClock.sleep(20);
  expect(systemClock.now() - since).toBeGreaterThanOrEqual(19);
});
