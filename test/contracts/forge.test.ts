/** The records of a forge on every database: an issue is taken once, one host leads, what is sent comes with its fact. */
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/core/conversation/chat.ts";
import { NEW_MEMORY, type Sending } from "../../src/core/forge/memory.ts";
import { asTaskId } from "../../src/core/ids.ts";
import { BACKENDS, claimed, held, host, name, stage } from "../fixtures/stage.ts";

const entry: Entry = {
  kind: "result",
  result: { type: "result", id: "c1", tool: "complete_task", text: "ok", isError: false },
};
const open: Sending = { key: "open", kind: "open", target: { branch: "ekiden/1", base: "main" }, body: "b" };
const pushed = { repo: "o/r", branch: "ekiden/1", target: "main", commit: "c0ffee", sends: () => [open] };
const here = host("here");

describe.each(BACKENDS)("a forge on %s", (backend) => {
  const at = stage(backend);

  it("makes an issue one task, also when two hosts see it at once", async () => {
    const { store } = await at.crew(["alice"]);
    const other = await at.open();
    const taken = await Promise.all(
      [store, other, store].map((one) => one.forge.take("o/r", 7, { subject: "Page" })),
    );
    expect(taken.filter((one) => one !== null)).toEqual([1]);
    expect(await store.forge.take("o/other", 7, { subject: "Page" })).toBe(2);
    expect((await store.forge.all()).map(({ task, issue, state }) => [task, issue, state])).toEqual([
      [1, 7, "taken"],
      [2, 7, "taken"],
    ]);
  });

  it("is led by one host, until its lease ends or it is gone", async () => {
    const { store } = await at.crew([]);
    await store.roster.open(host("there"), "m", 1);
    expect(await store.forge.lead(here, 20_000)).toBe(true);
    expect(await store.forge.lead(host("there"), 20_000)).toBe(false);
    at.clock.stall(10_000);
    await store.roster.beat(host("there"));
    expect(await store.forge.lead(host("there"), 20_000)).toBe(false);
    // The host that led is not heard of any more.
    at.clock.stall(6_000);
    expect(await store.forge.lead(host("there"), 20_000)).toBe(true);
    expect(await store.forge.lead(here, 20_000)).toBe(false);
    expect(await store.forge.change(here, asTaskId(1), {})).toBe(false);
  });

  it("takes a task from its owner with the request, gives it back with the reason, and completes it once", async () => {
    const { store, seats } = await at.crew(["alice", "bob"]);
    const [alice, bob] = seats as [(typeof seats)[0], (typeof seats)[0]];
    await store.forge.take("o/r", 7, { subject: "Page" });
    const claim = held(alice, await claimed(store, alice));
    await store.forge.propose(claim, pushed, entry);
    await expect(store.forge.propose(claim, pushed, entry)).rejects.toMatchObject({ code: "stale_claim" });
    expect(await store.board.mine(name("alice"))).toBeNull();
    expect(await store.board.claimNext(bob)).toBeNull();
    expect(await store.forge.unsent()).toMatchObject([{ ...open, state: "queued", task: 1 }]);
    await store.forge.lead(here, 10_000);
    const [row] = await store.forge.unsent();
    expect(await store.forge.sending(here, row?.id ?? 0, 10_000)).toBe(10_000);
    expect(await store.forge.unsent()).toMatchObject([{ state: "sent" }]);
    await store.forge.change(here, asTaskId(1), { number: 9, state: "open" });
    await store.forge.sent(row?.id ?? 0, "confirmed", "url");
    expect(await store.forge.unsent()).toEqual([]);
    const asks = [{ label: "R1", ids: ["l1"], root: 1, by: "ann", where: "a", text: "> ?" }];
    const back = { memory: { ...NEW_MEMORY, asks }, state: "work" as const, back: "is red" };
    expect(await store.forge.change(here, asTaskId(1), back)).toBe(true);
    expect(await store.forge.change(here, asTaskId(1), back)).toBe(false);
    expect(await store.board.claimNext(bob)).toBeNull();
    const again = await claimed(store, alice);
    expect(again.lastFailure).toBe("Its pull request needs more work. is red");
    expect(again.attempt).toBe(3);
    const second = held(alice, again);
    await expect(store.forge.answer(second, "R9", { how: "asked", text: "?" })).rejects.toThrow("it has R1");
    expect(await store.forge.answer(second, "R1", { how: "asked", text: "?" })).toEqual([]);
    await store.forge.propose(
      second,
      {
        ...pushed,
        sends: ({ memory }) => [
          { ...open, key: "a", kind: "reply", body: memory.answers.R1?.text ?? "" },
          open,
        ],
      },
      entry,
    );
    expect((await store.forge.unsent()).map(({ key, body }) => [key, body])).toEqual([["a", "?"]]);
    const [reply] = await store.forge.unsent();
    await store.forge.sent(reply?.id ?? 0, "confirmed", "77");
    expect([...(await store.forge.posted(asTaskId(1)))]).toEqual(["l77"]);
    const merge: Sending = { key: "merge:c", kind: "merge", target: { number: 9, head: "c" }, body: "" };
    for (const count of [1, 2]) {
      await store.forge.change(here, asTaskId(1), { send: [merge, merge] });
      const [row, ...more] = await store.forge.unsent();
      expect(more).toEqual([]);
      await store.forge.sent(row?.id ?? 0, "refused", "405");
      const refused = { key: "merge:c", count, why: "405" };
      expect((await store.forge.find(asTaskId(1)))?.memory.refused).toMatchObject(refused);
    }
    await store.forge.change(here, asTaskId(1), { failed: "closed", state: "closed" });
    expect(await store.forge.change(here, asTaskId(1), { failed: "closed", state: "closed" })).toBe(false);
    expect(await store.forge.change(here, asTaskId(1), { state: "open" })).toBe(true);
    // It is open already, or somebody has gone on with it: what was read of it before says nothing.
    expect(await store.forge.change(here, asTaskId(1), { memory: NEW_MEMORY, state: "open" })).toBe(false);
    expect(await store.board.task(asTaskId(1))).toMatchObject({ status: "in_progress", owner: "ekiden" });
    const done = { completed: { result: "Merged.", commit: "beef" }, state: "merged" } as const;
    await store.forge.change(here, asTaskId(1), done);
    await store.forge.change(here, asTaskId(1), done);
    expect(await store.board.task(asTaskId(1))).toMatchObject({ status: "completed", result: "Merged." });
    const { events } = await store.journal.read(store.journal.from(0), {
      types: ["task.completed", "task.landed"],
    });
    expect(events.map(({ type }) => type)).toEqual(["task.completed", "task.landed"]);
  });

  it("lets a host send as long as nobody else may lead, which ends with what was heard of the host", async () => {
    const { store } = await at.crew(["alice"]);
    await store.roster.open(host("there"), "m", 1);
    await store.forge.lead(host("there"), 40_000);
    const leaseMs = await store.forge.sending(host("there"), 1, 40_000);
    at.clock.stall(5_000);
    const left = (await store.forge.sending(host("there"), 1, 40_000)) ?? 0;
    expect([leaseMs, left].map((ms) => (ms ?? 0) < 40_000)).toEqual([true, true]);
    at.clock.stall(left);
    await store.roster.open(host("other"), "m", 2);
    expect(await store.forge.lead(host("other"), 40_000)).toBe(true);
    expect(await store.forge.sending(host("there"), 1, 40_000)).toBeNull();
  });

  it("drops the task of an issue that is no work any more, unless somebody has begun, and takes it again", async () => {
    const { store, seats } = await at.crew(["alice"]);
    const task = (await store.forge.take("o/r", 7, { subject: "Page" })) ?? asTaskId(0);
    await store.forge.lead(here, 10_000);
    const dropped = { state: "dropped", cancelled: "Issue #7 was closed." } as const;
    expect(await store.forge.change(here, task, dropped)).toBe(true);
    expect(await store.board.task(task)).toMatchObject({ status: "cancelled" });
    expect(await store.forge.change(here, task, { state: "taken" })).toBe(true);
    expect(await store.forge.change(here, task, { state: "taken" })).toBe(false);
    await claimed(store, seats[0] as (typeof seats)[0]);
    expect(await store.forge.change(here, task, dropped)).toBe(false);
    expect((await store.forge.find(task))?.state).toBe("taken");
  });

  it("keeps what was read with what follows from it, and hears a delivery once", async () => {
    const { store } = await at.crew([]);
    await store.forge.take("o/r", 7, { subject: "Page" });
    const page = { path: "/x", etag: '"1"', data: "{}" };
    expect(await store.forge.change(here, asTaskId(1), {}, [page])).toBe(false);
    await store.forge.lead(here, 10_000);
    await store.forge.change(here, asTaskId(1), {}, [page]);
    await store.forge.keep([{ ...page, etag: '"2"' }]);
    expect(await store.forge.pages()).toEqual([{ ...page, etag: '"2"' }]);
    at.clock.stall(4 * 24 * 3_600_000);
    expect(await store.forge.pages()).toEqual([]);
    const heard = [];
    for (const id of ["d1", "d1", "d2"]) heard.push(await store.forge.heard(id, "9"));
    expect(heard).toEqual([true, false, true]);
    expect([await store.forge.woken(), await store.forge.woken()]).toEqual([new Set(["9"]), new Set()]);
    expect(await store.forge.heard("d1", "9")).toBe(false);
  });
});
