/** Crons on every store: each fires once, on time or late, as mail or as a task, and ends with its owner. */
import { beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../src/adapters/clock.ts";
import type { Seat } from "../../src/core/board/member.ts";
import { asCronId, HARNESS, LEAD, type Name, PERSON } from "../../src/core/ids.ts";
import type { NewCron, Store } from "../../src/ports/index.ts";
import { BACKENDS, host, name, stage } from "../fixtures/stage.ts";

const MINUTE = 60_000;
const HOST = host("here");
const alice = name("alice");

describe.each(BACKENDS)("crons on %s", (backend) => {
  const at = stage(backend);
  let clock: ManualClock;
  let store: Store;
  let seat: Seat;

  beforeEach(async () => {
    clock = new ManualClock(Date.UTC(2026, 4, 1, 12, 0, 30));
    const crew = await at.crew(["alice"], { clock });
    store = crew.store;
    seat = crew.seats[0] as Seat;
  });

  const cron = (more: Partial<NewCron> = {}): NewCron => ({
    expression: "*/5 * * * *",
    zone: "UTC",
    text: "Look at the build.",
    target: { kind: "mail", to: LEAD },
    once: false,
    session: null,
    ...more,
  });
  const mailTo = async (to: Name) =>
    (await store.mail.box(to))
      .filter((mail) => mail.body.kind === "cron")
      .map(({ from, body }) => ({ from, body }));

  it("are numbered per team, listed in the order of their next times, and cancelled", async () => {
    await store.crons.add(cron({ expression: "0 13 * * *" }), PERSON);
    const second = await store.crons.add(cron(), alice);
    expect(second).toMatchObject({
      id: 2,
      by: alice,
      nextAt: Date.UTC(2026, 4, 1, 12, 5),
      fired: 0,
      lastAt: null,
    });
    expect((await store.crons.list()).map((one) => one.id)).toEqual([2, 1]);
    const other = await store.forTeam(name("other"));
    expect(await other.crons.add(cron(), PERSON)).toMatchObject({ id: 1 });
    expect(await store.crons.cancel(asCronId(1), PERSON)).toMatchObject({ id: 1 });
    await expect(store.crons.cancel(asCronId(1), PERSON)).rejects.toThrow(
      "There is no cron c1. There are: c2.",
    );
    expect(await other.crons.list()).toHaveLength(1);
    await other.close();
  });

  it("are refused with a reason", async () => {
    const add = (more: Partial<NewCron>) => store.crons.add(cron(more), PERSON);
    await expect(add({ expression: "60 * * * *" })).rejects.toThrow("minute");
    await expect(add({ zone: "Nowhere" })).rejects.toThrow("time zone");
    await expect(add({ text: " " })).rejects.toThrow("empty");
    await expect(add({ target: { kind: "mail", to: name("bob") } })).rejects.toMatchObject({
      code: "not_found",
    });
    expect(await store.crons.list()).toEqual([]);
  });

  it("fire as mail, at their time and not before", async () => {
    await store.crons.add(cron(), PERSON);
    expect(await store.crons.fire()).toEqual([]);
    await clock.advance(4.5 * MINUTE - 1);
    expect(await store.crons.fire()).toEqual([]);
    await clock.advance(1);
    expect(await store.crons.fire()).toMatchObject([{ late: false, to: LEAD, task: null }]);
    expect(await store.crons.fire()).toEqual([]);
    expect(await mailTo(LEAD)).toEqual([
      { from: HARNESS, body: { kind: "cron", cron: "c1", text: "Look at the build." } },
    ]);
    expect(await store.crons.list()).toMatchObject([{ fired: 1, nextAt: Date.UTC(2026, 4, 1, 12, 10) }]);
  });

  it("fire as a task that can be claimed", async () => {
    await store.crons.add(cron({ target: { kind: "task" }, text: "Update the index\nAll of it." }), PERSON);
    await clock.advance(5 * MINUTE);
    expect(await store.crons.fire()).toMatchObject([{ task: 1, to: null }]);
    const [task] = await store.board.tasks();
    expect(task).toMatchObject({
      subject: "Update the index",
      description: "Update the index\nAll of it.",
      createdBy: HARNESS,
      status: "pending",
    });
  });

  it("of a member become its tasks, which come from the one it had when it set them", async () => {
    await store.board.add({ subject: "Watch" }, PERSON);
    await store.board.claimNext(seat);
    await store.crons.add(cron({ target: { kind: "task" }, text: "Look" }), alice);
    await clock.advance(5 * MINUTE);
    await store.crons.fire();
    const task = (await store.board.tasks()).at(-1);
    expect(task).toMatchObject({ subject: "Look", createdBy: alice, parent: 1 });
  });

  it("that fire once are removed with the mail they became", async () => {
    await store.crons.add(cron({ once: true }), PERSON);
    await clock.advance(5 * MINUTE);
    expect(await store.crons.fire()).toHaveLength(1);
    expect(await store.crons.list()).toEqual([]);
    await clock.advance(60 * MINUTE);
    expect(await store.crons.fire()).toEqual([]);
    expect(await mailTo(LEAD)).toHaveLength(1);
  });

  it("that were missed fire once, marked as late, and then at their next time", async () => {
    await store.crons.add(cron({ zone: "Europe/Berlin" }), PERSON);
    await clock.advance(62 * MINUTE);
    expect(await store.crons.fire()).toMatchObject([{ late: true, dueAt: Date.UTC(2026, 4, 1, 12, 5) }]);
    const [mail] = await mailTo(LEAD);
    expect(mail?.body).toMatchObject({
      text: "[late: it was due at 2026-05-01 14:05 (Europe/Berlin), when no process ran]\nLook at the build.",
    });
    expect(await store.crons.list()).toMatchObject([{ nextAt: Date.UTC(2026, 4, 1, 13, 5), fired: 1 }]);
  });

  it("go to the lead when the member has stopped", async () => {
    await store.crons.add(cron({ target: { kind: "mail", to: alice } }), PERSON);
    await store.roster.leave(seat, "asked", "");
    await clock.advance(5 * MINUTE);
    expect(await store.crons.fire()).toMatchObject([{ to: LEAD }]);
    expect((await mailTo(LEAD)).at(-1)?.body).toMatchObject({
      kind: "cron",
      text: "[for alice, who has stopped]\nLook at the build.",
    });
  });

  it("of a session end with its process, durable ones do not", async () => {
    await store.crons.add(cron({ session: HOST }), alice);
    await store.crons.add(cron(), alice);
    expect(await store.crons.list()).toHaveLength(2);
    await store.roster.suspend(HOST);
    expect((await store.crons.list()).map((one) => one.id)).toEqual([2]);
    await clock.advance(5 * MINUTE);
    expect((await store.crons.fire()).map((firing) => firing.cron.id)).toEqual([2]);
    const { events } = await store.journal.read(store.journal.from(0), {
      types: ["cron.cancelled", "cron.fired"],
    });
    expect(events).toMatchObject([
      { type: "cron.cancelled", cron: 1, by: null },
      { type: "cron.fired", cron: 2 },
    ]);
  });

  it("survive the store being closed, and keep their time", async () => {
    await store.crons.add(cron(), PERSON);
    await store.close();
    await clock.advance(5 * MINUTE);
    const later = await at.open({ clock });
    expect(await later.crons.fire()).toHaveLength(1);
  });

  it("fire once, however many processes ask at once", async () => {
    // Another spelling of the address gives a separate connection.
    const own = (i: number) => (backend === "postgres" ? `${at.url}&application_name=c${i}` : at.url);
    const stores = await Promise.all([1, 2, 3, 4].map((i) => at.open({ clock, url: own(i) })));
    for (let i = 0; i < 5; i += 1) await store.crons.add(cron({ target: { kind: "task" } }), PERSON);
    for (let round = 1; round <= 5; round += 1) {
      await clock.advance(5 * MINUTE);
      const firings = (await Promise.all(stores.map((one) => one.crons.fire()))).flat();
      expect(firings.map((firing) => firing.cron.id).sort()).toEqual([1, 2, 3, 4, 5]);
      expect(await store.board.tasks()).toHaveLength(5 * round);
    }
  });

  it("fire at their times when the clock was wrong for a while and is set back", async () => {
    const right = clock.now();
    await store.crons.add(cron({ expression: "0 13 * * *" }), PERSON);
    const wrong = await at.open({ clock: new ManualClock(right + 400 * 24 * 60 * MINUTE) });
    expect(await wrong.crons.fire()).toMatchObject([{ late: true }]);
    await wrong.crons.add(cron({ expression: "30 13 * * *" }), PERSON);
    // A year later by the wrong clock, today by the right one. Nothing is fired twice meanwhile.
    expect(await store.crons.fire()).toEqual([]);
    expect((await store.crons.list()).map(({ nextAt }) => nextAt)).toEqual([
      Date.UTC(2026, 4, 1, 13),
      Date.UTC(2026, 4, 1, 13, 30),
    ]);
    await clock.advance(60 * MINUTE);
    expect(await store.crons.fire()).toMatchObject([{ late: false, dueAt: Date.UTC(2026, 4, 1, 13) }]);
    // A small correction changes nothing.
    const slightly = await at.open({ clock: new ManualClock(clock.now() - MINUTE / 2) });
    expect(await slightly.crons.fire()).toEqual([]);
    expect((await store.crons.list())[0]).toMatchObject({ nextAt: Date.UTC(2026, 4, 1, 13, 30) });
  });
});
