/** Following the journal and being woken, on every database. */
import type { Client } from "pg";
import { beforeEach, describe, expect, inject, it } from "vitest";
import { systemClock } from "../../src/adapters/clock.ts";
import type { Seat } from "../../src/core/board/member.ts";
import type { Event } from "../../src/core/event.ts";
import type { Cursor, Store } from "../../src/ports/store.ts";
import { BACKENDS, claimed, connect, held, name, stage } from "../fixtures/stage.ts";

const START = "" as Cursor;
const warn = (text: string) => ({ type: "warning.raised", who: null, text }) as const;
const textOf = (event: Event): string => ("text" in event ? event.text : event.type);

describe.each(BACKENDS)("the journal on %s", (backend) => {
  const at = stage(backend);
  let store: Store;
  beforeEach(async () => {
    store = await at.open();
  });

  it("is read in order, in pages, from the beginning, from a place or from a number", async () => {
    await store.journal.note([warn("1"), warn("2")]);
    await store.journal.note([warn("3")]);
    const first = await store.journal.read(START, { limit: 2 });
    expect(first.events.map(textOf)).toEqual(["team.created", "1"]);
    const second = await store.journal.read(first.cursor, { limit: 2 });
    expect(second.events.map(textOf)).toEqual(["2", "3"]);
    const third = await store.journal.read(second.cursor);
    expect(third.events).toEqual([]);
    await store.journal.note([warn("4")]);
    expect((await store.journal.read(third.cursor)).events.map(textOf)).toEqual(["4"]);
    expect(
      (await store.journal.read(store.journal.from(first.events[1]?.seq ?? 0))).events.map(textOf),
    ).toEqual(["2", "3", "4"]);
    expect(first.events[1]).toMatchObject({ type: "warning.raised", who: null, at: at.clock.now() });
  });

  it("finds what was said of one task, also beside damaged facts", async () => {
    const checked = (task: number, ms: number) =>
      ({
        type: "task.checked",
        task,
        by: name("alice"),
        attempt: 1,
        when: "claim",
        command: "true",
        outcome: "green",
        ms,
      }) as never;
    const drifted = { type: "task.drifted", task: 7, by: name("alice"), files: ["a"] } as never;
    await store.journal.note([checked(7, 1), checked(8, 2), drifted, warn("of 7"), checked(7, 3)]);
    const found = await store.journal.ofTask(7 as never, ["task.checked"]);
    expect(found.map(({ ms }) => ms)).toEqual([1, 3]);
    expect((await store.journal.ofTask(7 as never, ["task.drifted", "task.landed"])).length).toBe(1);
    expect(await store.journal.ofTask(9 as never, ["task.checked"])).toEqual([]);
    const other = await store.forTeam(name("other"));
    expect(await other.journal.ofTask(7 as never, ["task.checked"])).toEqual([]);
    await other.close();
  });

  it("all its pages have each event once, and the last leads on from there", async () => {
    const texts = Array.from({ length: 1_999 }, (_, i) => `${i}`); // with the creation of the team two full pages
    await store.journal.note(texts.map(warn));
    const found: string[] = [];
    let cursor = START;
    const readOn = async (): Promise<void> => {
      for await (const page of store.journal.pages(cursor)) {
        found.push(...page.events.map(textOf));
        cursor = page.cursor;
      }
    };
    await readOn();
    await store.journal.note([warn("last")]);
    await readOn();
    expect(found).toEqual(["team.created", ...texts, "last"]);
    const few: Event[] = [];
    for await (const { events } of store.journal.pages(START, ["team.created"])) few.push(...events);
    expect(few).toHaveLength(1);
  });

  it("its end is after all events, and a reader of few types does not read the others again", async () => {
    await store.journal.note([warn("1")]);
    const end = await store.journal.end();
    expect((await store.journal.read(end)).events).toEqual([]);
    const { events, cursor } = await store.journal.read(START, { types: ["team.created"] });
    expect(events).toHaveLength(1);
    expect((await store.journal.read(cursor)).events).toEqual([]);
    await store.journal.note([warn("2")]);
    expect((await store.journal.read(cursor)).events.map(textOf)).toEqual(["2"]);
    expect((await store.journal.read(end, { types: [] })).events).toEqual([]);
  });

  it("teams in one database do not see each other", async () => {
    const other = await store.forTeam(name(`${at.team}-b`));
    await other.journal.note([warn("theirs")]);
    await other.board.add({ subject: "theirs" }, name("lead"));
    expect((await store.journal.read(START)).events.map(textOf)).toEqual(["team.created"]);
    expect(await store.board.tasks()).toEqual([]);
    expect(await other.board.tasks()).toMatchObject([{ id: 1 }]);
    expect(await store.teams()).toEqual(expect.arrayContaining([at.team, other.team]));
    await other.close();
  });

  it("a change between the mark and the wait is not missed; a change of another topic does not wake", async () => {
    const mark = store.wake.mark();
    await store.board.add({ subject: "a" }, name("lead"));
    await store.wake.changed(mark, ["board"], 60_000);
    // On PostgreSQL the first wait starts to listen and ends at once, since a notice may have been lost before.
    if (backend === "postgres") await store.wake.changed(store.wake.mark(), ["board"], 60_000);
    let woken = false;
    const waiting = store.wake.changed(store.wake.mark(), ["mail:alice"], 60_000).then(() => (woken = true));
    await store.board.add({ subject: "b" }, name("lead"));
    await store.mail.send(name("alice"), { to: name("person"), body: { kind: "note", text: "x" } });
    await new Promise(setImmediate);
    expect(woken).toBe(false);
    await at.clock.advance(60_000);
    await waiting;
  });

  it("a wait ends on abort and with the store, without an error", async () => {
    const stop = new AbortController();
    const waits = [store.wake.changed(store.wake.mark(), ["board"], 60_000, stop.signal)];
    stop.abort();
    await Promise.all(waits);
    const last = store.wake.changed(store.wake.mark(), ["journal"], 60_000);
    await store.close();
    await last;
  });

  it("watchers are called after changes, once for several, until they stop watching", async () => {
    let heard = 0;
    let ring = (): void => {};
    const rung = new Promise<void>((resolve) => (ring = resolve));
    const stop = store.wake.watch("journal", () => {
      heard += 1;
      ring();
    });
    await Promise.all([store.journal.note([warn("1")]), store.journal.note([warn("2")])]);
    await rung;
    expect(heard).toBeLessThanOrEqual(2);
    stop();
    const before = heard;
    await store.journal.note([warn("3")]);
    await new Promise(setImmediate);
    expect(heard).toBe(before);
  });

  it("a thousand sleepers are woken by one task, and the first gets it", async () => {
    const { store: crew, seats } = await at.crew(["alice"], {
      clock: systemClock,
      team: name(`${at.team}-c`),
    });
    const mark = crew.wake.mark();
    const sleepers = Array.from({ length: 1_000 }, () =>
      crew.wake.changed(mark, ["board", "mail:alice"], Number.POSITIVE_INFINITY),
    );
    const blocker = await crew.board.add({ subject: "a" }, name("lead"));
    await Promise.all(sleepers);
    expect((await claimed(crew, seats[0] as Seat)).id).toBe(blocker.id);
  });

  it("an idle member is woken when a blocker completes", async () => {
    const { store: crew, seats } = await at.crew(["alice", "bob"], { team: name(`${at.team}-d`) });
    const [alice, bob] = seats as [Seat, Seat];
    await crew.board.addAll([{ subject: "a" }, { subject: "b", blockedBy: [{ nth: 0 }] }], name("lead"));
    const task = await claimed(crew, alice);
    const idle = async (): Promise<number> => {
      for (;;) {
        const mark = crew.wake.mark();
        const next = await crew.board.claimNext(bob);
        if (next) return next.id;
        await crew.wake.changed(mark, ["board"], 60_000);
      }
    };
    const waiting = idle();
    await new Promise(setImmediate);
    // The clock stands still, so neither a poll nor the end of the wait can wake it.
    await crew.board.complete(held(alice, task), "");
    expect(await waiting).toBe(2);
  });
});

describe("the journal on PostgreSQL, with transactions that overlap", () => {
  const at = stage("postgres");
  const schema = (): string => new URL(at.url).searchParams.get("schema") ?? "";
  /** A connection to the store's schema with an open transaction that has a number. */
  const open = async (): Promise<Client> => {
    const client = await connect(inject("postgresUrl"));
    await client.query(`set search_path = ${schema()}`);
    await client.query("begin");
    await client.query("select pg_current_xact_id()");
    return client;
  };
  const insert = (client: Client, text: string) =>
    client.query("insert into events (team, at, type, data) values ($1, 1, 'warning.raised', $2)", [
      at.team,
      JSON.stringify({ who: null, text }),
    ]);

  it("shows facts at once, although a transaction of another program is open", async () => {
    const store = await at.open();
    const stranger = await open();
    const from = await store.journal.end();
    await store.journal.note([warn("now")]);
    const { events, cursor } = await store.journal.read(from);
    expect(events.map(textOf)).toEqual(["now"]);
    expect((await store.journal.read(cursor)).events).toEqual([]);
    await stranger.query("rollback");
    await stranger.end();
    expect((await store.journal.read(cursor)).events).toEqual([]);
  });

  it("shows a cause before its effect, although the transaction of the effect began first", async () => {
    const store = await at.open();
    const early = await open();
    await store.journal.note([warn("completed")]);
    await insert(early, "claimed");
    await early.query("commit");
    await early.end();
    const { events } = await store.journal.read(START);
    expect(events.map(textOf)).toEqual(["team.created", "completed", "claimed"]);
    const pages: string[] = [];
    for (let cursor = START; ; ) {
      const page = await store.journal.read(cursor, { limit: 1 });
      if (page.events.length === 0) break;
      pages.push(...page.events.map(textOf));
      cursor = page.cursor;
    }
    expect(pages).toEqual(["team.created", "completed", "claimed"]);
  });

  it("shows the facts of a slow transaction once, after those that were committed before it", async () => {
    const store = await at.open();
    const slow = await open();
    await insert(slow, "slow");
    await store.journal.note([warn("1"), warn("2")]);
    const first = await store.journal.read(START, { limit: 2 });
    expect(first.events.map(textOf)).toEqual(["team.created", "1"]);
    await slow.query("commit");
    await slow.end();
    await store.journal.note([warn("3")]);
    // The page first continues in its snapshot, then with later commits.
    const second = await store.journal.read(first.cursor);
    expect(second.events.map(textOf)).toEqual(["2", "slow", "3"]);
    expect((await store.journal.read(second.cursor)).events).toEqual([]);
  });
});
