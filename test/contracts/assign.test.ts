/** A task that is kept for one teammate, on every database. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Seat } from "../../src/core/board/member.ts";
import type { TaskId } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { BACKENDS, host, name, profile, stage } from "../fixtures/stage.ts";

const one = 1 as TaskId;
const two = 2 as TaskId;

describe.each(BACKENDS)("an assigned task on %s", (backend) => {
  const at = stage(backend);
  const lead = name("lead");
  let store: Store;
  let [alice, bob]: Seat[] = [];
  beforeEach(async () => {
    const crew = await at.crew(["alice", "bob"]);
    store = crew.store;
    [alice, bob] = crew.seats;
    await store.board.addAll([{ subject: "a", priority: 9 }, { subject: "b" }], lead);
  });

  it("is claimed by its teammate first, and by nobody else", async () => {
    await store.board.assign(two, name("alice"), lead);
    expect(await store.board.task(two)).toMatchObject({ assignee: "alice", role: null });
    expect(await store.board.claim(bob as Seat, two)).toEqual({ ok: false, why: "assigned", to: "alice" });
    expect((await store.board.claimNext(bob as Seat))?.id).toBe(1);
    expect((await store.board.claimNext(alice as Seat))?.id).toBe(2);
    expect(await store.board.mine(name("alice"))).toMatchObject({ id: 2, role: null });
  });

  it("comes before what everybody may claim, also right after another task", async () => {
    expect((await store.board.claimNext(alice as Seat))?.id).toBe(1);
    await store.board.add({ subject: "c", priority: 9 }, lead);
    await store.board.assign(two, name("alice"), lead);
    await store.board.complete({ seat: alice as Seat, task: one, attempt: 1 }, "");
    expect((await store.board.claimNext(alice as Seat))?.id).toBe(2);
  });

  it("has the hands of its first owner until that one has read the order, or its host is gone", async () => {
    await store.board.claimNext(alice as Seat);
    await store.board.assign(one, name("bob"), lead);
    await store.board.claimNext(bob as Seat);
    expect(await store.board.hasOtherHands(one, name("bob"))).toBe(true);
    expect(await store.board.hasOtherHands(two, name("bob"))).toBe(false);
    expect(await store.board.hasOtherHands(one, name("alice"))).toBe(false);
    await store.mail.deliver(alice as Seat, () => []);
    expect(await store.board.hasOtherHands(one, name("bob"))).toBe(false);
    await store.board.assign(one, name("alice"), lead);
    expect(await store.board.hasOtherHands(one, name("alice"))).toBe(true);
    await store.roster.leave(bob as Seat, "asked", "");
    expect(await store.board.hasOtherHands(one, name("alice"))).toBe(false);
  });

  it("is for all again when its teammate leaves, gives it back, or the lead says so", async () => {
    await store.board.change(two, { role: "tester" }, lead);
    await store.board.assign(two, name("alice"), lead);
    await store.board.claimNext(alice as Seat);
    await store.board.release({ seat: alice as Seat, task: two, attempt: 1 }, "given_back");
    expect(await store.board.task(two)).toMatchObject({ role: "tester", status: "pending" });
    await store.board.assign(one, name("alice"), lead);
    expect(await store.board.claimNext(bob as Seat)).toBeNull();
    await store.roster.leave(alice as Seat, "asked", "");
    expect((await store.board.claimNext(bob as Seat))?.id).toBe(1);
    await store.board.assign(two, name("bob"), lead);
    await store.board.assign(two, null, lead);
    expect((await store.board.task(two))?.assignee).toBeUndefined();
  });

  it("may be kept from the beginning, and its role changes beside that", async () => {
    const kept = await store.board.add({ subject: "c", role: "tester", assignee: name("alice") }, lead);
    expect(kept).toMatchObject({ assignee: "alice", role: "tester" });
    await store.board.change(kept.id, { role: "coder" }, lead);
    expect(await store.board.task(kept.id)).toMatchObject({ assignee: "alice", role: "coder" });
    expect(await store.board.claim(bob as Seat, kept.id)).toMatchObject({ ok: false, why: "assigned" });
    await store.board.cancel(kept.id, lead, "");
    await store.board.retry(kept.id, lead);
    expect((await store.board.task(kept.id))?.assignee).toBeUndefined();
    const alien = { subject: "d", assignee: name("nobody") };
    await expect(store.board.add(alien, lead)).rejects.toThrow("The teammates: alice, bob.");
  });

  it("is taken from its owner, who is told at once, unless it is the same", async () => {
    await store.board.claimNext(bob as Seat);
    await store.board.assign(one, name("bob"), lead);
    expect(await store.board.mine(name("bob"))).toMatchObject({ id: one });
    expect(await store.mail.unread(name("bob"))).toEqual([]);
    await store.board.assign(one, name("alice"), lead);
    expect(await store.board.mine(name("bob"))).toBeNull();
    expect(await store.mail.unread(name("bob"))).toMatchObject([
      { urgent: true, body: { kind: "claim_taken", task: one, attempt: 1, how: "given to another member" } },
    ]);
    expect(await store.board.claimNext(bob as Seat)).not.toMatchObject({ id: one });
    expect(await store.board.claimNext(alice as Seat)).toMatchObject({ id: one, attempt: 2 });
  });

  it("is refused for a stranger, for a task that has ended, and as a role", async () => {
    await expect(store.board.assign(one, name("nobody"), lead)).rejects.toThrow("The teammates: alice, bob.");
    await store.board.cancel(one, lead, "");
    await expect(store.board.assign(one, name("alice"), lead)).rejects.toMatchObject({
      code: "already_started",
    });
    await expect(store.board.change(two, { role: "@alice" }, lead)).rejects.toThrow("does not begin with");
  });

  it("is found by the look for lost wake-ups, for its teammate alone", async () => {
    await store.board.cancel(one, lead, "");
    await store.board.assign(two, name("alice"), lead);
    expect(await store.roster.wanted((alice as Seat).host)).toEqual(["alice"]);
  });

  it.each(["its host dies", "its host is suspended, and the lease runs out"])(
    "is for all again when %s",
    async (how) => {
      await store.roster.open(host("there"), "there", 2);
      const carol = await store.roster.join(profile("carol"), host("there"), lead);
      await store.board.assign(one, carol.name, lead);
      await store.board.assign(two, carol.name, lead);
      expect(await store.board.claimNext(bob as Seat)).toBeNull();
      if (how === "its host dies") await store.roster.reap(({ pid }) => pid !== 2);
      else {
        await store.roster.suspend(host("there"));
        await store.roster.reap(() => null);
        expect(await store.board.claimNext(bob as Seat)).toBeNull(); // a resume would find it
        await at.clock.advance(10_000);
        await store.roster.beat((bob as Seat).host);
        await at.clock.advance(10_000);
        await store.roster.reap(() => null);
      }
      expect((await store.board.claimNext(bob as Seat))?.id).toBe(1);
      expect((await store.board.task(two))?.assignee).toBeUndefined();
    },
  );

  it("keeps the team busy while its teammate may claim it", async () => {
    await store.board.assign(one, name("alice"), lead);
    await store.board.assign(two, name("alice"), lead);
    for (const seat of [alice as Seat, bob as Seat, { name: lead, host: (alice as Seat).host }])
      await store.roster.setActivity(seat, { phase: "idle", reason: "no_tool_use" });
    expect(await store.board.announceQuiet()).toBe("busy");
    expect(await store.board.hasProspect(name("alice"))).toBe(true);
    expect(await store.board.hasProspect(name("bob"))).toBe(false);
  });
});
