/** A host that loses its lease, or finds that others have: who judges whom, and what ends before a takeover. */
import { afterEach, expect, it } from "vitest";
import { ManualClock } from "../../../src/adapters/clock.ts";
import { type HostId, name, PERSON } from "../../../src/core/ids.ts";
import { type HostedOptions, type HostedTeam, hostedTeam } from "../../fixtures/hosted-team.ts";
import { soon } from "../../fixtures/soon.ts";
import { host, profile } from "../../fixtures/stage.ts";

const alice = name("alice");
let team: HostedTeam;
afterEach(() => team.close());
const open = async (options: HostedOptions): Promise<HostedTeam> => {
  team = await hostedTeam(options);
  return team;
};
const other = host("other");

it("ends the commands of a lost host before it takes its members over", async () => {
  const seen: unknown[] = [];
  const { store, team: here } = await open({
    host: "here",
    isAlive: ({ pid }) => pid !== 7,
    onOrphans: async (lost) => {
      const member = await store.roster.member(alice);
      seen.push([lost.map(({ pid }) => pid), member?.host]);
    },
  });
  await store.roster.open(other, "test", 7);
  await store.roster.join(profile("alice"), other, PERSON);
  expect(await here.adoptAll()).toEqual([alice]);
  expect(seen[0]).toEqual([[7], other]);
});

it("takes over the teammates together with the lead", async () => {
  let isThere = true;
  const { store, team: here } = await open({ host: "here", isAlive: ({ pid }) => pid !== 7 || isThere });
  await store.roster.open(other, "test", 7);
  await store.roster.join({ ...profile("lead"), kind: "lead" }, other, PERSON);
  await store.roster.join(profile("alice"), other, PERSON);
  await here.reviveLead();
  expect(here.names).toEqual([]);
  isThere = false;
  await here.reviveLead();
  expect(here.names.sort()).toEqual([alice, "lead"]);
});

it("begins nobody once it ends: its shell is closed", async () => {
  const { store, team: here } = await open({ host: "here" });
  await store.roster.open(other, "test", 7);
  await store.roster.join(profile("alice"), other, PERSON);
  await store.roster.suspend(other);
  const [adopted] = await Promise.all([here.adoptAll(), here.suspend()]);
  await here.join(profile("bob"), PERSON);
  expect([adopted, here.names]).toEqual([[], []]);
  expect((await store.roster.members()).map((one) => [one.name, one.host])).toEqual([[alice, null]]);
});

it("takes back members that nobody hosts, also when it was late", async () => {
  const clock = new ManualClock();
  const { store, team: here } = await open({ clock, host: "here" });
  await store.roster.open(other, "test", 7);
  await store.roster.join(profile("alice"), other, PERSON);
  await store.roster.suspend(other);
  clock.stall(20_000);
  expect(await here.adoptAll()).toEqual([alice]);
});

it("that was late itself gives the other hosts time to renew their leases", async () => {
  const clock = new ManualClock();
  const { store } = await open({ clock, host: "here" });
  await store.roster.open(other, "test", 1);
  const look = () => clock.advance(500);
  const leaseOf = async (id: HostId) =>
    (await store.roster.hosts()).find((one) => one.id === id)?.leaseUntil ?? 0;
  clock.stall(20_000);
  await look();
  await soon(async () => expect(await leaseOf(host("here"))).toBeGreaterThan(clock.now()));
  expect(await store.roster.beat(other)).toBe(true);
  // Now it is the only one that does not renew it.
  for (let i = 0; i < 30; i += 1) await look();
  await soon(async () => {
    await look();
    expect(await leaseOf(other)).toBe(0);
  });
});

it("that was late itself takes over the members of hosts that stay lost, a moment after its own", async () => {
  const clock = new ManualClock();
  const { store, join } = await open({ clock, host: "here", says: { bob: [] } });
  await join("bob");
  await store.roster.open(other, "test", 1);
  await store.roster.join(profile("alice"), other, PERSON);
  clock.stall(20_000);
  await store.roster.fence(() => null);
  await soon(async () => {
    await clock.advance(500);
    expect(await store.roster.members()).toMatchObject([
      { name: "alice", host: host("here") },
      { name: "bob", host: host("here") },
    ]);
  });
});
