/** Every path of a claim, on every database: what it returns, what it refuses, and what a completion unblocks. */
import { beforeEach, describe, expect, it } from "vitest";
import type { IdleReason } from "../../src/core/board/lifecycle.ts";
import type { Seat } from "../../src/core/board/member.ts";
import type { NewTask } from "../../src/core/board/task.ts";
import { heard } from "../../src/core/conversation/chat.ts";
import { asTaskId } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { BACKENDS, claimed, held, host, name, stage } from "../fixtures/stage.ts";

describe.each(BACKENDS)("claims on %s", (backend) => {
  const at = stage(backend);
  const lead = name("lead");
  let store: Store;
  let alice: Seat;
  let bob: Seat;
  beforeEach(async () => {
    const crew = await at.crew(["alice", "bob"]);
    store = crew.store;
    [alice, bob] = crew.seats as [Seat, Seat];
  });

  const FULL: NewTask = {
    subject: "Write it",
    description: "All of\nit ✓",
    priority: 3,
    estimate: 2.5,
    needsPlan: true,
    blockedBy: [{ nth: 0 }],
  };

  it.each([
    ["for anybody", {}, ""],
    ["that edits files", { touches: ["src/**"] }, ""],
    ["of a role", { role: "dev" }, "dev"],
    ["for anybody, by a member with a role", {}, "dev"],
  ])("hands over a task %s as the board has it then", async (_what, rest, role) => {
    const { store, seats } = await at.crew(["dora"], { role, team: name(`${at.team}-2`) });
    const dora = seats[0] as Seat;
    await store.board.addAll([{ subject: "first" }, { ...FULL, ...rest }, { ...FULL, ...rest }], lead);
    await store.board.complete(held(dora, await claimed(store, dora)), "");
    await store.board.release(held(dora, await claimed(store, dora)), "given_back", "too hard");
    // The first claim skips the check, since the last one found a task; the others come after a check that found none.
    expect(await store.board.claimNext(dora)).toMatchObject({ id: 2, attempt: 2 });
    expect(await store.board.claimNext(dora)).toBeNull();
    await store.board.complete({ seat: dora, task: asTaskId(2), attempt: 2 }, "");
    const last = await claimed(store, dora);
    expect(last).toEqual(await store.board.task(asTaskId(3)));
    await store.board.release(held(dora, last), "given_back", undefined);
    const again = await claimed(store, dora);
    expect(again).toMatchObject({ attempt: 2, lastFailure: "dora gave it back.", owner: "dora" });
    expect(again).toEqual(await store.board.task(asTaskId(3)));
    await store.board.release(held(dora, again), "given_back", undefined);
    const byId = await store.board.claim(dora, asTaskId(3));
    expect(byId).toEqual({ ok: true, task: await store.board.task(asTaskId(3)) });
  });

  it("leaves to a member with a better login what that one may take now", async () => {
    await store.board.addAll([{ subject: "one" }, { subject: "two" }], lead);
    const bare = { login: "b", resetsAt: Number.POSITIVE_INFINITY, isKept: false, isStrong: false };
    const logins = {
      own: { ...bare, name: name("bob") },
      others: [{ ...bare, name: name("alice"), login: "a", resetsAt: 1 }],
    };
    const takes = async (): Promise<number | undefined> =>
      (await store.board.claimNext(bob, undefined, { ids: [], idle: true, logins }))?.id;
    const rests = async (reason: IdleReason) => store.roster.setActivity(alice, { phase: "idle", reason });
    await rests("awaiting_tasks");
    expect(await takes()).toBe(2);
    await store.board.complete({ seat: bob, task: asTaskId(2), attempt: 1 }, "");
    expect(await takes()).toBeUndefined();
    await rests("at_limit");
    expect(await takes()).toBe(1);
    // What somebody has tried is for anybody.
    await store.board.release({ seat: bob, task: asTaskId(1), attempt: 1 }, "given_back", "");
    await rests("awaiting_tasks");
    expect(await takes()).toBe(1);
  });

  it("leaves tasks that it could not work on to others that may take them", async () => {
    await store.board.addAll(
      [{ subject: "one" }, { subject: "two" }, { subject: "three", role: "cook" }],
      lead,
    );
    const [one, two] = [asTaskId(1), asTaskId(2)];
    const takes = async (seat: Seat, besides: readonly number[], idle = true) => {
      const task = await store.board.claimNext(seat, undefined, { ids: besides.map(asTaskId), idle });
      if (task) await store.board.release(held(seat, task), "unable", "limit");
      return task && [task.id, task.attempt];
    };
    expect(await takes(alice, [1])).toEqual([2, 1]);
    expect(await takes(alice, [1, 2])).toBeNull();
    const idles = (reason: IdleReason) => store.roster.setActivity(bob, { phase: "idle", reason });
    for (const reason of ["cannot_work", "repeating", "awaiting_messages"] as const) {
      await idles(reason);
      expect((await takes(alice, [1, 2]))?.[0]).toBe(1);
    }
    await idles("awaiting_tasks");
    expect(await takes(alice, [1, 2])).toBeNull();
    // After a while only those at work count: bob may have left the same tasks to alice.
    expect((await takes(alice, [1, 2], false))?.[0]).toBe(1);
    await store.roster.setActivity(bob, { phase: "work" });
    expect(await takes(alice, [1, 2], false)).toBeNull();
    // No number of attempts fails it.
    await idles("cannot_work");
    for (let nth = 0; nth < 9; nth += 1) expect((await takes(alice, [1, 2]))?.[0]).toBe(1);
    expect(await store.board.task(one)).toMatchObject({ status: "pending" });
    expect(await store.board.task(two)).toMatchObject({ lastFailure: "alice could not work. limit" });
    // The others have another role.
    await idles("awaiting_tasks");
    await store.roster.change(name("alice"), { role: "cook" }, lead);
    expect((await takes(alice, [1, 2, 3]))?.[0]).toBe(3);
  });

  it("a member that just had a task finds only tasks meant for it the next time", async () => {
    const done = async (): Promise<void> => {
      await store.board.add({ subject: "plain", priority: 9 }, lead);
      await store.board.complete(held(alice, await claimed(store, alice)), "");
    };
    await done();
    const [mark, end] = [store.wake.mark(), await store.journal.end()];
    expect(await store.board.claimNext(alice)).toBeNull();
    await done();
    await store.board.add({ subject: "for testers", role: "tester" }, lead);
    expect(await store.board.claimNext(alice)).toBeNull();
    await done();
    await store.board.add({ subject: "files", touches: ["a"] }, lead);
    await store.board.add({ subject: "the same files", touches: ["a"] }, lead);
    expect(await store.board.claimNext(bob)).toMatchObject({ subject: "files" });
    expect(await store.board.claimNext(alice)).toBeNull();
    await done();
    await store.board.add({ subject: "free", touches: ["b"] }, lead);
    const free = await claimed(store, alice);
    expect(free).toMatchObject({ subject: "free", touches: ["b"] });
    await store.board.add({ subject: "one more" }, lead);
    expect(await store.board.claimNext(alice)).toBeNull();
    expect(store.wake.mark()).toBeGreaterThan(mark);
    const { events } = await store.journal.read(end);
    expect(events.filter((event) => event.type === "task.claimed")).toHaveLength(5);
  });

  it("a look that finds nothing after a task writes nothing and wakes nobody", async () => {
    await store.board.add({ subject: "plain" }, lead);
    await store.board.complete(held(alice, await claimed(store, alice)), "");
    const [mark, end] = [store.wake.mark(), await store.journal.end()];
    for (let i = 0; i < 3; i += 1) expect(await store.board.claimNext(alice)).toBeNull();
    expect(store.wake.mark()).toBe(mark);
    expect((await store.journal.read(end)).events).toEqual([]);
  });

  it("refuses a member without a seat, whether a task is ready or not", async () => {
    const stranger = { ...alice, name: name("mallory") };
    const elsewhere = { ...bob, host: host("elsewhere") };
    for (const round of ["nothing is ready", "a task is ready"]) {
      await expect(store.board.claimNext(stranger), round).rejects.toMatchObject({
        code: "stale_seat",
        message: expect.stringContaining("is no member of this team"),
      });
      await expect(store.board.claimNext(elsewhere), round).rejects.toMatchObject({
        code: "stale_seat",
        message: expect.stringContaining("is hosted by another process"),
      });
      await store.board.add({ subject: "a" }, lead);
    }
    expect(await store.board.counts()).toMatchObject({ ready: 2, inProgress: 0 });
  });

  it("notes no step of a landing for a task that its owner has lost", async () => {
    await store.board.add({ subject: "a" }, lead);
    const a = await claimed(store, alice);
    const gate = { type: "gate.started", task: a.id, by: name("alice"), command: "make" } as const;
    await store.board.noteStep(held(alice, a), {
      type: "task.queued",
      task: a.id,
      by: gate.by,
      target: "main",
    });
    await store.board.cancel(a.id, name("person"), "not needed");
    const end = await store.journal.end();
    await expect(store.board.noteStep(held(alice, a), gate)).rejects.toMatchObject({
      code: "stale_claim",
      message: expect.stringContaining("Task #1 is cancelled"),
    });
    expect((await store.journal.read(end)).events).toEqual([]);
  });

  it("a completion unblocks the tasks without other blockers, in order; a refused one unblocks none", async () => {
    await store.board.addAll(
      [
        { subject: "a" },
        { subject: "b", blockedBy: [{ nth: 0 }] },
        { subject: "c", blockedBy: [{ nth: 0 }, { nth: 1 }] },
        { subject: "d", blockedBy: [{ nth: 0 }] },
        { subject: "e", blockedBy: [{ nth: 0 }] },
      ],
      lead,
    );
    await store.board.cancel(asTaskId(4), lead, "not needed");
    const a = await claimed(store, alice);
    const end = await store.journal.end();
    const blockers = async (): Promise<number[]> =>
      (await store.board.tasks()).map((one) => one.openBlockers);
    for (const wrong of [
      { ...held(alice, a), attempt: 2 },
      { ...held(bob, a) },
      { ...held(alice, a), task: asTaskId(2) },
    ])
      await expect(store.board.complete(wrong, "", () => heard("done"))).rejects.toMatchObject({
        code: "stale_claim",
      });
    await expect(
      store.board.complete(held({ ...alice, host: host("elsewhere") }, a), "", () => heard("done")),
    ).rejects.toMatchObject({ code: "stale_seat" });
    expect(await blockers()).toEqual([0, 1, 2, 1, 1]);
    expect(await store.transcript.current(name("alice"))).toEqual([]);

    expect(await store.board.complete(held(alice, a), "ok", () => heard("done"))).toEqual([2, 5]);
    expect(await blockers()).toEqual([0, 0, 1, 0, 0]);
    expect(await store.board.task(a.id)).toMatchObject({ status: "completed", result: "ok", owner: "alice" });
    expect(await store.transcript.current(name("alice"))).toHaveLength(1);
    const { events } = await store.journal.read(end);
    expect(events).toMatchObject([
      { type: "task.completed", task: 1, by: "alice", attempt: 1 },
      { type: "task.unblocked", task: 2, by: 1 },
      { type: "task.unblocked", task: 5, by: 1 },
    ]);
    expect((await claimed(store, bob)).id).toBe(2);
  });
});
