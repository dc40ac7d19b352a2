/** A teammate gets another role or another name, on every database. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Seat } from "../../src/core/board/member.ts";
import { heard } from "../../src/core/conversation/chat.ts";
import { later, PERSON } from "../../src/core/ids.ts";
import { rowOf } from "../../src/core/picture/member.ts";
import { Picture } from "../../src/core/picture/picture.ts";
import { shownOf } from "../../src/core/picture/task.ts";
import type { Store } from "../../src/ports/store.ts";
import { BACKENDS, claimed, held, name, stage } from "../fixtures/stage.ts";

describe.each(BACKENDS)("a member that is changed on %s", (backend) => {
  const at = stage(backend);
  const [bob, ben] = [name("bob"), name("ben")];
  let store: Store;
  let seat: Seat;
  beforeEach(async () => {
    const crew = await at.crew(["ann", "bob"]);
    store = crew.store;
    [, seat] = crew.seats as [Seat, Seat];
  });

  it("may claim what is for its new role at once, and is told", async () => {
    await store.board.add({ subject: "a", role: "tester" }, PERSON);
    expect(await store.board.claimNext(seat)).toBeNull();
    await store.roster.change(bob, { role: "Tester" }, PERSON);
    expect(await store.board.claimNext(seat)).toMatchObject({ subject: "a" });
    expect((await store.mail.unread(bob)).map(({ body }) => "text" in body && body.text)).toEqual([
      "Your role is tester from now on.",
    ]);
    await store.roster.change(bob, { role: "" }, PERSON);
    expect(await store.roster.member(bob)).toMatchObject({ role: "" });
  });

  it("keeps its name while it is at work or has something in hand", async () => {
    await expect(store.roster.change(bob, { name: ben }, PERSON)).rejects.toMatchObject({
      code: "bad_input",
    });
    await store.board.add({ subject: "a" }, PERSON);
    await claimed(store, seat);
    await store.roster.suspend(seat.host);
    await expect(store.roster.change(bob, { name: ben }, PERSON)).rejects.toThrow("bob holds #1");
    for (const other of ["lead", "nobody-here"])
      await expect(store.roster.change(name(other), { role: "x" }, PERSON)).rejects.toMatchObject({
        code: other === "lead" ? "bad_input" : "not_found",
      });
  });

  it("has also its subagents, jobs, crons, questions and the mail that it wrote under its new name", async () => {
    const [ann, subagent] = [name("ann"), name("bob/1")];
    await store.transcript.record(seat, [heard("a part")], { subagent });
    await store.mail.send(bob, { to: ann, body: { kind: "note", text: "hi" } });
    const job = await store.jobs.add(seat, { command: "make", machine: "box", outputPath: "j.txt" });
    await store.jobs.end(job.id, { state: "done", exitCode: 0, signal: null }, null);
    const when = { expression: "* * * * *", zone: "UTC", once: false, session: null } as const;
    await store.crons.add({ ...when, text: "Look.", target: { kind: "mail", to: bob } }, PERSON);
    const question = { kind: "permission", tool: "bash", subject: "make" } as const;
    const asks = await store.requests.ask(bob, ann, question, later(at.clock.now(), 1_000));
    const asked = await store.requests.ask(ann, bob, question, later(at.clock.now(), 1_000));
    await Promise.all([asks, asked].map(({ id }) => store.requests.withdraw(id)));
    await store.roster.suspend(seat.host);
    await store.roster.change(bob, { name: ben }, PERSON);
    expect(await store.transcript.all(name("ben/1"))).toMatchObject([{ entry: heard("a part") }]);
    expect(await store.transcript.all(subagent)).toEqual([]);
    expect((await store.mail.box(ann)).map(({ from }) => from)).not.toContain("bob");
    expect(await store.jobs.list(ben)).toMatchObject([{ id: job.id }]);
    expect(await store.crons.list()).toMatchObject([{ target: { to: "ben" } }]);
    expect(await store.requests.request(asks.id)).toMatchObject({ by: "ben", of: "ann" });
    expect(await store.requests.request(asked.id)).toMatchObject({ by: "ann", of: "ben" });
  });

  it("has its tasks, mail and conversation under its new name", async () => {
    await store.board.addAll([{ subject: "a" }, { subject: "b", assignee: bob }], PERSON);
    await store.board.assign(2 as never, bob, PERSON);
    const own = await store.board.claim(seat, 1 as never);
    if (own.ok) await store.board.complete(held(seat, own.task), "done");
    await store.transcript.record(seat, [heard("hello")]);
    await store.mail.send(PERSON, { to: bob, body: { kind: "note", text: "hi" } });
    await store.roster.suspend(seat.host);
    await expect(store.roster.change(bob, { name: name("ann") }, PERSON)).rejects.toMatchObject({
      code: "name_taken",
    });
    await store.roster.change(bob, { name: ben, role: "tester" }, PERSON);
    expect(await store.roster.member(bob)).toBeNull();
    expect(await store.board.tasks()).toMatchObject([{ owner: "ben" }, { assignee: "ben" }]);
    expect((await store.mail.unread(ben)).map(({ body }) => "text" in body && body.text)).toEqual([
      "hi",
      "You are called ben from now on. Your role is tester from now on.",
    ]);
    expect(await store.transcript.last(ben, 5)).toMatchObject([{ entry: heard("hello") }]);

    const picture = new Picture();
    for await (const { events } of store.journal.pages(store.journal.from(0)))
      for (const event of events) picture.apply(event);
    expect([...picture.tasks.values()].map(({ owner, assignee }) => [owner, assignee])).toEqual(
      (await store.board.tasks()).map(shownOf).map(({ owner, assignee }) => [owner, assignee]),
    );
    const shown = (rows: readonly { name: string; role: string }[]) =>
      rows.map((one) => `${one.name} ${one.role}`).sort();
    expect(shown([...picture.members.values()])).toEqual(shown((await store.roster.members()).map(rowOf)));
  });
});
