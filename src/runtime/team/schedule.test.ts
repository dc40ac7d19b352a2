/** These tests check when cron jobs are looked for, who hears of those that fired, and what a store that is away costs. */
import { setImmediate } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { journalOf } from "../../../test/fixtures/journal.ts";
import { stage } from "../../../test/fixtures/stage.ts";
import { LEAD, PERSON } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import { keepSchedule } from "./schedule.ts";

const here = stage("sqlite");
const MINUTE = 60_000;
const ending = new AbortController();
afterEach(() => ending.abort());

it("looks at once and at each full minute, tells only of what fired, and warns once of each outage", async () => {
  const { store } = await here.crew([]);
  const every = { expression: "* * * * *", zone: "UTC", text: "Look", once: false, session: null };
  const add = (): Promise<unknown> =>
    store.crons.add({ ...every, target: { kind: "mail", to: LEAD } }, PERSON);
  const looks: number[] = [];
  const fired: number[] = [];
  here.clock.stall(20_000);
  const began = here.clock.now();
  await add();
  /** The store is away for these looks. */
  const away = [0, 2, 3, 5];
  const fire: Store["crons"]["fire"] = async () => {
    looks.push(here.clock.now() - began);
    if (away.includes(looks.length - 1)) throw new Error("no connection");
    return await store.crons.fire();
  };
  const over: Store = { ...store, crons: { ...store.crons, fire } };
  const onFiring = (firings: readonly unknown[]): number => fired.push(firings.length);
  const kept = keepSchedule({ store: over, clock: here.clock, onFiring }, ending.signal);
  for (let minutes = 0; minutes < 5; minutes += 1) {
    await here.clock.advance(MINUTE);
    if (minutes === 1) await add();
    for (let turns = 0; turns < 5; turns += 1) await setImmediate();
  }
  ending.abort();
  await kept;
  expect(looks).toEqual([0, 40_000, 100_000, 160_000, 220_000, 280_000]);
  expect(fired).toEqual([1, 2]);
  const warnings = await journalOf(store).events("warning.raised");
  const text = "Cron jobs cannot be fired: no connection";
  expect(warnings).toMatchObject([
    { who: null, text },
    { who: null, text },
    { who: null, text },
  ]);
});

it("does not look once it is over", async () => {
  const over = new AbortController();
  over.abort();
  await keepSchedule({ store: {} as Store, clock: here.clock }, over.signal);
});
