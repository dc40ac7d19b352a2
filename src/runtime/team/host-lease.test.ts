/** The lease of a process: when it counts as fresh, when it stops its members and its commands, and who may judge others. */
import { setImmediate as breathe } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { host, stage } from "../../../test/fixtures/stage.ts";
import type { ManualClock } from "../../adapters/clock.ts";
import type { Store } from "../../ports/index.ts";
import { HostLease } from "./host-lease.ts";

/** Its third is a whole number of milliseconds. */
const LEASE = 12_000;
const at = stage("sqlite");
let store: Store;
let clock: ManualClock;
let lease: HostLease;
let ending: AbortController;
/** The acts of the lease, in order: milliseconds of `extend`, or names. */
let done: (string | number)[];

beforeEach(async () => {
  clock = at.clock;
  store = await at.open({ leaseMs: LEASE });
  ending = new AbortController();
  done = [];
  const does = (what: string) => async (): Promise<void> => void done.push(what);
  lease = new HostLease({
    ...{ store, clock, host: host("here"), leaseMs: LEASE },
    process: { machine: "this machine", pid: process.pid, identity: "" },
    shell: { extend: (ms) => void done.push(ms) },
    letGo: does("let go"),
    rejoin: does("rejoin"),
  });
  await lease.open();
});
afterEach(() => ending.abort());

it("lets commands run for nine tenths of the lease, from its opening and from each renewal on", async () => {
  expect(done).toEqual([10_800]);
  clock.stall(1_000);
  expect(await lease.renew()).toBe(true);
  expect(done).toEqual([10_800, 10_800]);
});

it("is fresh for half of the lease", async () => {
  clock.stall(6_000);
  expect(lease.isFresh).toBe(true);
  clock.stall(1);
  expect(lease.isFresh).toBe(false);
  await lease.renew();
  expect(lease.isFresh).toBe(true);
});

it("may judge others, but not for a third of a lease after it was late itself", async () => {
  expect(lease.mayJudge).toBe(true);
  clock.stall(6_001);
  expect(lease.mayJudge).toBe(false);
  await lease.renew();
  expect(lease.mayJudge).toBe(false);
  clock.stall(3_999);
  expect(lease.mayJudge).toBe(false);
  clock.stall(1);
  expect(lease.mayJudge).toBe(true);
});

it("is renewed three times within its length, for as long as it is kept", async () => {
  const kept = lease.keep(ending.signal);
  for (let passed = 0; passed < 4 * LEASE; passed += 100) {
    await clock.advance(100);
    await breathe();
  }
  expect(await store.roster.beat(host("here"))).toBe(true);
  expect(done).toEqual(Array.from({ length: 13 }, () => 10_800));
  expect(done).not.toContain("let go");
  ending.abort();
  await kept;
});

it("takes its members back once it has a lease again, after they were let go", async () => {
  clock.stall(LEASE);
  await store.roster.fence(() => null);
  expect(await lease.renew()).toBe(true);
  expect(done).toEqual([10_800, "let go", 10_800, "rejoin"]);
  expect(await store.roster.beat(host("here"))).toBe(true);
});

it("lets the members go in time where it cannot be renewed", async () => {
  await store.close();
  const kept = lease.keep(ending.signal);
  await clock.advance(8_399);
  expect(done).toEqual([10_800]);
  await clock.advance(1);
  expect(done).toEqual([10_800, "let go"]);
  ending.abort();
  await kept;
});
