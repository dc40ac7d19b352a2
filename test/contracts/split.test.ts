/** A task that its owner splits into parts, on every database. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Seat } from "../../src/core/board/member.ts";
import type { Claimed, NewTask } from "../../src/core/board/task.ts";
import { heard } from "../../src/core/conversation/chat.ts";
import type { TaskId } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { completeTask, failTask } from "../../src/team/actions/tasks.ts";
import { endAll, start } from "../fixtures/children.ts";
import { BACKENDS, claimed, held, name, stage } from "../fixtures/stage.ts";

const whole = 1 as TaskId;
const [two, three, four] = [2, 3, 4] as TaskId[] as [TaskId, TaskId, TaskId];
const A: NewTask = { subject: "Part A" };
const B: NewTask = { subject: "Part B", blockedBy: [{ nth: 0 }] };

describe.each(BACKENDS)("a split task on %s", (backend) => {
  const at = stage(backend);
  const lead = name("lead");
  let store: Store;
  let [alice, bob]: Seat[] = [];
  afterEach(endAll);
  beforeEach(async () => {
    const crew = await at.crew(["alice", "bob"]);
    store = crew.store;
    [alice, bob] = crew.seats;
    await store.board.add({ subject: "Whole", priority: 2, needsPlan: true }, lead);
  });
  const take = (who = alice): Promise<Claimed> => claimed(store, who as Seat);
  const finish = async (who = alice, result = "done"): Promise<TaskId[]> =>
    await store.board.complete(held(who as Seat, await take(who)), result);
  const split = async (parts = [A, B], note = "half is done"): Promise<Claimed> => {
    const own = await take();
    await store.board.split(held(alice as Seat, own), parts, note, (added) =>
      heard(`into ${added.map((one) => one.id)}`),
    );
    return own;
  };

  it("waits for its parts, which others may do, and goes back to its owner with their results", async () => {
    await split();
    expect(await store.board.task(whole)).toMatchObject({
      ...{ status: "pending", blockedBy: [two, three], openBlockers: 2, assignee: "alice", attempt: 1 },
      split: { by: "alice", parts: [two, three], note: "half is done" },
    });
    expect(await store.board.task(two)).toMatchObject({ priority: 2, needsPlan: true, parent: whole });
    expect(await store.board.mine(name("alice"))).toBeNull();
    expect(await store.transcript.current(name("alice"))).toHaveLength(1);
    const { events } = await store.journal.read(store.journal.from(0), { types: ["task.released"] });
    expect(events).toMatchObject([
      { task: whole, from: "alice", why: "split", parts: [two, three], note: "half is done" },
    ]);
    await finish(bob, "A is blue");
    expect(await finish(bob, "B is red")).toEqual([whole]);
    expect(await store.board.claimNext(bob as Seat)).toBeNull();
    expect(await store.board.claim(bob as Seat, whole)).toMatchObject({ ok: false, why: "assigned" });
    const again = await take();
    expect(again).toMatchObject({
      ...{ id: whole, attempt: 2, lastFailure: null },
      parts: [
        { id: two, status: "completed", said: "A is blue" },
        { id: three, status: "completed", said: "B is red" },
      ],
    });
    await store.board.complete(held(alice as Seat, again), "all");
    expect(await store.board.counts()).toMatchObject({ completed: 3, total: 3 });
  });

  it("counts no try, however often it is split", async () => {
    for (let n = 0; n < 5; n += 1) {
      await split([A]);
      await finish(bob);
    }
    await store.board.release(held(alice as Seat, await take()), "given_back");
    expect(await store.board.task(whole)).toMatchObject({ status: "pending", attempt: 6 });
  });

  it("goes back to its owner as soon as a part fails, which may wait for the others again", async () => {
    await split([A, { subject: "Part B", blockedBy: [] }]);
    await store.board.fail(held(bob as Seat, await take(bob)), "no paint");
    expect(await store.board.task(whole)).toMatchObject({ blockedBy: [], openBlockers: 0 });
    const again = await take();
    expect(again.parts).toMatchObject([
      { id: two, status: "failed", said: "no paint" },
      { id: three, status: "pending", said: "" },
    ]);
    await store.board.split(held(alice as Seat, again), [{ subject: "Part C" }], "");
    expect(await store.board.task(whole)).toMatchObject({ blockedBy: [three, four], openBlockers: 2 });
    await finish(bob);
    await finish(bob);
    const last = await take();
    expect(last.parts?.map((part) => part.status)).toEqual(["failed", "completed", "completed"]);
    await expect(store.board.split(held(alice as Seat, last), [], "")).rejects.toThrow(
      "no parts to wait for",
    );
  });

  it("is woken by a part that is cancelled, and its parts are cancelled with it", async () => {
    await split();
    await store.board.cancel(two, lead, "not wanted");
    const again = await take();
    expect(again.parts?.map((part) => part.status)).toEqual(["cancelled", "pending"]);
    await store.board.split(held(alice as Seat, again), [], "");
    await store.board.cancel(whole, lead, "enough");
    expect(await store.board.task(three)).toMatchObject({
      status: "cancelled",
      reason: "part of #1, which was cancelled: enough",
    });
    expect(await store.board.counts()).toMatchObject({ cancelled: 3, total: 3 });
  });

  it.each([
    ["completed by hand", "is completed", completeTask],
    ["given up as failed: enough", "has failed", failTask],
  ])("ends its parts when the person ends it: %s", async (how, text, act) => {
    await split();
    await store.board.claimNext(bob as Seat);
    const done = await act(store, name("person"), whole, "enough");
    expect(done.text).toBe(`#1 ${text}; cancelled with it: #2, #3`);
    for (const part of [two, three])
      expect(await store.board.task(part)).toMatchObject({
        status: "cancelled",
        reason: `part of #1, which was ${how}`,
      });
    expect(await store.mail.unread(name("bob"))).toMatchObject([
      { body: { kind: "claim_taken", task: two } },
    ]);
  });

  it("may be claimed by all when its owner has left or died, with the note and the results", async () => {
    await split();
    await finish(bob, "A is blue");
    await finish(bob, "B is red");
    await store.roster.leave(alice as Seat, "asked", "");
    expect(await take(bob)).toMatchObject({
      split: { by: "alice", note: "half is done" },
      parts: [{ said: "A is blue" }, { said: "B is red" }],
    });
  });

  it("is refused as a whole: a cycle, too many parts, a lost claim", async () => {
    const own = await take();
    const mine = held(alice as Seat, own);
    const behind = await store.board.add({ subject: "Behind", blockedBy: [whole] }, lead);
    const many = Array.from({ length: 51 }, (_, n) => ({ subject: `p${n}` }));
    await expect(
      store.board.split(mine, [{ subject: "x", blockedBy: [behind.id] }], ""),
    ).rejects.toMatchObject({
      code: "cycle",
    });
    await expect(store.board.split(mine, [{ subject: "x", blockedBy: [whole] }], "")).rejects.toMatchObject({
      code: "cycle",
    });
    await expect(store.board.split(mine, many, "")).rejects.toThrow("the limit is 50");
    await expect(store.board.split({ ...mine, attempt: 7 }, [A], "")).rejects.toMatchObject({
      code: "stale_claim",
    });
    expect(await store.board.counts()).toMatchObject({ total: 2, inProgress: 1 });
  });

  it("is as before when its process is killed in the middle", async () => {
    const child = start({ url: at.url, team: at.team, job: "killed split", me: "carol" });
    const seen = JSON.stringify([await child.next(), await child.next()]);
    await child.ended();
    expect(seen).toContain("dying");
    expect(await store.board.task(whole)).toMatchObject({
      status: "in_progress",
      owner: "carol",
      attempt: 1,
    });
    expect((await store.board.task(whole))?.split).toBeUndefined();
    expect(await store.board.counts()).toMatchObject({ total: 1 });
    const { events } = await store.journal.read(store.journal.from(0), { types: ["task.released"] });
    expect(events).toEqual([]);
  });

  it("counts right when its parts complete and fail at the same moment", async () => {
    for (let n = 0; n < 20; n += 1) {
      const task = await store.board.add({ subject: `w${n}` }, lead);
      await store.board.claim(alice as Seat, task.id);
      const mine = (await store.board.mine(name("alice"))) as Claimed;
      const parts = await store.board.split(held(alice as Seat, mine), [A, { subject: "C" }], "");
      const seats = [alice, bob] as Seat[];
      const claims = await Promise.all(
        parts.map(async ({ id }, i) => {
          await store.board.claim(seats[i] as Seat, id);
          return { seat: seats[i] as Seat, task: id, attempt: 1 };
        }),
      );
      const [one, other] = claims as [(typeof claims)[0], (typeof claims)[0]];
      await Promise.all([store.board.complete(one, ""), store.board.fail(other, "")]);
      expect(await store.board.task(task.id)).toMatchObject({ status: "pending", openBlockers: 0 });
      await store.board.cancel(task.id, lead, "");
    }
  });
});
