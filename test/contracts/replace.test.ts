/** A task in the place of another one, on every database, and what members are told of the ways to repair a board. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Seat } from "../../src/core/board/member.ts";
import { asTaskId } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { BACKENDS, facts, name, stage } from "../fixtures/stage.ts";

const ids = (...all: number[]) => all.map(asTaskId);
const [one, two, three] = ids(1, 2, 3) as [
  ReturnType<typeof asTaskId>,
  ReturnType<typeof asTaskId>,
  ReturnType<typeof asTaskId>,
];

describe.each(BACKENDS)("a task in the place of another on %s", (backend) => {
  const at = stage(backend);
  const lead = name("lead");
  let store: Store;
  let alice: Seat;
  beforeEach(async () => {
    const crew = await at.crew(["alice"]);
    store = crew.store;
    [alice] = crew.seats as [Seat];
    await store.board.addAll(
      [{ subject: "a" }, { subject: "b", blockedBy: [{ nth: 0 }] }, { subject: "c" }],
      lead,
    );
  });
  const failFirst = async (): Promise<void> => {
    await store.board.claim(alice, one);
    await store.board.fail({ seat: alice, task: one, attempt: 1 }, "no such file");
  };

  it("has what waited for a failed one behind it, and the failed one is cancelled", async () => {
    await failFirst();
    const task = await store.board.add({ subject: "a again", replaces: one }, lead);
    expect(await store.board.task(one)).toMatchObject({
      status: "cancelled",
      reason: "replaced by #4; it had failed: no such file",
    });
    expect(await store.board.task(two)).toMatchObject({ blockedBy: [task.id], openBlockers: 1 });
    await store.board.claim(alice, task.id);
    expect(await store.board.complete({ seat: alice, task: task.id, attempt: 1 }, "ok")).toEqual([two]);
    expect(await store.board.claim(alice, two)).toMatchObject({ ok: true });
  });

  it("takes the place of one that nobody has begun, or that is cancelled, or that a member has", async () => {
    await store.board.add({ subject: "a2", replaces: one }, lead);
    await store.board.cancel(three, lead, "");
    await store.board.add({ subject: "c2", replaces: three }, lead);
    expect(await store.board.task(three)).toMatchObject({ status: "cancelled", reason: "replaced by #5" });
    await store.board.claim(alice, asTaskId(4));
    await store.board.add({ subject: "a3", replaces: asTaskId(4) }, lead);
    expect(await store.board.task(two)).toMatchObject({ blockedBy: [6] });
    const [mail] = await store.mail.unread(name("alice"));
    expect(mail?.body).toMatchObject({ kind: "claim_taken", task: 4 });
  });

  it("is refused for one that was replaced already, and names the task in its place", async () => {
    await failFirst();
    await store.board.add({ subject: "a2", replaces: one }, lead);
    await expect(store.board.add({ subject: "a3", replaces: one }, lead)).rejects.toMatchObject({
      code: "already_started",
      message: expect.stringContaining("Replace #4 instead"),
    });
    await store.board.retry(one, lead);
    await store.board.add({ subject: "a3", replaces: one }, lead);
    expect(await store.board.task(one)).toMatchObject({ reason: "replaced by #5" });
  });

  it("is refused as a whole where it cannot be", async () => {
    await store.board.claim(alice, three);
    await store.board.complete({ seat: alice, task: three, attempt: 1 }, "ok");
    const before = await store.board.tasks();
    const add = (more: object) => store.board.add({ subject: "x", ...more }, lead);
    await expect(add({ replaces: three })).rejects.toMatchObject({
      code: "already_started",
      message: "Task #3 is completed, so nothing can take its place. Add the task without replacing.",
    });
    await expect(add({ replaces: asTaskId(9) })).rejects.toMatchObject({ code: "not_found" });
    await expect(add({ replaces: one, blockedBy: [one] })).rejects.toMatchObject({ code: "bad_input" });
    await expect(add({ replaces: one, blockedBy: [two] })).rejects.toMatchObject({ code: "cycle" });
    expect(await store.board.tasks()).toEqual(before);
    expect(await facts(store, { types: ["task.cancelled"] })).toEqual([]);
  });

  it("tells a lead of its tools, and a person of commands", async () => {
    await failFirst();
    await store.board.claim(alice, three);
    const orders: ((by: ReturnType<typeof name>) => Promise<unknown>)[] = [
      (by) => store.removeTeam(store.team, by),
      (by) => store.board.completeFor(one, by, "x"),
      (by) => store.board.failFor(one, by, "x"),
      (by) => store.board.assign(one, name("alice"), by),
      (by) => store.board.assign(three, null, by),
      (by) => store.board.retry(three, by),
      (by) => store.board.change(three, { role: "x" }, by),
    ];
    for (const order of orders) {
      const said = async (by: string): Promise<string> =>
        order(name(by)).then(
          () => "done",
          (error: Error) => error.message,
        );
      expect(await said("lead")).not.toMatch(/ekiden [a-z-]|^done$/);
      expect(await said("person")).toMatch(/ekiden [a-z-]/);
    }
  });
});
