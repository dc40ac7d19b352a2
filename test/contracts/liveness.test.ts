/**
 * These tests check which hosts count as dead: by the identity of their process where it can be seen, else by their lease and the database's clock.
 */
import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/adapters/clock.ts";
import { livesAs, PLACE } from "../../src/adapters/process-identity.ts";
import { type Instant, instant, later } from "../../src/core/ids.ts";
import type { Clock, HostProcess } from "../../src/ports/index.ts";
import { endAll, start } from "../fixtures/children.ts";
import { soon } from "../fixtures/soon.ts";
import { BACKENDS, host, name, stage } from "../fixtures/stage.ts";

const lead = name("lead");
const isAlive = ({ identity }: HostProcess): boolean | null => livesAs(identity);
const SKEW_MS = 12_000;
const skewed = (ms: number): Clock => ({ ...systemClock, now: () => instant(Date.now() + ms) });

const skewedNow = (sign: 1 | -1): Instant => skewed(sign * SKEW_MS).now();

/** A machine of the same name with process ids of its own, as a container is. */
const CONTAINER = ["unshare", "--pid", "--uts", "--fork", "--kill-child", "--mount-proc"];
const canContain =
  process.platform === "linux" && spawnSync("unshare", [...CONTAINER.slice(1), "true"]).status === 0;
if (!canContain) process.stdout.write("liveness.test.ts: skipped two cases, which need root and unshare.\n");

describe.each(BACKENDS)("liveness on %s", (backend) => {
  const at = stage(backend);
  afterEach(endAll);
  const hold = (more: object = {}) =>
    start({ url: at.url, team: at.team, job: "hold", me: "alice", machine: hostname(), ...more }, CONTAINER);

  it.runIf(canContain)("a host in a container of the same name is not taken for dead", async () => {
    const store = await at.open({ clock: systemClock });
    await store.board.add({ subject: "a" }, lead);
    const owner = hold();
    const { pid } = await owner.next();
    expect(Number(pid)).toBeLessThan(100);
    const [there] = await store.roster.hosts();
    expect(there).toMatchObject({ machine: hostname(), pid });
    expect(there?.identity.startsWith(PLACE)).toBe(false);
    expect(await store.roster.reap(isAlive)).toEqual([]);
    await store.roster.open(host("here"), hostname(), process.pid);
    expect(await store.roster.adopt(name("alice"), host("here"), { isAlive })).toBeNull();
  });

  it.runIf(canContain)("its tasks go back when its lease is over", { timeout: 60_000 }, async () => {
    const store = await at.open({ clock: systemClock });
    await store.board.add({ subject: "a" }, lead);
    const owner = hold({ leaseMs: 3_000 });
    await owner.next();
    owner.kill();
    expect(await store.roster.reap(isAlive)).toEqual([]);
    await soon(async () => expect(await store.roster.reap(isAlive)).toEqual([1]));
  });

  it("a process that got the id of a dead one is not taken for it", async () => {
    const store = await at.open({ clock: systemClock });
    await store.roster.open(host("dead"), hostname(), process.pid, `${PLACE}.${process.pid}.1`);
    await store.roster.open(host("old"), hostname(), process.pid);
    await store.roster.reap(isAlive);
    // Without an identity, as an older version leaves it, the lease decides.
    expect((await store.roster.hosts()).map(({ id }) => id)).toEqual(
      process.platform === "linux" ? ["old"] : ["dead", "old"],
    );
  });

  // SQLite has one machine, so one clock.
  if (backend === "postgres")
    it("clocks that differ by 12 s do not shorten or lengthen a lease", async () => {
      const leaseMs = 4_000;
      const behind = await at.open({ clock: skewed(-SKEW_MS), leaseMs });
      const ahead = await at.open({ clock: skewed(SKEW_MS), leaseMs });
      await behind.board.add({ subject: "a" }, lead);
      const owner = host("behind");
      await behind.roster.open(owner, "one", 1);
      const seat = await behind.roster.join(
        { name: name("alice"), kind: "teammate", role: "", model: "", prompt: "", needsPlan: false },
        owner,
        lead,
      );
      expect(await behind.board.claimNext(seat)).toMatchObject({ id: 1 });
      expect(await ahead.roster.reap(() => null)).toEqual([]);
      await ahead.roster.open(host("ahead"), "two", 2);
      expect(await ahead.roster.adopt(name("alice"), host("ahead"))).toBeNull();
      for (const [store, ms] of [
        [behind, -SKEW_MS],
        [ahead, SKEW_MS],
      ] as const)
        for (const { leaseUntil } of await store.roster.hosts()) {
          const left = leaseUntil - (Date.now() + ms);
          expect(left).toBeLessThanOrEqual(leaseMs + 500);
          expect(left).toBeGreaterThan(-20_000);
        }
      // The clock that is behind sees the end of a lease at the same time.
      await soon(async () => {
        await ahead.roster.beat(host("ahead"));
        expect(await ahead.roster.reap(() => null)).toEqual([1]);
      });
      expect(await behind.roster.beat(owner)).toBe(false);
    });

  if (backend === "postgres")
    it("clocks that differ by 12 s do not shorten or lengthen the time for an answer", async () => {
      const [behind, ahead] = [
        await at.open({ clock: skewed(-SKEW_MS) }),
        await at.open({ clock: skewed(SKEW_MS) }),
      ];
      const { store } = await at.crew(["alice"], { clock: systemClock });
      const permission = { kind: "permission", tool: "bash", subject: "rm x" } as const;
      const asked = await behind.requests.ask(name("alice"), lead, permission, later(skewedNow(-1), 4_000));
      expect(await ahead.requests.expire("too late")).toEqual([]);
      const [seen] = await ahead.requests.open();
      // In the clock of the reader.
      expect(Math.abs((seen?.deadline ?? 0) - skewedNow(1) - 4_000)).toBeLessThan(3_000);
      const yes = { yes: true, text: "" };
      expect(await ahead.requests.answer(lead, asked.id, "permission", yes)).toMatchObject({
        state: "answered",
      });
      await behind.requests.ask(name("alice"), lead, permission, later(skewedNow(-1), 200));
      await soon(async () => expect(await behind.requests.expire("too late")).toHaveLength(1));
      expect(await store.requests.open()).toEqual([]);
    });
});
