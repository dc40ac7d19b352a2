/** These tests check what a person hears of work that nobody is able to do, and when it ends a run. */
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { journalOf } from "../../test/fixtures/journal.ts";
import { soon } from "../../test/fixtures/soon.ts";
import { claimed, held, host, stage } from "../../test/fixtures/stage.ts";
import type { IdleReason } from "../core/board/lifecycle.ts";
import type { Seat } from "../core/board/member.ts";
import { PERSON } from "../core/ids.ts";
import { DEFAULT_SETTINGS } from "../core/settings/settings.ts";
import type { Store } from "../ports/index.ts";
import { watchAble } from "./watch-able.ts";

const here = stage("sqlite");
const PATIENCE = 20_000;
let store: Store;
let ann: Seat;
let bob: Seat;
beforeEach(async () => {
  const crew = await here.crew(["ann", "bob"]);
  store = crew.store;
  [ann, bob] = crew.seats as [Seat, Seat];
  await store.board.add({ subject: "Task", assignee: ann.name }, PERSON);
});

/** Looks so often, each time after two seconds. */
function watching(process = "here") {
  const { clock } = here;
  const over = new AbortController();
  const ends: string[] = [];
  const settings = { ...DEFAULT_SETTINGS, providerTimeoutMs: PATIENCE };
  const onOut = async (error: Error): Promise<void> => void ends.push(error.message);
  const done = watchAble(
    { store, clock, settings },
    host(process),
    over.signal,
    onOut,
    (error) => void ends.push(error.message),
  );
  onTestFinished(async () => {
    over.abort();
    await done;
  });
  const looks = async (times: number): Promise<void> => {
    for (let nth = 0; nth < times; nth += 1) {
      await soon(() => expect(clock.sleeping).toBe(1));
      await clock.advance(2_000);
    }
    await soon(() => expect(clock.sleeping).toBe(1));
  };
  return { looks, ends };
}
const told = async (): Promise<string[]> =>
  (await journalOf(store).events("work.stalled", "work.recovered")).map(({ type }) => type);
const rests = (reason: IdleReason): Promise<void> =>
  store.roster.setActivity(ann, { phase: "idle", reason, note: "No lunch." });

it("tells it once and its end once, each time again", async () => {
  const { looks } = watching();
  await looks(2);
  expect(await told()).toEqual([]);
  const expected: string[] = [];
  for (let nth = 0; nth < 2; nth += 1) {
    await rests("cannot_work");
    await looks(3);
    expect(await told()).toEqual([...expected, "work.stalled"]);
    await store.roster.setActivity(ann, { phase: "work" });
    await looks(3);
    expected.push("work.stalled", "work.recovered");
    expect(await told()).toEqual(expected);
  }
});

it("ends a run when it lasts, but not while the end of a limit is known", async () => {
  const { looks, ends } = watching();
  await rests("cannot_work");
  await looks(PATIENCE / 2_000);
  expect(ends).toEqual([]);
  await looks(1);
  expect(ends).toEqual([
    expect.stringMatching(/providerTimeoutMs.*nobody can work on #1 now: ann cannot work/),
  ]);
  await rests("at_limit");
  await looks(3);
  expect(ends).toHaveLength(1);
});

it("continues while somebody works on another task", async () => {
  const { looks, ends } = watching();
  await store.board.add({ subject: "Other" }, PERSON);
  const other = await claimed(store, bob);
  await rests("cannot_work");
  await looks(2 + PATIENCE / 2_000);
  expect([await told(), ends]).toEqual([["work.stalled"], []]);
  await store.board.complete(held(bob, other), "done");
  await looks(1);
  expect(ends).toHaveLength(1);
});

it("is told by the process of the lead alone", async () => {
  const { looks } = watching("elsewhere");
  await rests("cannot_work");
  await looks(3);
  expect(await told()).toEqual([]);
});
