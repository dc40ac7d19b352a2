/** These tests check what workers need of a store, on every database: places for members of others, and one version for all hosts. */
import { beforeEach, describe, expect, it } from "vitest";
import type { LandingSettings } from "../../src/core/board/landing-settings.ts";
import type { Store } from "../../src/ports/store.ts";
import { BACKENDS, claimed, host, name, profile, stage } from "../fixtures/stage.ts";

const LEASE = 10_000;
const LEAD = name("lead");

describe.each(BACKENDS)("workers on %s", (backend) => {
  const at = stage(backend);
  let store: Store;
  beforeEach(async () => {
    store = (await at.crew(["alice"], { leaseMs: LEASE })).store;
  });

  const worker = async (id: string, places: number, adopts = true): Promise<void> => {
    await store.roster.open(host(id), "elsewhere", 1);
    await store.roster.offer(host(id), { places, adopts });
  };
  const place = (who: string) => store.roster.place(profile(who, { role: "dev" }), LEAD);

  it("places a member on the worker with the most room, up to its places", async () => {
    expect(await place("bob")).toBeNull();
    expect(await store.roster.member(name("bob"))).toBeNull();
    await worker("small", 1);
    await worker("large", 2);
    expect(
      [await place("bob"), await place("carol"), await place("dave"), await place("erin")].sort(),
    ).toEqual(["large", "large", "small", null].sort());
    expect(await store.roster.hosts()).toMatchObject([
      { id: "here", capacity: 0, members: 2, working: 2 },
      { id: "large", capacity: 2, members: 2, working: 2 },
      { id: "small", capacity: 1, members: 1, working: 1 },
    ]);
  });

  it("gives the last place to one of many at once", async () => {
    await worker("w", 2);
    const stores = await Promise.all(Array.from({ length: 6 }, () => at.open({ leaseMs: LEASE })));
    const placed = await Promise.all(
      stores.map(({ roster }, i) => roster.place(profile(`m-${i}`, { role: "dev" }), LEAD)),
    );
    expect(placed.filter((one) => one !== null)).toHaveLength(2);
  });

  it("places nobody on a worker whose lease is over, that leaves, or that is for its own members", async () => {
    await worker("own", 3, false);
    await worker("leaves", 3);
    await store.roster.offer(host("leaves"), { places: 0, adopts: false });
    await worker("late", 3);
    await at.clock.advance(LEASE + 1);
    await store.roster.beat(host("own"));
    await store.roster.beat(host("leaves"));
    expect(await place("bob")).toBeNull();
  });

  it("counts the place of an idle member without a role as free, and that of a member with a task as taken", async () => {
    await worker("w", 1);
    const seat = await store.roster.join(profile("worker-1"), host("w"), LEAD);
    await store.roster.setActivity(seat, { phase: "idle", reason: "awaiting_tasks" });
    await store.board.add({ subject: "a" }, LEAD);
    const task = await claimed(store, seat);
    expect(await place("bob")).toBeNull();
    await store.board.complete({ seat, task: task.id, attempt: task.attempt }, "done");
    expect(await place("bob")).toBe("w");
    expect(await place("bob")).toBeNull();
  });

  it("refuses a host of another version while one lives", async () => {
    const [old, young, any] = await Promise.all(
      ["1.0.0", "1.1.0", ""].map((version) => at.open({ leaseMs: LEASE, version })),
    );
    await old?.roster.open(host("old"), "box", 7);
    await expect(young?.roster.open(host("young"), "other", 8)).rejects.toMatchObject({
      code: "host_version",
      message: expect.stringMatching(/Ekiden 1\.0\.0 on box \(pid 7\).*this is Ekiden 1\.1\.0.*10 s/),
    });
    await any?.roster.open(host("any"), "other", 9);
    expect((await store.roster.hosts()).map(({ id }) => id)).toEqual(["any", "here", "old"]);
    await at.clock.advance(LEASE + 1);
    await young?.roster.open(host("young"), "other", 8);
    expect((await store.roster.hosts()).find(({ id }) => id === "young")).toMatchObject({ version: "1.1.0" });
  });

  it("refuses a host that lands in another way while one lives, and names both values", async () => {
    const plain = { remote: null, targetBranch: null, gate: null };
    const ours = { remote: "origin", targetBranch: "main", gate: "npm test" };
    const opened = async (lands: Partial<LandingSettings>, by: string) =>
      (await at.open({ leaseMs: LEASE, lands: { ...ours, ...lands } })).roster.open(host(by), "box", 7);
    await opened({}, "first");
    await opened({}, "alike");
    for (const [lands, words] of [
      [{ remote: null }, 'remote is "origin" there and not set here'],
      [{ targetBranch: "dev" }, 'targetBranch is "main" there and "dev" here'],
      [{ gate: null }, 'gate is "npm test" there and not set here'],
      [plain, 'remote is "origin" there and not set here'],
    ] as const)
      await expect(opened(lands, "other")).rejects.toMatchObject({
        code: "host_settings",
        message: expect.stringMatching(new RegExp(`on box \\(pid 7\\).*: ${words}.*10 s`)),
      });
    await at.clock.advance(LEASE + 1);
    await opened({ ...plain, targetBranch: "main" }, "worktrees");
    // Without a remote, a host without worktrees lands nothing.
    await opened(plain, "none");
    await expect(opened({ remote: null }, "other")).rejects.toMatchObject({ code: "host_settings" });
  });
});
