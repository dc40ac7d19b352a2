/** These tests check how often a host looks for others that have died. */
import { expect, it } from "vitest";
import { soon } from "../../../test/fixtures/soon.ts";
import { host, stage } from "../../../test/fixtures/stage.ts";
import { ManualClock } from "../../adapters/clock.ts";
import { Reaper } from "./reaper.ts";

const at = stage("sqlite");

it("looks seldom while it is alone, and at each moment while another host lives", async () => {
  const store = await at.open();
  const [here, other] = [host("here"), host("other")];
  await store.roster.open(here, "test", 1);
  let looks = 0;
  const asked: number[] = [];
  let isThere = true;
  const clock = new ManualClock();
  const reaper = new Reaper({
    parts: {
      ...{ store, clock, host: here },
      isAlive: ({ pid }) => {
        asked.push(pid);
        return isThere;
      },
    },
    lease: { isFresh: true, mayJudge: true, renew: async () => true },
    mayRemove: async () => {
      looks += 1;
      return true;
    },
  });
  const over = new AbortController();
  const kept = reaper.keep(500, over.signal);
  /** Each look has ended before the next moment. */
  const pass = async (moments: number): Promise<void> => {
    for (let i = 0; i < moments; i += 1) {
      await soon(() => expect(clock.sleeping).toBe(1));
      await clock.advance(500);
    }
    await soon(() => expect(clock.sleeping).toBe(1));
  };
  await pass(12); // looks at 0.5 s and 3.5 s
  expect({ looks, asked }).toEqual({ looks: 2, asked: [] });
  await store.roster.open(other, "test", 7);
  await pass(12); // from 6.5 s on at each moment
  expect({ looks, asked: new Set(asked) }).toEqual({ looks: 14, asked: new Set([7]) });
  isThere = false;
  await pass(1);
  over.abort();
  await kept;
  expect((await store.roster.hosts()).map(({ id }) => id)).toEqual([here]);
});

it("looks again soon after a look that it could not finish", async () => {
  const store = await at.open();
  const here = host("here");
  await store.roster.open(here, "test", 1);
  const clock = new ManualClock();
  const lease = { isFresh: true, mayJudge: true, renew: async () => true };
  let looks = 0;
  const reaper = new Reaper({
    parts: { store, clock, host: here, isAlive: () => true },
    lease,
    mayRemove: async () => {
      looks += 1;
      return true;
    },
  });
  const over = new AbortController();
  const kept = reaper.keep(500, over.signal);
  const moment = async (): Promise<void> => {
    await soon(() => expect(clock.sleeping).toBe(1));
    await clock.advance(500);
    await soon(() => expect(clock.sleeping).toBe(1));
  };
  await moment(); // alone from now on
  lease.mayJudge = false;
  for (let nth = 0; nth < 6; nth += 1) await moment(); // the look at 3.5 s judges nobody
  lease.mayJudge = true;
  await moment();
  expect(looks).toBe(2);
  over.abort();
  await clock.advance(3_500);
  await kept;
});
