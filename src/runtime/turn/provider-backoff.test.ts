/** These tests check how a member waits for a provider that does not answer: how long, what is shown, and what it checks before it asks again. */
import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import { journalOf } from "../../../test/fixtures/journal.ts";
import { type AgentOptions, agentOf, failing, modelOf, TEAM } from "../../../test/fixtures/member.ts";
import { host, name, stage } from "../../../test/fixtures/stage.ts";
import type { Seat } from "../../core/board/member.ts";
import { LEAD } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import { ProviderBackoff } from "./provider-backoff.ts";

const here = stage("sqlite");
const alice = name("alice");
const main = modelOf(() => ({}), { spec: "main/model" });
const other = modelOf(() => ({}), { spec: "other/model" });

let store: Store;
let seat: Seat;
/** The calls that the time-out of the provider got. */
let told: string[];
beforeEach(async () => {
  const crew = await here.crew(["alice"]);
  store = crew.store;
  seat = crew.seats[0] as Seat;
  told = [];
});

function place(options: AgentOptions = {}): ProviderBackoff {
  const providerTimeout = { down: (why: string) => void told.push(why), up: () => void told.push("up") };
  return new ProviderBackoff(agentOf(store, seat, here.clock, main, { providerTimeout, ...options }));
}
/** The model says that it waits. */
const retry = (backoff: ProviderBackoff, waitMs = 2_000): void =>
  backoff.waiting(main).onRetry?.({ attempt: 2, waitMs, why: "busy" });
const shown = async (): Promise<string> => {
  for (let turns = 0; turns < 5; turns += 1) await setImmediate();
  const activity = (await store.roster.member(alice))?.activity;
  return activity?.phase === "idle" ? activity.reason : (activity?.phase ?? "nobody");
};
const retries = async () =>
  (await journalOf(store).events("model.retried")).map((event) =>
    event.type === "model.retried" ? [event.who, event.attempt, event.waitMs, event.why] : [],
  );
/** Another process takes the member over. */
async function loseSeat(): Promise<void> {
  await store.roster.leave(seat, "asked", "");
  await store.roster.open(host("there"), "that machine", 1);
  await store.roster.join(
    { name: alice, kind: "teammate", role: "", model: "", prompt: "", needsPlan: false },
    host("there"),
    LEAD,
  );
}

it("pauses twice as long each time, a minute at most, and starts over after a reply", async () => {
  const backoff = place();
  expect(backoff.left).toBeLessThanOrEqual(0);
  const pauses = [];
  for (let nth = 0; nth < 6; nth += 1) {
    backoff.begin(failing("model_overloaded"));
    pauses.push(backoff.left);
  }
  expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  here.clock.stall(59_000);
  expect(backoff.left).toBe(1_000);
  await backoff.over();
  backoff.begin(failing("model_overloaded"));
  expect(backoff.left).toBe(5_000);
});

it.each([
  [0, 1_000],
  [999, 1_000],
  [1_001, 1_001],
  [600_000, 600_000],
])("waits as long as the provider asks, and a second at least: %i", (retryAfterMs, pause) => {
  const backoff = place();
  backoff.begin(failing("model_overloaded", { retryAfterMs }));
  expect(backoff.left).toBe(pause);
});

it("is shown as waiting from the pause to the next reply", async () => {
  const backoff = place();
  expect([await shown(), backoff.givenUp]).toEqual(["work", false]);
  backoff.begin(failing("model_overloaded"));
  expect(await shown()).toBe("rate_limited");
  backoff.begin(failing("model_overloaded"));
  await backoff.over();
  expect(await shown()).toBe("work");
  await backoff.over();
  backoff.begin(failing("model_overloaded"));
  expect(await shown()).toBe("rate_limited");
  expect(await retries()).toEqual([
    [alice, 1, 5_000, "the test says model_overloaded"],
    [alice, 2, 10_000, "the test says model_overloaded"],
    [alice, 1, 5_000, "the test says model_overloaded"],
  ]);
  const down = "the test says model_overloaded";
  expect(told).toEqual([down, down, "up", "up", down]);
});

it("begins each pause as one that nobody has ended", () => {
  const backoff = place();
  backoff.givenUp = true;
  backoff.begin(failing("model_overloaded"));
  expect(backoff.givenUp).toBe(false);
});

it("shows a wait inside a call after a second, however often the model tries again", async () => {
  const backoff = place();
  retry(backoff);
  retry(backoff, 1);
  retry(backoff, 0); // in the queue of a closed gate, of unknown length
  expect(here.clock.sleeping).toBe(1);
  await here.clock.advance(999);
  expect(await shown()).toBe("work");
  await here.clock.advance(1);
  expect(await shown()).toBe("rate_limited");
  expect(await retries()).toEqual([
    [alice, 2, 2_000, "busy"],
    [alice, 2, 1, "busy"],
  ]);
  expect(told).toEqual(["busy", "busy", "busy"]);
});

it.each(["leave", "over"] as const)("does not show a short wait whose call has ended: %s", async (end) => {
  const backoff = place();
  retry(backoff);
  await here.clock.advance(500);
  await backoff[end]();
  await here.clock.advance(5_000);
  expect(await shown()).toBe("work");
  retry(backoff); // the next call waits by itself
  await here.clock.advance(1_000);
  expect(await shown()).toBe("rate_limited");
});

it.each([
  { models: "no other one", asked: main, fallback: undefined, hasFallback: undefined },
  { models: "another one to ask", asked: main, fallback: other, hasFallback: true },
  { models: "the other one itself", asked: other, fallback: other, hasFallback: undefined },
])("tells a model that it need not wait for long only where there is another: $models", (given) => {
  const backoff = place({ fallback: given.fallback });
  expect(backoff.waiting(given.asked).hasFallback).toBe(given.hasFallback);
});

it("asks for no reply after a pause, or in a process that was frozen, when the member runs elsewhere", async () => {
  const stale = { code: "stale_seat" };
  const paused = place();
  const frozen = place({ team: { ...TEAM, lease: { isFresh: false } } });
  const fresh = place({ team: { ...TEAM, lease: { isFresh: true } } });
  paused.begin(failing("model_overloaded"));
  await shown();
  await Promise.all([paused, frozen, fresh].map((one) => one.beforeCall()));
  await loseSeat();
  await expect(paused.beforeCall()).rejects.toMatchObject(stale);
  await expect(frozen.beforeCall()).rejects.toMatchObject(stale);
  await expect(Promise.resolve(fresh.waiting(main).afterWait?.())).rejects.toMatchObject(stale);
  await fresh.beforeCall(); // nothing says that the seat may be lost
  await place().beforeCall();
});
