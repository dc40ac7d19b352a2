/** How often a host looks for others that have died. */
import { expect, it } from "vitest";
import { host, stage } from "../../../test/fixtures/stage.ts";
import { Reaper } from "./reaper.ts";

const at = stage("sqlite");

it("looks seldom while it is alone, and at each moment while another host lives", async () => {
  const store = await at.open();
  const [here, other] = [host("here"), host("other")];
  await store.roster.open(here, "test", 1);
  let looks = 0;
  const asked: number[] = [];
  let isThere = true;
  const reaper = new Reaper({
    parts: {
      ...{ store, host: here },
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
  for (let i = 0; i < 12; i += 1) await reaper.look();
  expect({ looks, asked }).toEqual({ looks: 2, asked: [] });
  await store.roster.open(other, "test", 7);
  for (let i = 0; i < 12; i += 1) await reaper.look();
  expect({ looks, asked: new Set(asked) }).toEqual({ looks: 14, asked: new Set([7]) });
  isThere = false;
  await reaper.look();
  expect((await store.roster.hosts()).map(({ id }) => id)).toEqual([here]);
});
