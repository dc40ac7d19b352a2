/** One writer of a member's activity: several waits in one step, and phases that change meanwhile. */
import { expect, it } from "vitest";
import { facts, stage } from "../../../test/fixtures/stage.ts";
import type { Seat } from "../../core/board/member.ts";
import type { Name } from "../../core/ids.ts";
import { ActivityWriter } from "./activity.ts";

const here = stage("sqlite");
const setUp = async () => {
  const { store, seats } = await here.crew(["alice"]);
  const seat = seats[0] as Seat;
  return {
    store,
    seat,
    activity: new ActivityWriter(store, seat),
    shown: async () => (await store.roster.member(seat.name))?.activity,
    changes: async () => (await facts(store, { types: ["teammate.phase"] })).length,
  };
};

it("shows work again only when the last of several waits is over, and writes only changes", async () => {
  const { activity, shown, changes } = await setUp();
  const first = await activity.waitFor("awaiting_permission");
  const second = await activity.waitFor("awaiting_permission");
  await first();
  expect(await shown()).toEqual({ phase: "idle", reason: "awaiting_permission" });
  await second();
  expect(await shown()).toEqual({ phase: "work" });
  await activity.work();
  await second();
  expect(await changes()).toBe(2);
});

it("shows an idle phase whatever the step waited for, and the wait again while it lasts", async () => {
  const { activity, shown } = await setUp();
  const end = await activity.waitFor("rate_limited");
  await activity.idle("no_tool_use", []);
  expect(await shown()).toEqual({ phase: "idle", reason: "no_tool_use" });
  await activity.work();
  expect(await shown()).toEqual({ phase: "idle", reason: "rate_limited" });
  await end();
  expect(await shown()).toEqual({ phase: "work" });
});

it("keeps no wait that could not be shown", async () => {
  const { store, activity, seat, shown } = await setUp();
  await store.roster.leave(seat, "asked", "");
  await expect(activity.waitFor("rate_limited")).rejects.toMatchObject({ code: "stale_seat" });
  await store.roster.join(
    { name: seat.name, kind: "teammate", role: "", model: "", prompt: "", needsPlan: false },
    seat.host,
    "lead" as Name,
  );
  await activity.work();
  expect(await shown()).toEqual({ phase: "work" });
});
