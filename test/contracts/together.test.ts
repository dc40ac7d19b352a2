/** Many members of one process that claim and complete at the same moment: PostgreSQL does this in shared transactions. */
import { describe, expect, inject, it } from "vitest";
import type { Seat } from "../../src/core/board/member.ts";
import { heard } from "../../src/core/conversation/chat.ts";
import { PERSON } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { BACKENDS, claimed, connect, held, name, stage } from "../fixtures/stage.ts";

const MEMBERS = Array.from({ length: 12 }, (_, i) => `m-${i}`);
const subjects = (count: number) => Array.from({ length: count }, (_, i) => ({ subject: `task ${i + 1}` }));
const claimAll = (store: Store, seats: readonly Seat[]) =>
  Promise.all(seats.map((seat) => store.board.claimNext(seat, (task) => heard(task.subject))));

describe.each(BACKENDS)("members together on %s", (backend) => {
  const at = stage(backend);

  it("each gets one of the best tasks, with its entry and its fact", async () => {
    const { store, seats } = await at.crew(MEMBERS);
    await store.board.addAll([...subjects(12), { subject: "urgent", priority: 5 }], PERSON);
    const tasks = await claimAll(store, seats);
    // The twelve best. The first look that ends decides which member gets which.
    const best = ["urgent", ...subjects(11).map(({ subject }) => subject)];
    expect(tasks.map((task) => task?.subject).sort()).toEqual(best.sort());
    expect(tasks.map((task) => task?.owner)).toEqual(MEMBERS);
    for (const [i, seat] of seats.entries())
      expect((await store.transcript.current(seat.name)).at(-1)).toEqual(heard(tasks[i]?.subject ?? ""));
    const { events } = await store.journal.read(store.journal.from(0), { types: ["task.claimed"] });
    expect(events.map((event) => "by" in event && event.by).sort()).toEqual([...MEMBERS].sort());
    expect((await claimAll(store, seats)).filter(Boolean)).toEqual([]);
  });

  it("those for whom nothing is left get none", async () => {
    const { store, seats } = await at.crew(MEMBERS);
    await store.board.addAll(subjects(5), PERSON);
    for (let round = 0; round < 2; round += 1)
      expect((await claimAll(store, seats)).filter(Boolean)).toHaveLength(round === 0 ? 5 : 0);
  });

  it("a stale claim and a stale seat are refused alone", async () => {
    const { store, seats } = await at.crew(MEMBERS);
    await store.board.addAll(subjects(12), PERSON);
    const tasks = await claimAll(store, seats);
    const helds = seats.map((seat, i) => held(seat, tasks[i] as NonNullable<(typeof tasks)[number]>));
    await store.board.takeBack(helds[3]?.task as never, PERSON);
    await store.roster.leave(seats[5] as Seat, "asked", "");
    const done = await Promise.allSettled(
      helds.map((one) => store.board.complete(one, `did ${one.task}`, () => heard("done"))),
    );
    expect(done.map((one) => (one.status === "fulfilled" ? "done" : one.reason.code))).toEqual(
      MEMBERS.map((_, i) => (i === 3 ? "stale_claim" : i === 5 ? "stale_seat" : "done")),
    );
    expect((await store.board.counts()).completed).toBe(10);
    // The results are those of their own tasks, and nothing was written twice.
    for (const task of await store.board.tasks())
      if (task.status === "completed") expect(task.result).toBe(`did ${task.id}`);
    const { events } = await store.journal.read(store.journal.from(0), { types: ["task.completed"] });
    expect(events).toHaveLength(10);
  });

  it("what several of them unblock becomes ready once, by the last of them, and is claimed in order", async () => {
    const { store, seats } = await at.crew(MEMBERS);
    const tasks = [...subjects(3), { subject: "after all", blockedBy: [{ nth: 0 }, { nth: 1 }, { nth: 2 }] }];
    await store.board.addAll([...tasks, { subject: "after one", blockedBy: [{ nth: 1 }] }], PERSON);
    const three = seats.slice(0, 3);
    const owned = await claimAll(store, three);
    const ready = await Promise.all(
      three.map((seat, i) => store.board.complete(held(seat, owned[i] as never), "done")),
    );
    expect(ready.flat().sort()).toEqual([4, 5]);
    const { events } = await store.journal.read(store.journal.from(0), {
      types: ["task.completed", "task.unblocked"],
    });
    const unblocked = events.findIndex((event) => event.type === "task.unblocked" && event.task === 4);
    expect(events.slice(0, unblocked).filter(({ type }) => type === "task.completed")).toHaveLength(3);
    expect((await store.board.tasks()).map((task) => task.openBlockers)).toEqual([0, 0, 0, 0, 0]);
    expect((await claimAll(store, seats)).flatMap((task) => task?.id ?? []).sort()).toEqual([4, 5]);
  });

  it("roles, kept tasks and tasks with files go to those that may have them", async () => {
    const { store, seats } = await at.crew(MEMBERS.slice(0, 4));
    const [first] = seats as [Seat];
    await store.board.addAll(
      [
        { subject: "plain", priority: 9 },
        { subject: "files", priority: 5, touches: ["src/**"] },
        { subject: "more files", priority: 4, touches: ["src/a.ts"] },
        { subject: "kept", assignee: name("m-0") },
        { subject: "last" },
        { subject: "another role", role: "tester" },
      ],
      PERSON,
    );
    const tasks = await claimAll(store, seats);
    expect(tasks.map((task) => task?.subject ?? null)[0]).toBe("kept");
    // Two that ask at once may take either of the tasks with files, never both.
    expect(tasks.slice(1).map((task) => task?.subject.replace("more ", ""))).toEqual(
      expect.arrayContaining(["plain", "files", "last"]),
    );
    const kept = tasks[0];
    await store.board.complete(held(first, kept as never), "done");
    expect(await store.board.claimNext(first)).toBeNull();
  });

  it("one member that asks twice at once gets one task", async () => {
    const { store, seats } = await at.crew(["alice"]);
    const [alice] = seats as [Seat];
    await store.board.addAll(subjects(5), PERSON);
    const task = await claimed(store, alice);
    await store.board.complete(held(alice, task), "done");
    const both = await Promise.all([store.board.claimNext(alice), store.board.claimNext(alice)]);
    expect(both.filter(Boolean)).toHaveLength(1);
    expect((await store.board.counts()).inProgress).toBe(1);
  });

  it("results of any text are kept as they are", async () => {
    const { store, seats } = await at.crew(MEMBERS.slice(0, 4));
    await store.board.addAll(subjects(4), PERSON);
    const results = [`a "quote", {brace} and \\ slash`, "", "null", "line\nbreak, é 𝒳"];
    const tasks = await claimAll(store, seats);
    await Promise.all(
      seats.map((seat, i) => store.board.complete(held(seat, tasks[i] as never), results[i] ?? "")),
    );
    for (const [i, task] of tasks.entries())
      expect(await store.board.task(task?.id as never)).toMatchObject({ result: results[i] });
  });
});

describe("members together on PostgreSQL", () => {
  const at = stage("postgres");

  it("share transactions", async () => {
    const { store, seats } = await at.crew(MEMBERS);
    await store.board.addAll(subjects(120), PERSON);
    await Promise.all(
      seats.map(async (seat) => {
        for (let task = await store.board.claimNext(seat); task; task = await store.board.claimNext(seat))
          await store.board.complete(held(seat, task), "done");
      }),
    );
    expect((await store.board.counts()).completed).toBe(120);
    const client = await connect(inject("postgresUrl"));
    const { rows } = await client.query(
      `select count(distinct xid)::int as transactions from ${new URL(at.url).searchParams.get("schema")}.events
        where team = $1 and type in ('task.claimed', 'task.completed')`,
      [at.team],
    );
    await client.end();
    // Alone they would be 240.
    expect(rows[0].transactions).toBeLessThan(80);
  });
});
