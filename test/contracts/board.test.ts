/** The board, on every database: adding, claiming and finishing tasks, and the errors of each. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Seat } from "../../src/core/board/member.ts";
import type { Outline } from "../../src/core/board/task.ts";
import { heard } from "../../src/core/conversation/chat.ts";
import { asTaskId, PERSON, type TaskId } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { BACKENDS, claimed, facts, held, host, name, profile, stage } from "../fixtures/stage.ts";

describe.each(BACKENDS)("the board on %s", (backend) => {
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

  it("gives a task back as it was put there", async () => {
    const added = await store.board.add(
      {
        subject: "Write it",
        description: "All of\nit ✓",
        priority: 3,
        estimate: 2.5,
        role: "dev",
        touches: ["src/**"],
        needsPlan: true,
      },
      lead,
    );
    expect(added).toMatchObject({
      id: 1,
      status: "pending",
      subject: "Write it",
      priority: 3,
      estimate: 2.5,
      role: "dev",
      touches: ["src/**"],
      needsPlan: true,
      openBlockers: 0,
      attempt: 0,
      createdBy: "lead",
    });
    expect(await store.board.task(added.id)).toEqual(added);
    expect(await store.board.tasks()).toEqual([added]);
    expect(await store.board.task(asTaskId(99))).toBeNull();
  });

  it("lists tasks in short as JSON, all of them or some", async () => {
    const parts = { role: "dev", touches: ["src/**"], needsPlan: true, estimate: 2.5, priority: -1 };
    const { id } = await store.board.add({ subject: 'Say "hi" ✓', ...parts }, lead);
    const later = await store.board.add({ subject: "Later", blockedBy: [id], role: "dev" }, lead);
    await store.board.assign(later.id, name("alice"), lead);
    await store.board.add({ subject: "Fails" }, lead);
    await store.board.fail(held(bob, await claimed(store, bob)), "x".repeat(999));
    const read = async (): Promise<Outline[]> =>
      (JSON.parse(await store.board.outlines()) as Outline[]).toSorted((a, b) => a[0] - b[0]);
    const [one, two, three] = await read();
    const at = expect.any(Number);
    expect(one).toEqual(
      [1, 'Say "hi" ✓', "pending", "[]", null, 0, -1, 2.5].concat([
        "dev",
        "",
        '["src/**"]',
        1,
        at,
        null,
        null,
        "",
      ] as never[]),
    );
    expect(two?.slice(0, 4)).toEqual([2, "Later", "pending", "[1]"]);
    expect(two?.slice(8, 10)).toEqual(["dev", "alice"]);
    expect(three?.slice(2, 6)).toEqual(["failed", "[]", "bob", 1]);
    expect(three?.slice(12)).toEqual([at, at, at, "x".repeat(400)]);
  });

  it("one of two concurrent claims wins; the loser is told who did, and its conversation does not change", async () => {
    const { id } = await store.board.add({ subject: "a" }, lead);
    const results = await Promise.all(
      [alice, bob].map((seat) => store.board.claim(seat, id, (task) => heard(`claimed ${task.id}`))),
    );
    const winner = results.findIndex((result) => result.ok);
    expect(results.filter((result) => result.ok)).toHaveLength(1);
    expect(results[1 - winner]).toEqual({ ok: false, why: "taken", by: [alice, bob][winner]?.name });
    expect(await store.transcript.current(name("alice"))).toHaveLength(winner === 0 ? 1 : 0);
    expect(await store.transcript.current(name("bob"))).toHaveLength(winner === 1 ? 1 : 0);
  });

  it("of two processes that add the same tasks at once, one adds them", async () => {
    const [other] = await store.board.addAll([{ subject: "of the lead" }], lead);
    const begins = { facts: [{ type: "run.began", turns: 0, usd: 0 }] as const, words: "the goal" };
    const add = () =>
      store.board.addUnlessNewer([{ subject: "a" }, { subject: "b" }], PERSON, other?.id ?? 0, begins);
    const added = await Promise.all([add(), add()]);
    expect(added.filter((tasks) => tasks !== null)).toHaveLength(1);
    expect(await store.board.tasks()).toHaveLength(3);
    expect(await facts(store, { types: ["run.began"] })).toHaveLength(1);
    expect((await store.mail.unread(lead)).map(({ body }) => body)).toEqual([
      { kind: "note", text: "the goal" },
    ]);
    expect(await store.board.addUnlessNewer([{ subject: "c" }], PERSON, 3 as TaskId)).toHaveLength(1);
  });

  it("losers of a race continue to the next task at once", async () => {
    await store.board.addAll([{ subject: "a" }, { subject: "b" }], lead);
    const got = await Promise.all([alice, bob].map((seat) => store.board.claimNext(seat)));
    expect(got.map((task) => task?.id).sort()).toEqual([1, 2]);
  });

  it.each([
    ["C++ Dev", " c++  dev"],
    ["编码者", " 编码者"],
    ["Développeur", "DE\u0301VELOPPEUR"],
    ["R&D", "r&d"],
  ])("a task for %j is claimed by a teammate of the role %j, and by no other", async (ofTask, ofMember) => {
    const dora = await store.roster.join(profile("dora", { role: ofMember }), host("here"), name("lead"));
    const eve = await store.roster.join(profile("eve", { role: "other" }), host("here"), name("lead"));
    const direct = await store.board.add({ subject: "by id", role: ofTask }, lead);
    const next = await store.board.add({ subject: "by itself", role: ofTask }, lead);
    const changed = await store.board.add({ subject: "changed" }, lead);
    await store.board.change(changed.id, { role: ofTask }, lead);
    expect(await store.board.claimNext(eve)).toBeNull();
    expect(await store.board.claim(eve, direct.id)).toMatchObject({ ok: false, why: "role" });
    expect(await store.roster.wanted(host("here"))).not.toContain("eve");
    for (const id of [direct.id, next.id, changed.id]) {
      const task = id === next.id ? await claimed(store, dora) : await store.board.claim(dora, id);
      expect("ok" in task ? task : { ok: true, task }).toMatchObject({ ok: true, task: { id } });
      await store.board.completeFor(id, lead, "done");
    }
  });

  it("a refused claim says why", async () => {
    const [a, b, c, d] = await store.board.addAll(
      [
        { subject: "a" },
        { subject: "b", blockedBy: [{ nth: 0 }] },
        { subject: "c" },
        { subject: "d", role: "tester" },
      ],
      lead,
    );
    if (!a || !b || !c || !d) throw new Error("four were added");
    expect(await store.board.claim(alice, asTaskId(77))).toEqual({ ok: false, why: "missing" });
    expect(await store.board.claim(alice, b.id)).toEqual({ ok: false, why: "blocked", on: [a.id] });
    expect(await store.board.claim(alice, d.id)).toEqual({ ok: false, why: "role", role: "tester" });
    expect(await store.board.claim(alice, a.id)).toMatchObject({
      ok: true,
      task: { attempt: 1, owner: "alice" },
    });
    expect(await store.board.claim(alice, a.id)).toMatchObject({ ok: true, task: { attempt: 1 } });
    expect(await store.board.claim(alice, c.id)).toEqual({ ok: false, why: "busy", with: a.id });
    expect(await store.board.claimNext(alice)).toBeNull();
    await store.board.complete({ seat: alice, task: a.id, attempt: 1 }, "done");
    expect(await store.board.claim(bob, a.id)).toEqual({ ok: false, why: "finished", status: "completed" });
  });

  it("two claims of one member at once give it one task", async () => {
    await store.board.addAll([{ subject: "a" }, { subject: "b" }], lead);
    const got = await Promise.all([
      store.board.claimNext(alice),
      store.board.claimNext(alice),
      store.board.claimNext(alice),
    ]);
    expect(got.filter((task) => task !== null)).toHaveLength(1);
    expect(await store.board.counts()).toMatchObject({ inProgress: 1, ready: 1 });
  });

  it("the lead may have several", async () => {
    const seat = { ...alice, name: lead };
    await store.board.addAll([{ subject: "a" }, { subject: "b" }], lead);
    expect((await claimed(store, seat)).id).toBe(1);
    expect((await claimed(store, seat)).id).toBe(2);
  });

  it("takes the highest priority, then the longest chain behind it, then the role match, then the oldest", async () => {
    const { store, seats } = await at.crew(["dora"], { role: "dev", team: name("order") });
    const dora = seats[0] as Seat;
    await store.board.addAll(
      [
        { subject: "oldest" },
        { subject: "for dev", role: "dev" },
        { subject: "for tester", role: "tester", priority: 9 },
        { subject: "chain", estimate: 1 },
        { subject: "behind the chain", blockedBy: [{ nth: 3 }], estimate: 5 },
        { subject: "urgent", priority: 1 },
      ],
      lead,
    );
    const order: string[] = [];
    for (let task = await store.board.claimNext(dora); task; task = await store.board.claimNext(dora)) {
      order.push(task.subject);
      await store.board.complete(held(dora, task), "");
    }
    expect(order).toEqual(["urgent", "chain", "behind the chain", "for dev", "oldest"]);
  });

  it("work that is added behind a task, or estimated again, moves it forward", async () => {
    const { id: first } = await store.board.add({ subject: "first" }, lead);
    const { id: second } = await store.board.add({ subject: "second" }, lead);
    const { id: third } = await store.board.add({ subject: "third", blockedBy: [second] }, lead);
    await store.board.add({ subject: "fourth", blockedBy: [third] }, lead);
    expect((await claimed(store, alice)).id).toBe(second);
    await store.board.takeBack(second, lead);
    await store.board.change(first, { estimate: 10 }, lead);
    expect((await claimed(store, bob)).id).toBe(first);
    await store.board.change(third, { removeBlockedBy: [second] }, lead);
    expect((await claimed(store, alice)).id).toBe(third);
  });

  it("only the owner at its present attempt may finish", async () => {
    await store.board.add({ subject: "a" }, lead);
    const task = await claimed(store, alice);
    await expect(store.board.complete(held(bob, task), "mine")).rejects.toMatchObject({
      code: "stale_claim",
    });
    await expect(store.board.fail({ ...held(alice, task), attempt: 2 }, "x")).rejects.toMatchObject({
      code: "stale_claim",
    });
    await store.board.takeBack(task.id, name("person"));
    const again = await claimed(store, alice);
    expect(again).toMatchObject({ attempt: 2, lastFailure: "The person took it back from alice." });
    await expect(store.board.release(held(alice, task), "given_back")).rejects.toMatchObject({
      code: "stale_claim",
    });
    await store.board.complete(held(alice, again), "ok", () => heard("answer"));
    expect(await store.board.task(task.id)).toMatchObject({
      status: "completed",
      result: "ok",
      owner: "alice",
    });
    await expect(store.board.complete(held(alice, again), "twice")).rejects.toMatchObject({
      code: "stale_claim",
    });
    expect(await store.transcript.current(name("alice"))).toEqual([heard("answer")]);
  });

  it("a task given back too often fails with the evidence, and the lead is mailed", async () => {
    await store.board.add({ subject: "too hard" }, lead);
    for (const _ of [1, 2, 3])
      await store.board.release(held(alice, await claimed(store, alice)), "given_back", "cannot");
    expect(await store.board.task(asTaskId(1))).toMatchObject({
      status: "failed",
      attempt: 3,
      startedAt: expect.any(Number),
      reason: expect.stringContaining("cannot"),
    });
    expect(await store.mail.unread(lead)).toMatchObject([
      { from: "alice", body: { kind: "task_failed", task: 1, subject: "too hard" } },
    ]);
    await store.board.retry(asTaskId(1), name("person"));
    expect(await claimed(store, bob)).toMatchObject({ attempt: 4 });
    const fourth = await store.board.mine(name("bob"));
    if (!fourth) throw new Error("bob has it");
    await store.board.release(held(bob, fourth), "given_back");
    expect(await store.board.counts()).toMatchObject({ pending: 1, failed: 0 });
  });

  it("counts refused completions of an attempt, by hooks and landings alike, and fails the task at the third", async () => {
    const { id } = await store.board.add({ subject: "a" }, lead);
    const refuse = async (attempt: number, why: "hook" | "gate") =>
      store.board.refuse({ seat: alice, task: id, attempt }, { why, evidence: "red", failure: `by ${why}` });
    await claimed(store, alice);
    expect(await refuse(1, "hook")).toBe(1);
    expect(await refuse(1, "gate")).toBe(2);
    await store.board.release({ seat: alice, task: id, attempt: 1 }, "given_back");
    await claimed(store, alice);
    expect(await refuse(2, "gate")).toBe(1);
    const restarted = await at.open();
    const evidence = { why: "hook", evidence: "red", failure: "by hook" } as const;
    expect(await restarted.board.refuse({ seat: alice, task: id, attempt: 2 }, evidence)).toBe(2);
    await expect(refuse(1, "hook")).rejects.toMatchObject({ code: "stale_claim" });
    expect(await refuse(2, "hook")).toBe(3);
    expect(await store.board.task(id)).toMatchObject({ status: "failed", reason: "by hook" });
    expect(await store.mail.unread(lead)).toMatchObject([
      { body: { kind: "task_failed", reason: "by hook" } },
    ]);
    await store.board.retry(id, lead);
    await claimed(store, alice);
    expect(await refuse(3, "hook")).toBe(1);
    expect(await facts(store, { types: ["task.reopened", "task.failed"] })).toEqual([
      ...Array.from({ length: 5 }, () => "task.reopened"),
      "task.failed",
      "task.reopened",
    ]);
  });

  it("records a landed commit once, even if two processes report it", async () => {
    const { id } = await store.board.add({ subject: "a" }, lead);
    const landing = { branch: "ekiden/1-a", target: "main", commit: "c0ffee" };
    const other = await at.open();
    await Promise.all([store, other].map((one) => one.board.landed(id, alice.name, landing)));
    await store.board.landed(id, alice.name, { ...landing, commit: "decaf" });
    expect(await facts(store, { types: ["task.landed"] })).toHaveLength(2);
  });

  it("knows who last wrote a description", async () => {
    const { id, describedBy } = await store.board.add({ subject: "a", description: "x" }, name("person"));
    expect(describedBy).toBe("person");
    const change = async (by: string, what: object) =>
      (await store.board.change(id, what, name(by))).describedBy;
    expect(await change("lead", { priority: 1, description: "x" })).toBe("person");
    expect(await change("lead", { description: "y" })).toBe("lead");
    expect(await claimed(store, alice)).toMatchObject({ describedBy: "lead" });
    expect(await change("person", { description: "z" })).toBe("person");
    expect(await store.board.mine(alice.name)).toMatchObject({ describedBy: "person" });
  });

  it("overrides by the person and the lead", async () => {
    const [a, b, c] = await store.board.addAll(
      [{ subject: "a" }, { subject: "b", blockedBy: [{ nth: 0 }] }, { subject: "c" }],
      lead,
    );
    if (!a || !b || !c) throw new Error("three were added");
    const mine = await claimed(store, alice);
    await store.board.cancel(mine.id, name("person"), "not needed");
    await expect(store.board.complete(held(alice, mine), "late")).rejects.toMatchObject({
      code: "stale_claim",
    });
    expect(await store.board.task(mine.id)).toMatchObject({
      status: "cancelled",
      owner: null,
      reason: "not needed",
    });
    await expect(store.board.cancel(mine.id, lead, "again")).rejects.toMatchObject({
      code: "already_started",
    });
    expect(await store.board.claim(alice, b.id)).toMatchObject({ why: "blocked" });
    await store.board.retry(a.id, lead);
    expect(await store.board.completeFor(a.id, lead, "by hand")).toEqual([b.id]);
    await expect(store.board.retry(a.id, lead)).rejects.toMatchObject({ code: "already_started" });
    await expect(store.board.takeBack(c.id, lead)).rejects.toMatchObject({ code: "bad_input" });
    const failing = await claimed(store, alice);
    await store.board.fail(held(alice, failing), "no luck");
    await store.board.cancel(failing.id, lead, "not worth it");
    expect(await store.board.task(failing.id)).toMatchObject({
      status: "cancelled",
      reason: "not worth it",
      lastFailure: "no luck",
    });
    await expect(store.board.cancel(asTaskId(50), lead, "x")).rejects.toMatchObject({ code: "not_found" });
    expect(await facts(store, { types: ["task.cancelled", "task.completed", "task.released"] })).toEqual([
      "task.cancelled",
      "task.released",
      "task.completed",
      "task.cancelled",
    ]);
  });

  it("two tasks that touch the same files do not run at once", async () => {
    await store.board.addAll(
      [
        { subject: "a", touches: ["src/core/**"], priority: 2 },
        { subject: "b", touches: ["src/core/x.ts"], priority: 1 },
        { subject: "c", touches: ["docs"] },
      ],
      lead,
    );
    const a = await claimed(store, alice);
    expect(await store.board.claim(bob, asTaskId(2))).toEqual({
      ok: false,
      why: "touches",
      conflictsWith: a.id,
    });
    const c = await claimed(store, bob);
    expect(c.id).toBe(3);
    await store.board.complete(held(bob, c), "");
    expect(await store.board.claimNext(bob)).toBeNull();
    const since = store.wake.mark();
    await store.board.complete(held(alice, a), "");
    await store.wake.changed(since, ["board"], 60_000);
    expect((await claimed(store, bob)).id).toBe(2);
  });

  it("overlapping tasks claimed at the same moment: one waits", async () => {
    await store.board.addAll(
      [
        { subject: "a", touches: ["x"] },
        { subject: "b", touches: ["x"] },
      ],
      lead,
    );
    const got = await Promise.all([store.board.claimNext(alice), store.board.claimNext(bob)]);
    expect(got.filter((task) => task !== null)).toHaveLength(1);
  });

  it("refuses bad tasks before anything is written", async () => {
    await expect(store.board.add({ subject: " " }, lead)).rejects.toMatchObject({ code: "bad_input" });
    await expect(store.board.add({ subject: "a\0b" }, lead)).rejects.toMatchObject({ code: "bad_input" });
    await expect(
      store.board.addAll([{ subject: "a" }, { subject: "x".repeat(501) }], lead),
    ).rejects.toMatchObject({ code: "bad_input" });
    await expect(store.board.add({ subject: "a", blockedBy: [asTaskId(9)] }, lead)).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(store.board.addAll([{ subject: "a", blockedBy: [{ nth: 4 }] }], lead)).rejects.toMatchObject(
      { code: "bad_input" },
    );
    expect(await store.board.tasks()).toEqual([]);
  });

  it("a look that finds nothing writes nothing and wakes nobody", async () => {
    await store.board.add({ subject: "for testers", role: "tester" }, lead);
    const [mark, end] = [store.wake.mark(), await store.journal.end()];
    expect(await store.board.claimNext(alice)).toBeNull();
    expect(store.wake.mark()).toBe(mark);
    expect((await store.journal.read(end)).events).toEqual([]);
  });

  it("a seat that another process has taken over may not claim or finish", async () => {
    await store.board.addAll([{ subject: "a" }, { subject: "b" }], lead);
    const task = await claimed(store, alice);
    await store.roster.open(host("elsewhere"), "other", 1);
    await at.clock.advance(60_000);
    expect(await store.roster.adopt(name("alice"), host("elsewhere"))).toEqual({
      name: "alice",
      host: "elsewhere",
    });
    await expect(store.board.complete(held(alice, task), "")).rejects.toMatchObject({ code: "stale_seat" });
    await expect(store.board.claimNext(alice)).rejects.toMatchObject({ code: "stale_seat" });
    await store.board.complete(held({ ...alice, host: host("elsewhere") }, task), "");
  });
});
