/** Members and the processes that host them, on every database. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Seat } from "../../src/core/board/member.ts";
import { heard } from "../../src/core/conversation/chat.ts";
import { lostClaim } from "../../src/core/conversation/lost-claim.ts";
import { asTaskId, later, type Name } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { BACKENDS, claimed, facts, held, host, name, profile, stage } from "../fixtures/stage.ts";

const LEASE = 10_000;
const unknown = (): null => null;

describe.each(BACKENDS)("the roster on %s", (backend) => {
  const at = stage(backend);
  const [lead, alice, bob] = [name("lead"), name("alice"), name("bob")];
  let store: Store;
  let seat: Seat;
  beforeEach(async () => {
    const crew = await at.crew(["alice", "bob"], { leaseMs: LEASE });
    store = crew.store;
    seat = crew.seats[0] as Seat;
  });

  it("shows the members and what each one does", async () => {
    await store.board.add({ subject: "a" }, lead);
    const task = await claimed(store, seat);
    await store.mail.send(lead, { to: alice, body: { kind: "note", text: "x" } });
    await store.roster.setActivity(seat, { phase: "idle", reason: "awaiting_messages" }, [
      { to: lead, body: { kind: "idle_notice", reason: "awaiting_messages", completed: [] } },
    ]);
    expect(await store.roster.member(alice)).toMatchObject({
      name: "alice",
      kind: "teammate",
      host: "here",
      heartbeat: at.clock.now(),
      task: task.id,
      unread: 1,
      turns: 0,
      activity: { phase: "idle", reason: "awaiting_messages" },
      since: at.clock.now(),
    });
    expect((await store.roster.members()).map((member) => member.name)).toEqual(["alice", "bob", "lead"]);
    expect(await store.roster.member(name("nobody-1"))).toBeNull();
    expect(await store.mail.unread(lead)).toMatchObject([{ from: "alice", body: { kind: "idle_notice" } }]);
    await store.roster.setActivity(seat, { phase: "idle", reason: "awaiting_messages" });
    expect(await facts(store, { types: ["teammate.phase"] })).toHaveLength(1);
  });

  it("lists the first teammates that have not stopped, and counts all", async () => {
    expect(await store.roster.teammates(1)).toEqual({ first: [{ name: "alice", role: "" }], total: 2 });
    await store.roster.leave(seat, "asked", "");
    expect(await store.roster.teammates(9)).toEqual({ first: [{ name: "bob", role: "" }], total: 1 });
  });

  it("finds in one look the members of a host that may have something to do", async () => {
    await store.roster.join(profile("carol", { role: "tester" }), host("here"), lead);
    await store.roster.open(host("there"), "this machine", 1);
    await store.roster.join(profile("dora"), host("there"), lead);
    const wanted = () => store.roster.wanted(host("here"));
    expect(await wanted()).toEqual([]);
    await store.board.add({ subject: "a", role: "tester" }, lead);
    expect(await wanted()).toEqual(["carol"]);
    await store.mail.send(lead, { to: bob, body: { kind: "note", text: "x" } });
    expect(await wanted()).toEqual(["bob", "carol"]);
    await store.mail.take(bob);
    await store.board.add({ subject: "b" }, lead);
    expect(await wanted()).toEqual(["alice", "bob", "carol"]);
    expect(await store.roster.wanted(host("there"))).toEqual(["dora"]);
    await claimed(store, seat);
    expect(await wanted()).toEqual(["alice", "carol"]);
    await store.roster.leave(seat, "asked", "");
    expect(await wanted()).not.toContain("alice");
  });

  it("refuses duplicate, reserved and badly written names", async () => {
    const join = (who: string, rest = {}) => store.roster.join(profile(who, rest), host("here"), lead);
    await expect(join("alice")).rejects.toMatchObject({ code: "name_taken" });
    for (const bad of ["lead", "person", "ekiden", "../x", "a/b", "", "x".repeat(33), "a\0"])
      await expect(join(bad)).rejects.toMatchObject({ code: "bad_input" });
    // A store takes names as `name` has read them: it folds nothing by itself.
    for (const raw of ["Alice", "zo e"])
      await expect(join("zoe", { name: raw as Name })).rejects.toMatchObject({ code: "bad_input" });
    await expect(join("boss", { kind: "lead" })).rejects.toMatchObject({ code: "bad_input" });
    await expect(store.roster.join(profile("carol"), host("not-open"), lead)).rejects.toMatchObject({
      code: "bad_input",
    });
    const two = await Promise.allSettled([join("carol"), join("carol")]);
    expect(two.filter((result) => result.status === "fulfilled")).toHaveLength(1);
  });

  it("a leaving member gives back its task, closes its questions and tells the lead", async () => {
    await store.board.add({ subject: "a" }, lead);
    const task = await claimed(store, seat);
    const plan = await store.requests.ask(
      alice,
      lead,
      { kind: "plan", task: task.id, attempt: 1, plan: "p" },
      later(at.clock.now(), 1000),
    );
    await store.transcript.record(seat, [heard("of the first alice")]);
    await store.mail.send(lead, { to: alice, body: { kind: "note", text: "never read" } });
    await store.roster.leave(seat, "asked", "I got half way");
    expect(await store.board.task(task.id)).toMatchObject({
      status: "pending",
      lastFailure: expect.stringContaining("alice stopped"),
    });
    // A resume continues with this conversation, so it says that the task is not its own any more.
    expect((await store.transcript.current(alice)).at(-1)).toEqual(lostClaim(task, "owner_stopped"));
    expect(await store.requests.request(plan.id)).toMatchObject({ state: "withdrawn" });
    expect((await store.mail.unread(lead)).at(-1)).toMatchObject({
      from: "alice",
      body: { kind: "stopped", reason: "asked", text: "I got half way", released: [task.id] },
    });
    expect(await store.roster.member(alice)).toMatchObject({
      activity: { phase: "shutdown", reason: "asked" },
      host: null,
      task: null,
    });
    await expect(store.transcript.record(seat, [heard("ghost")])).rejects.toMatchObject({
      code: "stale_seat",
    });
    expect(await store.roster.adopt(alice, host("here"))).toBeNull();

    const second = await store.roster.join(profile("alice", { prompt: "begin" }), host("here"), lead);
    expect(await store.transcript.current(alice)).toEqual([]);
    expect(await store.mail.unread(alice)).toMatchObject([
      { from: "lead", body: { kind: "note", text: "begin" } },
    ]);
    expect(await store.transcript.all(alice)).toHaveLength(2);
    await store.transcript.record(second, [heard("of the second")]);
    expect(await store.transcript.current(alice)).toEqual([heard("of the second")]);
  });

  it("the tasks of a host whose lease is over go back once, with the attempt counted on", async () => {
    await store.board.add({ subject: "a" }, lead);
    const task = await claimed(store, seat);
    await store.roster.open(host("other"), "that machine", 7);
    await at.clock.advance(LEASE - 1);
    expect(await store.roster.reap(unknown)).toEqual([]);
    expect(await store.roster.beat(host("other"))).toBe(true);
    await at.clock.advance(1);
    const reaps = await Promise.all([store.roster.reap(unknown), store.roster.reap(unknown)]);
    expect(reaps.flat()).toEqual([task.id]);
    expect((await store.roster.members()).map((member) => member.host)).toEqual([null, null, null]);
    expect(await store.roster.beat(host("here"))).toBe(false);
    expect((await store.roster.hosts()).map((one) => one.id)).toEqual(["other"]);
    expect(await facts(store, { types: ["task.released"] })).toHaveLength(1);
    await expect(store.board.complete(held(seat, task), "late")).rejects.toMatchObject({
      code: "stale_seat",
    });

    const again = await store.roster.adopt(alice, host("other"));
    expect(again).toEqual({ name: "alice", host: "other" });
    expect(await claimed(store, again as Seat)).toMatchObject({
      id: task.id,
      attempt: 2,
      lastFailure: expect.stringContaining("died"),
    });
  });

  it("a fenced host cannot renew its lease, and its members keep their tasks until its commands have ended", async () => {
    await store.board.add({ subject: "a" }, lead);
    const task = await claimed(store, seat);
    await store.roster.open(host("other"), "that machine", 7);
    await at.clock.advance(LEASE);
    await store.roster.open(host("other"), "that machine", 7);
    expect(await store.roster.fence(unknown)).toMatchObject([{ machine: "this machine", pid: process.pid }]);
    expect(await store.roster.beat(host("here"))).toBe(false);
    expect(await store.board.mine(alice)).toMatchObject({ id: task.id, attempt: 1 });

    // It notices, ends its commands itself and continues with its task.
    await store.roster.open(host("here"), "this machine", process.pid);
    expect(await store.roster.fence(unknown)).toEqual([]);
    expect(await store.roster.reap(unknown)).toEqual([]);
    expect(await store.roster.beat(host("here"))).toBe(true);

    await at.clock.advance(LEASE);
    await store.roster.open(host("other"), "that machine", 7);
    const seen: unknown[] = [];
    const released = await store.roster.reap(unknown, async (lost) => {
      seen.push(
        lost.map(({ pid }) => pid),
        await store.roster.beat(host("here")),
      );
      seen.push((await store.board.mine(alice))?.attempt);
    });
    expect(seen).toEqual([[process.pid], false, 1]);
    expect(released).toEqual([task.id]);
  });

  it("a host whose process is gone is dead at once; one that lives keeps its tasks however long they take", async () => {
    await store.board.addAll([{ subject: "a" }, { subject: "b" }], lead);
    const task = await claimed(store, seat);
    for (let i = 0; i < 5; i += 1) {
      await at.clock.advance(LEASE - 1);
      expect(await store.roster.beat(host("here"))).toBe(true);
      expect(await store.roster.reap(() => true)).toEqual([]);
    }
    expect(
      await store.roster.reap(({ machine, pid }) => machine !== "this machine" || pid !== process.pid),
    ).toEqual([task.id]);
  });

  it("a task whose owners die repeatedly stays on the board: an interruption is no try", async () => {
    await store.board.add({ subject: "deadly" }, lead);
    for (const round of [1, 2, 3, 4, 5]) {
      const id = host(`round-${round}`);
      await store.roster.open(id, "m", round);
      const { name: who } = await store.roster.join(profile(`w-${round}`), id, lead);
      await claimed(store, { name: who, host: id });
      expect(await store.roster.reap(({ pid }) => pid !== round)).toEqual([1]);
    }
    expect(await store.board.task(asTaskId(1))).toMatchObject({ status: "pending", attempt: 5 });
    for (const tries of [1, 2, 3]) {
      const { attempt } = await claimed(store, seat);
      await store.board.release({ seat, task: asTaskId(1), attempt }, "given_back");
      const status = tries < 3 ? "pending" : "failed";
      expect(await store.board.task(asTaskId(1))).toMatchObject({ status });
    }
  });

  it("tells a member in its conversation that its claim was taken from it", async () => {
    await store.board.add({ subject: "a" }, lead);
    const task = await claimed(store, seat);
    const before = await store.transcript.current(seat.name);
    await store.roster.reap(() => false);
    const after = await store.transcript.current(seat.name);
    expect(after.slice(before.length)).toEqual([lostClaim(task)]);
  });

  it("a suspended member keeps its task and its conversation for the resume", async () => {
    await store.board.add({ subject: "a" }, lead);
    const task = await claimed(store, seat);
    await store.transcript.record(seat, [heard("so far")]);
    await store.roster.suspend(host("here"));
    expect(await store.roster.member(alice)).toMatchObject({
      host: null,
      task: task.id,
      activity: { phase: "work" },
    });
    await at.clock.advance(10 * LEASE);
    await store.roster.open(host("resumed"), "m", 1);
    const again = await store.roster.adopt(alice, host("resumed"));
    expect(await store.roster.reap(unknown)).toEqual([]);
    expect(await store.board.mine(alice)).toMatchObject({ id: task.id, attempt: 1 });
    expect(await store.transcript.current(alice)).toEqual([heard("so far")]);
    await store.board.complete(held(again as Seat, task), "ok");
  });

  it("a suspended member's task goes to others after a lease, if there are others", async () => {
    await store.board.add({ subject: "a" }, lead);
    const task = await claimed(store, seat);
    await store.roster.suspend(host("here"));
    await store.roster.open(host("other"), "m", 1);
    expect(await store.roster.reap(unknown)).toEqual([]);
    await at.clock.advance(LEASE + 1);
    await store.roster.open(host("other"), "m", 1);
    expect(await store.roster.reap(unknown)).toEqual([task.id]);
  });

  it("a live host's member cannot be taken over", async () => {
    await store.roster.open(host("other"), "m", 1);
    expect(await store.roster.adopt(bob, host("other"))).toBeNull();
    expect(await store.roster.adopt(name("nobody-1"), host("other"))).toBeNull();
    expect(await store.roster.adopt(bob, host("here"))).toEqual({ name: "bob", host: "here" });
  });

  it("a member is taken over only from a host whose commands were ended, though another took it in the meantime", async () => {
    for (const one of ["next", "late"]) await store.roster.open(host(one), "m", 1);
    await at.clock.advance(LEASE + 1);
    for (const one of ["next", "late"]) await store.roster.open(host(one), "m", 1);
    const [lost] = await store.roster.fence(unknown);
    expect(lost?.id).toBe("here");
    const ended = new Set([host("here")]);
    // This process stands still while it ends their commands.
    expect(await store.roster.adopt(alice, host("next"), { ended })).toEqual({ name: "alice", host: "next" });
    await at.clock.advance(LEASE + 1);
    await store.roster.open(host("late"), "m", 1);
    expect(await store.roster.adopt(alice, host("late"), { ended })).toBeNull();
    expect(await store.roster.adopt(alice, host("late"), { ended, isAlive: () => false })).toBeNull();
    expect(await store.roster.adopt(alice, host("late"), { ended: new Set([host("next")]) })).toEqual({
      ...{ name: "alice", host: "late" },
    });
  });

  it("the lead is told once that the board is quiet, and again when it has changed", async () => {
    const quiet = () => store.board.announceQuiet();
    expect(await quiet()).toBe("busy");
    const seats = [seat, { ...seat, name: bob }, { ...seat, name: lead }];
    const rest = async (): Promise<void> => {
      for (const one of seats)
        await store.roster.setActivity(one, { phase: "idle", reason: "awaiting_tasks" });
    };
    await rest();
    expect(await quiet()).toBe("quiet");
    await store.board.addAll(
      [{ subject: "a" }, { subject: "b", blockedBy: [{ nth: 0 }] }, { subject: "c", role: "painter" }],
      lead,
    );
    expect(await quiet()).toBe("busy");
    await store.board.fail(held(seat, await claimed(store, seat)), "broken");
    expect(await quiet()).toBe("busy"); // the lead has not read the mail about the failure yet
    await store.mail.take(lead);
    expect(await Promise.all([quiet(), quiet(), quiet()]).then((all) => all.sort())).toEqual([
      "busy",
      "busy",
      "told",
    ]);
    expect(await store.mail.take(lead)).toMatchObject([
      {
        from: "ekiden",
        body: {
          kind: "board_quiet",
          counts: { failed: 1, pending: 2, total: 3 },
          unfinished: [
            { id: 1, why: "failed: broken" },
            { id: 2, why: "waits for #1 (failed)" },
            { id: 3, why: 'ready, but no teammate has the role "painter"' },
          ],
        },
      },
    ]);
    expect(await quiet()).toBe("quiet");
    await store.board.completeFor(asTaskId(3), lead, "done");
    expect(await quiet()).toBe("told");
  });

  it("the board is not quiet before the teammates of a lost host had time to come back", async () => {
    await store.board.add({ subject: "a" }, lead);
    await store.roster.open(host("other"), "that machine", 7);
    for (const who of [alice, bob]) {
      await store.roster.adopt(who, host("other"), { isAlive: () => false });
      const idle = { phase: "idle", reason: "awaiting_tasks" } as const;
      await store.roster.setActivity({ name: who, host: host("other") }, idle);
    }
    await store.roster.setActivity({ ...seat, name: lead }, { phase: "idle", reason: "awaiting_tasks" });
    await at.clock.advance(LEASE);
    await store.roster.open(host("here"), "this machine", process.pid);
    await store.roster.reap(unknown);
    expect(await store.roster.member(alice)).toMatchObject({ host: null });
    expect(await store.board.announceQuiet()).toBe("busy");
    await at.clock.advance(LEASE - 1);
    expect(await store.board.announceQuiet()).toBe("busy");
    await at.clock.advance(1);
    expect(await store.board.announceQuiet()).toBe("told");
  });

  it("the board is not quiet while teammates of another host are about to join, as long as that lives", async () => {
    for (const one of [seat, { ...seat, name: bob }, { ...seat, name: lead }])
      await store.roster.setActivity(one, { phase: "idle", reason: "awaiting_tasks" });
    await store.roster.open(host("run"), "this machine", 7);
    await store.roster.joining(host("run"), true);
    expect(await store.board.announceQuiet()).toBe("busy");
    await store.roster.joining(host("run"), false);
    expect(await store.board.announceQuiet()).toBe("quiet");
    await store.roster.joining(host("run"), true);
    await store.board.add({ subject: "a", role: "painter" }, lead);
    await at.clock.advance(LEASE - 1);
    await store.roster.beat(seat.host);
    expect(await store.board.announceQuiet()).toBe("busy");
    await at.clock.advance(1);
    expect(await store.board.announceQuiet()).toBe("told");
  });

  it("records the end of a run once, by the host that had the lead", async () => {
    const end = { completed: 1, failed: 0, cancelled: 0, unfinished: 0, reason: "concluded" } as const;
    await store.roster.open(host("there"), "this machine", 1);
    await store.roster.join(profile("carol"), host("there"), lead);
    await store.roster.leave({ name: lead, host: host("here") }, "asked", "");
    await Promise.all(["here", "there"].map((one) => store.roster.suspend(host(one))));
    const told = await Promise.all(["there", "here"].map((one) => store.roster.finish(host(one), end)));
    expect(told).toEqual([false, true]);
    expect(await facts(store, { types: ["team.finished"] })).toHaveLength(1);
    await store.roster.open(host("there"), "this machine", 1);
    await store.roster.adopt(lead, host("there"));
    expect(await store.roster.finish(host("here"), end)).toBe(false);
    expect(await store.roster.finish(host("there"), end)).toBe(true);
  });

  it("removes the rows of dead hosts that a short run would leave", async () => {
    const ids = async () => (await store.roster.hosts()).map(({ id }) => id);
    await store.roster.open(host("empty"), "this machine", 1);
    await at.clock.advance(LEASE);
    await store.roster.open(host("next"), "this machine", 2);
    // "here" has members, so its row stays until they are taken over or reaped.
    expect(await ids()).toEqual(["here", "next"]);
    for (const one of [lead, alice]) await store.roster.adopt(one, host("next"));
    expect(await ids()).toEqual(["here", "next"]);
    await store.roster.adopt(bob, host("next"));
    expect(await ids()).toEqual(["next"]);
    await store.roster.open(host("last"), "this machine", 3);
    await at.clock.advance(LEASE);
    await store.roster.suspend(host("next"));
    expect(await ids()).toEqual([]);
  });
});
