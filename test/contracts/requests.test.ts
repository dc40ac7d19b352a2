/** Questions with one answer, on every database. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Seat } from "../../src/core/board/member.ts";
import { heard } from "../../src/core/conversation/chat.ts";
import { later, type RequestId } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { BACKENDS, claimed, facts, held, name, stage } from "../fixtures/stage.ts";

describe.each(BACKENDS)("requests on %s", (backend) => {
  const at = stage(backend);
  const [lead, alice, bob, person] = [name("lead"), name("alice"), name("bob"), name("person")];
  let store: Store;
  let seat: Seat;
  beforeEach(async () => {
    const crew = await at.crew(["alice", "bob"]);
    store = crew.store;
    seat = crew.seats[0] as Seat;
  });
  const soon = () => later(at.clock.now(), 1_000);
  const permission = { kind: "permission", tool: "bash", subject: "rm x" } as const;

  it("a question is mailed, answered once, and the answer mailed back", async () => {
    const asked = await store.requests.ask(alice, lead, permission, soon());
    expect(await store.mail.unread(lead)).toMatchObject([
      { from: "alice", body: { kind: "permission_request", request: asked.id, tool: "bash" } },
    ]);
    expect(await store.requests.open({ of: lead })).toEqual([asked]);
    const answered = await store.requests.answer(lead, asked.id, "permission", { yes: true, text: "" });
    expect(answered).toMatchObject({ state: "answered", answer: { yes: true, by: "lead" } });
    expect(await store.mail.box(alice)).toMatchObject([
      { from: "lead", body: { kind: "permission_response", request: asked.id, allowed: true } },
    ]);
    // The call that asked has the answer as its result.
    expect(await store.mail.unread(alice)).toEqual([]);
    expect(await store.requests.open()).toEqual([]);
    expect(await facts(store, { types: ["permission.asked", "permission.answered"] })).toEqual([
      "permission.asked",
      "permission.answered",
    ]);
  });

  it.each(["takeBack", "cancel", "completeFor", "failFor"] as const)(
    "questions about a task end when an order takes it from its owner: %s",
    async (order) => {
      await store.board.addAll([{ subject: "a" }, { subject: "b" }], lead);
      const { id: task, attempt } = await claimed(store, seat);
      const about = { kind: "question", question: "Red?", options: [], waits: true } as const;
      const plan = await store.requests.ask(alice, lead, { kind: "plan", task, attempt, plan: "so" }, soon());
      const mine = await store.requests.ask(alice, person, { ...about, task }, soon());
      const other = await store.requests.ask(bob, person, { ...about, task: null }, soon());
      await store.board[order](task, person, "no");
      expect(await store.requests.open()).toEqual([other]);
      const yes = { yes: true, text: "" };
      await expect(store.requests.answer(lead, plan.id, "plan", yes)).rejects.toThrow(
        "is about attempt 1 of task #1, which is over",
      );
      await expect(store.requests.answer(person, mine.id, "question", yes)).rejects.toThrow(
        "is about task #1, which alice does not do any more",
      );
    },
  );

  it("a plan for words that were replaced is withdrawn, so that its author may plan again", async () => {
    await store.board.addAll([{ subject: "a" }], lead);
    const { id: task, attempt } = await claimed(store, seat);
    const about = { kind: "question", question: "Red?", options: [], waits: true, task } as const;
    const question = await store.requests.ask(alice, person, about, soon());
    const plan = await store.requests.ask(alice, lead, { kind: "plan", task, attempt, plan: "so" }, soon());
    await store.board.change(task, { priority: 2 }, person);
    expect(await store.requests.open()).toHaveLength(2);
    await store.board.change(task, { description: "in red" }, person);
    expect(await store.requests.open()).toEqual([question]);
    const yes = { yes: true, text: "" };
    await expect(store.requests.answer(lead, plan.id, "plan", yes)).rejects.toThrow("was changed");
    const again = await store.requests.ask(alice, lead, { kind: "plan", task, attempt, plan: "red" }, soon());
    expect(again.ask).toMatchObject({ plan: "red" });
  });

  it("wrong sender, wrong kind, unknown and second answers change nothing and are journalled", async () => {
    const { id } = await store.requests.ask(lead, alice, { kind: "shutdown", reason: "done" }, soon());
    const yes = { yes: true, text: "" };
    await expect(store.requests.answer(bob, id, "shutdown", yes)).rejects.toMatchObject({ code: "answered" });
    await expect(store.requests.answer(alice, id, "plan", yes)).rejects.toMatchObject({ code: "answered" });
    await expect(store.requests.answer(alice, "nope" as RequestId, "shutdown", yes)).rejects.toMatchObject({
      code: "not_found",
    });
    expect(await store.requests.request(id)).toMatchObject({ state: "open", answer: null });
    const both = await Promise.allSettled([
      store.requests.answer(alice, id, "shutdown", { yes: false, text: "busy" }),
      store.requests.answer(alice, id, "shutdown", yes),
    ]);
    expect(both.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    expect(await store.mail.unread(lead)).toHaveLength(1);
    expect(await facts(store, { types: ["answer.ignored"] })).toHaveLength(4);
  });

  it("the same question is open once; another subject is another question", async () => {
    const [a, b] = await Promise.all([
      store.requests.ask(alice, lead, permission, soon()),
      store.requests.ask(alice, lead, permission, soon()),
    ]);
    expect(a?.id).toBe(b?.id);
    const other = await store.requests.ask(alice, lead, { ...permission, subject: "rm y" }, soon());
    expect(other.id).not.toBe(a?.id);
    expect(await store.mail.unread(lead)).toHaveLength(2);
    const long = "x".repeat(50_000);
    const [c, d] = [
      await store.requests.ask(alice, lead, { ...permission, subject: `${long}c` }, soon()),
      await store.requests.ask(alice, lead, { ...permission, subject: `${long}d` }, soon()),
    ];
    expect(c.id).not.toBe(d.id);
    await expect(store.requests.ask(alice, name("nobody-1"), permission, soon())).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("the person may answer in the lead's place, but not agree to stop in a member's", async () => {
    const person = name("person");
    const { id } = await store.requests.ask(alice, lead, permission, soon());
    const yes = { yes: true, text: "", always: true };
    expect(await store.requests.answer(person, id, "permission", yes)).toMatchObject({
      answer: { by: "person", always: true },
    });
    await expect(store.requests.answer(lead, id, "permission", yes)).rejects.toMatchObject({
      code: "answered",
    });
    const stop = await store.requests.ask(lead, alice, { kind: "shutdown", reason: "" }, soon());
    await expect(store.requests.answer(person, stop.id, "shutdown", yes)).rejects.toMatchObject({
      code: "answered",
    });
  });

  it("of several plans for an attempt the approved one counts, then the open one, then the last", async () => {
    await store.board.add({ subject: "a" }, lead);
    const task = await claimed(store, seat);
    const plan = async (text: string) =>
      await store.requests.ask(alice, lead, { kind: "plan", task: task.id, attempt: 1, plan: text }, soon());
    const answer = (id: RequestId, isYes: boolean) =>
      store.requests.answer(lead, id, "plan", { yes: isYes, text: "" });
    expect(await store.requests.planFor(task.id, 1)).toBeNull();
    await answer((await plan("p")).id, false);
    expect(await store.requests.planFor(task.id, 1)).toMatchObject({
      state: "answered",
      answer: { yes: false },
    });
    const { id } = await plan("q");
    expect(await store.requests.planFor(task.id, 1)).toMatchObject({ id, state: "open" });
    await answer(id, true);
    expect(await store.requests.planFor(task.id, 1)).toMatchObject({ id, answer: { yes: true } });
    expect(await store.requests.planFor(task.id, 2)).toBeNull();
  });

  it("an answer about an older attempt is refused", async () => {
    await store.board.add({ subject: "a" }, lead);
    const task = await claimed(store, seat);
    const { id } = await store.requests.ask(
      alice,
      lead,
      { kind: "plan", task: task.id, attempt: 1, plan: "p" },
      soon(),
    );
    await store.board.release(held(seat, task), "given_back");
    const again = await claimed(store, seat);
    await expect(store.requests.answer(lead, id, "plan", { yes: true, text: "" })).rejects.toMatchObject({
      code: "answered",
      message: expect.stringContaining("attempt 1"),
    });
    const second = await store.requests.ask(
      alice,
      lead,
      { kind: "plan", task: task.id, attempt: again.attempt, plan: "q" },
      soon(),
    );
    await store.requests.answer(lead, second.id, "plan", { yes: false, text: "smaller" });
    expect(await store.mail.unread(alice)).toMatchObject([
      { body: { kind: "plan_response", attempt: 2, approved: false, feedback: "smaller" } },
    ]);
  });

  it("an unanswered question is closed after its deadline, and the asker is told no", async () => {
    const { id } = await store.requests.ask(alice, lead, permission, soon());
    expect(await store.requests.expire("no answer")).toEqual([]);
    await at.clock.advance(1_000);
    await expect(
      store.requests.answer(lead, id, "permission", { yes: true, text: "" }),
    ).rejects.toMatchObject({ code: "answered" });
    const closed = await Promise.all([
      store.requests.expire("no answer"),
      store.requests.expire("no answer"),
    ]);
    expect(closed.flat()).toMatchObject([{ id, state: "expired" }]);
    expect(await store.mail.box(alice)).toMatchObject([
      { body: { kind: "permission_response", allowed: false, reason: "no answer" } },
    ]);
  });

  it("what is open to one may be given more time, and never less", async () => {
    const ask = async (of: typeof lead, ms: number): Promise<RequestId> =>
      (await store.requests.ask(alice, of, permission, later(at.clock.now(), ms))).id;
    const [short, other] = [await ask(lead, 1_000), await ask(bob, 1_000)];
    await at.clock.advance(900);
    await store.requests.postpone(lead, 1_000);
    await at.clock.advance(900);
    expect(await store.requests.expire("no answer")).toMatchObject([{ id: other }]);
    await store.requests.postpone(lead, 10);
    await at.clock.advance(99);
    await store.requests.answer(lead, short, "permission", { yes: true, text: "" });
  });

  it("a withdrawn question cannot be answered; an answer enters the conversation with its effect", async () => {
    const { id } = await store.requests.ask(lead, alice, { kind: "shutdown", reason: "a" }, soon());
    await store.requests.withdraw(id);
    await expect(
      store.requests.answer(alice, id, "shutdown", { yes: true, text: "" }, { seat, entry: heard("no") }),
    ).rejects.toMatchObject({ code: "answered" });
    const next = await store.requests.ask(
      lead,
      alice,
      { kind: "shutdown", reason: "b", urgent: true },
      soon(),
    );
    expect(await store.mail.unread(alice)).toMatchObject([{ urgent: false }, { urgent: true }]);
    await store.requests.answer(
      alice,
      next.id,
      "shutdown",
      { yes: true, text: "" },
      { seat, entry: heard("answered") },
    );
    expect(await store.transcript.current(alice)).toEqual([heard("answered")]);
  });
});
