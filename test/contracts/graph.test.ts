/** Edges between tasks, on every database: blockers, cycles, and what a completion unblocks. */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Seat } from "../../src/core/board/member.ts";
import { heard } from "../../src/core/conversation/chat.ts";
import { isEkidenError } from "../../src/core/errors.ts";
import { asTaskId } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { BoardModel } from "../fixtures/board-model.ts";
import { FUZZ } from "../fixtures/fuzz.ts";
import { BACKENDS, claimed, facts, held, name, stage } from "../fixtures/stage.ts";

describe.each(BACKENDS)("the graph on %s", (backend) => {
  const at = stage(backend);
  const lead = name("lead");
  let store: Store;
  let alice: Seat;
  beforeEach(async () => {
    const crew = await at.crew(["alice"]);
    store = crew.store;
    [alice] = crew.seats as [Seat];
  });
  const finish = async (): Promise<number[]> =>
    store.board.complete(held(alice, await claimed(store, alice)), "");

  it("the answer to a completion names what became ready by it", async () => {
    await store.board.addAll([{ subject: "a" }, { subject: "b", blockedBy: [{ nth: 0 }] }], lead);
    const task = held(alice, await claimed(store, alice));
    await store.board.complete(task, "", (ready) => heard(`ready: ${ready}`));
    expect((await store.transcript.current(alice.name)).at(-1)).toEqual(heard("ready: 2"));
  });

  it("a chain goes one after the other", async () => {
    await store.board.addAll(
      [
        { subject: "a" },
        { subject: "b", blockedBy: [{ nth: 0 }] },
        { subject: "c", blockedBy: [{ nth: 1 }] },
      ],
      lead,
    );
    expect(await finish()).toEqual([2]);
    expect(await finish()).toEqual([3]);
    expect(await finish()).toEqual([]);
    expect(await store.board.tasks()).toMatchObject([
      { blockedBy: [] },
      { blockedBy: [1] },
      { blockedBy: [2], openBlockers: 0 },
    ]);
  });

  it("a diamond is unlocked once, by its last blocker", async () => {
    await store.board.addAll(
      [
        { subject: "end", blockedBy: [{ nth: 2 }, { nth: 1 }] },
        { subject: "left", blockedBy: [{ nth: 3 }] },
        { subject: "right", blockedBy: [{ nth: 3 }] },
        { subject: "start" },
      ],
      lead,
    );
    expect(await finish()).toEqual([2, 3]);
    expect(await finish()).toEqual([]);
    expect(await finish()).toEqual([1]);
    expect((await facts(store)).filter((type) => type === "task.unblocked")).toHaveLength(3);
  });

  it("a task whose blocker is finished is ready at once", async () => {
    await store.board.add({ subject: "a" }, lead);
    await finish();
    expect(
      await store.board.add({ subject: "b", blockedBy: [asTaskId(1), asTaskId(1)] }, lead),
    ).toMatchObject({ openBlockers: 0, blockedBy: [1] });
    expect((await claimed(store, alice)).id).toBe(2);
  });

  it("a failed or cancelled blocker keeps its dependants waiting, visibly", async () => {
    await store.board.addAll([{ subject: "a" }, { subject: "b", blockedBy: [{ nth: 0 }] }], lead);
    await store.board.fail(held(alice, await claimed(store, alice)), "impossible");
    expect(await store.board.claimNext(alice)).toBeNull();
    expect(await store.board.claim(alice, asTaskId(2))).toEqual({ ok: false, why: "blocked", on: [1] });
    await store.board.change(asTaskId(2), { removeBlockedBy: [asTaskId(1)] }, lead);
    expect((await claimed(store, alice)).id).toBe(2);
  });

  it("refuses cycles and names them", async () => {
    await store.board.addAll(
      [
        { subject: "a" },
        { subject: "b", blockedBy: [{ nth: 0 }] },
        { subject: "c", blockedBy: [{ nth: 1 }] },
      ],
      lead,
    );
    const add = (id: number, blocker: number) =>
      store.board.change(asTaskId(id), { addBlockedBy: [asTaskId(blocker)] }, lead);
    await expect(add(1, 1)).rejects.toMatchObject({
      code: "cycle",
      message: expect.stringContaining("#1 → #1"),
    });
    await expect(add(1, 3)).rejects.toMatchObject({
      code: "cycle",
      message: expect.stringContaining("#1 → #3 → #2 → #1"),
    });
    await expect(add(1, 9)).rejects.toMatchObject({ code: "not_found" });
    await expect(
      store.board.addAll(
        [
          { subject: "x", blockedBy: [{ nth: 1 }] },
          { subject: "y", blockedBy: [{ nth: 0 }] },
        ],
        lead,
      ),
    ).rejects.toMatchObject({
      code: "cycle",
      message: expect.stringMatching(/"x" → "y" → "x"|"y" → "x" → "y"/),
    });
    expect(await store.board.counts()).toMatchObject({ total: 3, ready: 1 });
  });

  it("edges and role change before a task starts, not after", async () => {
    await store.board.addAll([{ subject: "a" }, { subject: "b" }], lead);
    await store.board.claim(alice, asTaskId(1));
    await expect(
      store.board.change(asTaskId(1), { addBlockedBy: [asTaskId(2)] }, lead),
    ).rejects.toMatchObject({ code: "already_started" });
    await expect(store.board.change(asTaskId(1), { role: "dev" }, lead)).rejects.toMatchObject({
      code: "already_started",
    });
    expect(await store.board.change(asTaskId(1), { subject: "a!", priority: 4 }, lead)).toMatchObject({
      subject: "a!",
      priority: 4,
    });
    expect(await store.board.change(asTaskId(2), { addBlockedBy: [asTaskId(1)] }, lead)).toMatchObject({
      openBlockers: 1,
      blockedBy: [1],
    });
    await expect(store.board.change(asTaskId(5), { subject: "x" }, lead)).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("two halves of a cycle added at once: one is refused", async () => {
    for (let round = 0; round < 10; round += 1) {
      const [a, b] = await store.board.addAll([{ subject: "a" }, { subject: "b" }], lead);
      if (!a || !b) throw new Error("two were added");
      const halves = [
        store.board.change(a.id, { addBlockedBy: [b.id] }, lead),
        store.board.change(b.id, { addBlockedBy: [a.id] }, lead),
      ];
      const results = await Promise.allSettled(halves);
      const refused = results.filter((result) => result.status === "rejected");
      expect(refused).toHaveLength(1);
      expect(refused[0]?.reason).toMatchObject({ code: "cycle" });
    }
  });

  it("a blocker that completes while an edge to it is added neither blocks for ever nor starts its dependant early", async () => {
    for (let round = 0; round < 10; round += 1) {
      const [a, b] = await store.board.addAll(
        [
          { subject: "a", priority: 1 },
          { subject: "b", role: "nobody" },
        ],
        lead,
      );
      if (!a || !b) throw new Error("two were added");
      const mine = await claimed(store, alice);
      await Promise.all([
        store.board.complete(held(alice, mine), ""),
        store.board.change(b.id, { addBlockedBy: [a.id] }, lead),
      ]);
      expect(await store.board.task(b.id)).toMatchObject({ openBlockers: 0, blockedBy: [a.id] });
    }
  });

  it("after any operations the board equals a simple model", async () => {
    const step = fc.record({
      op: fc.constantFrom(
        "add",
        "link",
        "unlink",
        "claim",
        "complete",
        "fail",
        "release",
        "retry",
        "cancel",
        "takeBack",
        "completeFor",
      ),
      a: fc.nat(11),
      b: fc.nat(11),
    });
    let nth = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        nth += 1;
        const { store, seats } = await at.crew(["alice", "bob"], { team: name(`${at.team}-${nth}`) });
        const model = new BoardModel();
        for (const { op, a, b } of steps) {
          const expected = model.apply(op, a, b);
          const actual = await apply(store, seats as [Seat, Seat], op, a, b).catch((error: unknown) => {
            if (isEkidenError(error)) return "refused";
            throw error;
          });
          expect(`${op} ${a} ${b}: ${actual}`).toBe(`${op} ${a} ${b}: ${expected}`);
        }
        const tasks = await store.board.tasks();
        expect(tasks.map((task) => `${task.id} ${task.status} ${task.openBlockers}`)).toEqual(model.shown());
        await store.close();
      }),
      { ...FUZZ, numRuns: backend === "sqlite" ? 60 : 15 },
    );
  });
});

/** One step of the property test, applied to the store and the model alike. */
async function apply(
  store: Store,
  seats: readonly [Seat, Seat],
  op: string,
  a: number,
  b: number,
): Promise<string> {
  const [id, other] = [asTaskId(a + 1), asTaskId(b + 1)];
  const seat = seats[b % 2] as Seat;
  const { board } = store;
  const mine = async (): Promise<ReturnType<typeof held>> => {
    const task = await board.mine(seat.name);
    return task ? held(seat, task) : { seat, task: id, attempt: 0 };
  };
  const lead = name("lead");
  switch (op) {
    case "add":
      return `${(await board.add({ subject: "t", blockedBy: a % 3 === 0 ? [] : [other] }, lead)).id}`;
    case "link":
      return `${(await board.change(id, { addBlockedBy: [other] }, lead)).openBlockers}`;
    case "unlink":
      return `${(await board.change(id, { removeBlockedBy: [other] }, lead)).openBlockers}`;
    case "claim": {
      const result = await board.claim(seat, id);
      return result.ok ? "ok" : result.why;
    }
    case "complete":
      return (await board.complete(await mine(), "")).join(",");
    case "completeFor":
      return (await board.completeFor(id, lead, "")).join(",");
    case "fail":
      return `${await board.fail(await mine(), "x")}`;
    case "release":
      return `${await board.release(await mine(), "owner_stopped")}`;
    case "retry":
      return `${await board.retry(id, lead)}`;
    case "cancel":
      return `${await board.cancel(id, lead, "x")}`;
    default:
      return `${await board.takeBack(id, lead)}`;
  }
}
