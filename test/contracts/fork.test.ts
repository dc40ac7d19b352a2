/** Forks of a team at points of its journal, on every database: compared with the tables as they were then, read by SQL of the test's own. */
import { describe, expect, it } from "vitest";
import type { Seat } from "../../src/core/board/member.ts";
import { heard } from "../../src/core/conversation/chat.ts";
import { asTaskId, instant, PERSON } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { inSnapshot } from "../chaos/checker/read.ts";
import { start } from "../fixtures/children.ts";
import { FUZZ, randomFrom } from "../fixtures/fuzz.ts";
import { MATES, step } from "../fixtures/lives.ts";
import { BACKENDS, claimed, facts, held, host, name, stage } from "../fixtures/stage.ts";

/** By hand: EKIDEN_FORK_POINTS=1000 EKIDEN_FORK_RUNS=20 EKIDEN_FORK_KILLS=200 */
const POINTS = {
  sqlite: Number(process.env.EKIDEN_FORK_POINTS ?? 50),
  postgres: Number(process.env.EKIDEN_FORK_POINTS ?? 10),
};
const RUNS = Number(process.env.EKIDEN_FORK_RUNS ?? 1);
const KILLS = Number(process.env.EKIDEN_FORK_KILLS ?? 8);
const STEPS = { sqlite: 200, postgres: 60 };

/**
 * What a fork has of its original. `$` is the team. Not `chain`, which only orders the queue: the original keeps it longer than it holds for
 * tasks behind completed ones.
 */
const QUERIES = {
  tasks: `select id, status, subject, description, blocked_by, open_blockers, priority, estimate, role,
    case when role like '@%' then asked_role else null end as asked, touches, needs_plan, owner, attempt, tries, result, reason,
    last_failure, created_by, described_by, created_at, started_at, ended_at, landed, runbook, parent, split, prose
    from tasks where team = $ order by id`,
  edges: "select task, blocker from edges where team = $ order by task, blocker",
  members: `select name, kind, role, model, phase, reason, since, joined_at, life from members where team = $ order by name`,
  requests:
    "select id, kind, subject, ask, asker, asked, at, state, answer from requests where team = $ order by id",
  mail: `select sender, recipient, at, kind, turn, wakes, body from mail where team = $ and state = 0 order by id`,
  transcript: `select t.name, t.life, t.at, t.kind, t.entry from transcript t join members m on m.team = t.team and m.name = t.name
    and m.life = t.life where t.team = $ order by t.name, t.seq`,
} as const;
const ALL_ROWS = [
  "teams",
  "hosts",
  "members",
  "tasks",
  "edges",
  "mail",
  "transcript",
  "requests",
  "events",
  "jobs",
  "crons",
];

type Tables = Record<string, unknown>;
const read = (url: string, team: string): Promise<Tables> =>
  inSnapshot(url, async (ask) => {
    const found: Tables = {};
    for (const [table, query] of Object.entries(QUERIES))
      found[table] = await ask(query.replaceAll("$", `'${team}'`));
    return found;
  });

/** All rows of a team, to the byte. */
const whole = (url: string, team: string): Promise<string> =>
  inSnapshot(url, async (ask) => {
    const rows = [];
    for (const table of ALL_ROWS)
      rows.push(
        (await ask(`select * from ${table} where ${table === "teams" ? "name" : "team"} = '${team}'`))
          .map((row) => JSON.stringify(row))
          .sort(),
      );
    return JSON.stringify(rows);
  });

const lastSeq = async (url: string, team: string): Promise<number> => {
  const [row] = await inSnapshot(url, (ask) =>
    ask(`select max(seq) as seq from events where team = '${team}'`),
  );
  return Number(row?.seq);
};

const rolesOf = async (store: Store, role: string): Promise<void> => {
  for (const who of MATES)
    if (await store.roster.member(name(who))) await store.roster.change(name(who), { role }, PERSON);
};

describe.each(BACKENDS)("a fork on %s", (backend) => {
  const at = stage(backend);
  const fork = (store: Store, wanted = {}, to = name(`${store.team}-fork`)) =>
    store.forks.make(to, wanted, PERSON, "You continue in a fork.");

  it("is the board at that point, and leaves the original alone", { timeout: 600_000 }, async () => {
    const random = randomFrom(FUZZ.seed);
    for (let run = 0; run < RUNS; run += 1) {
      const { store, lead, seats } = await at.crew(MATES, { team: name(`${at.team}-${run}`) });
      const life = {
        ...{ store, clock: at.clock, lead, random },
        seats: new Map(seats.map((seat) => [seat.name as string, seat])),
      };
      const then: { seq: number; tables: Tables }[] = [];
      for (let n = 0; n < STEPS[backend]; n += 1) {
        await at.clock.advance(7);
        if (random(15) > 0) await step(life);
        else await rolesOf(store, random(2) === 0 ? "painter" : "");
        const seq = await lastSeq(at.url, store.team);
        if (seq !== then.at(-1)?.seq) then.push({ seq, tables: await read(at.url, store.team) });
      }
      const before = await whole(at.url, store.team);
      for (let n = 0; n < POINTS[backend] / RUNS; n += 1) {
        const { seq, tables } = then[random(then.length)] as (typeof then)[number];
        const to = name(`${store.team}-${n}`);
        const made = await fork(store, { seq }, to);
        expect(made).toMatchObject({ seq, from: store.team, team: to });
        const found = await read(at.url, to);
        const letters = (rows: unknown): unknown[] =>
          (rows as { sender: string; body: string }[]).filter(
            ({ body }) => !body.includes("You continue in a fork."),
          );
        expect({ ...found, mail: letters(found.mail) }, `run ${run}, behind ${seq}`).toEqual(tables);
      }
      expect(await whole(at.url, store.team)).toBe(before);
      await store.close();
    }
  });

  it("continues from there by itself", async () => {
    const { store, seats } = await at.crew(["alice", "bob"]);
    const [alice, bob] = seats as [Seat, Seat];
    await store.board.addAll(
      [{ subject: "a", description: "first" }, { subject: "b", blockedBy: [{ nth: 0 }] }, { subject: "c" }],
      PERSON,
    );
    const one = await claimed(store, alice);
    await store.board.change(one.id, { description: "second" }, PERSON);
    const said = {
      kind: "said",
      message: {
        role: "assistant",
        content: [{ type: "text", text: "x", meta: { acp: { session: "s1", cwd: "/p" } } }],
      },
    } as const;
    await store.transcript.record(alice, [said, heard('"acp":{"session":"quoted"}')], {
      spent: { turns: 1, inputTokens: 9, cachedTokens: 0, outputTokens: 9, usd: 1 },
    });
    await store.crons.add(
      {
        expression: "* * * * *",
        zone: "UTC",
        text: "x",
        target: { kind: "task" },
        once: false,
        session: null,
      },
      PERSON,
    );
    await store.journal.note([{ type: "note.written", by: PERSON, kind: "trap", text: "old", task: null }]);
    const { events } = await store.journal.read(store.journal.from(0), { types: ["note.written"] });
    await store.journal.note([{ type: "note.changed", by: PERSON, note: events[0]?.seq ?? 0, text: "new" }]);
    await at.clock.advance(1);
    const seq = await lastSeq(at.url, store.team);
    await at.clock.advance(1);
    await store.board.change(one.id, { description: "third" }, PERSON);
    await store.board.complete(held(alice, one), "done");
    await store.roster.suspend(host("here"));
    await store.roster.change(bob.name, { name: name("ben") }, PERSON);

    const to = name(`${store.team}-fork`);
    const made = await fork(store, { seq }, to);
    expect(made).toMatchObject({ members: 3, counts: { pending: 2, ready: 1, inProgress: 1, completed: 0 } });
    await expect(fork(store, { seq }, to)).rejects.toMatchObject({ code: "name_taken" });
    const other = await at.open({ team: to });
    expect(await other.board.task(one.id)).toMatchObject({
      owner: "alice",
      attempt: 1,
      description: "second",
    });
    expect((await other.roster.members()).map(({ name: who, host: by, usd }) => [who, by, usd])).toEqual([
      ["alice", null, 0],
      ["bob", null, 0],
      ["lead", null, 0],
    ]);
    expect(await other.crons.list()).toEqual([]);
    expect(await other.roster.hosts()).toEqual([]);
    expect(JSON.stringify(await other.transcript.current(alice.name))).not.toContain('"session":"s1"');
    expect(await other.transcript.current(alice.name)).toContainEqual(heard('"acp":{"session":"quoted"}'));
    const noted = (
      await other.journal.read(other.journal.from(0), { types: ["note.written", "note.changed"] })
    ).events;
    expect(noted).toMatchObject([{ seq: (noted[1] as { note?: number }).note }, { text: "new" }]);
    expect(await facts(other)).not.toContain("turn.taken");

    await other.roster.open(host("there"), "this machine", process.pid);
    const again = (await other.roster.adopt(alice.name, host("there"))) as Seat;
    expect(await other.board.mine(alice.name)).toMatchObject({ id: one.id });
    await other.board.change(one.id, { description: "fourth" }, PERSON);
    expect((await other.board.complete(held(again, one), "otherwise")).map(Number)).toEqual([2]);
    expect((await other.board.add({ subject: "d" }, PERSON)).id).toBe(4);
    const words = (await other.journal.read(other.journal.from(0), { types: ["task.added", "task.changed"] }))
      .events;
    expect(
      words
        .flatMap((one) =>
          "description" in one ? one.description : one.type === "task.changed" ? one.now?.description : [],
        )
        .filter(Boolean),
    ).toEqual(["first", "second", "fourth"]);
    expect(await store.board.task(one.id)).toMatchObject({
      status: "completed",
      result: "done",
      description: "third",
    });

    // A fork of the fork, before it began, is one of the original.
    await expect(fork(other, { seq: noted[0]?.seq }, name("x"))).rejects.toThrow(
      "is a fork, and that was before it began",
    );
    expect(await fork(other, {}, name(`${to}-2`))).toMatchObject({ counts: { completed: 1, pending: 3 } });
  });

  it("begins before the last attempt of a task, at a time, and at no other place", async () => {
    const { store, seats } = await at.crew(["alice"]);
    const [alice] = seats as [Seat];
    await store.board.addAll([{ subject: "a" }, { subject: "b" }], PERSON);
    await at.clock.advance(5);
    const time = at.clock.now();
    const one = await claimed(store, alice);
    await at.clock.advance(5);
    await store.board.fail(held(alice, one), "cannot");
    expect(await fork(store, { task: one.id })).toMatchObject({ counts: { ready: 2, failed: 0 } });
    expect(await fork(store, { at: time }, name("at-time"))).toMatchObject({ counts: { inProgress: 1 } });
    // The facts of one transaction are not separated.
    const [first] = (await store.journal.read(store.journal.from(0), { types: ["task.added"] })).events;
    expect(await fork(store, { seq: first?.seq }, name("whole"))).toMatchObject({ counts: { total: 2 } });
    const bad = (wanted: object) => fork(store, wanted, name("never"));
    await expect(bad({ task: asTaskId(2) })).rejects.toMatchObject({ code: "not_found" });
    await expect(bad({ seq: 987_654_321 })).rejects.toMatchObject({ code: "not_found" });
    await expect(bad({ at: instant(1) })).rejects.toThrow("is before the team began");
    await at.clock.advance(5);
    await store.prune(at.clock.now(), PERSON);
    await expect(bad({ at: time })).rejects.toThrow("was deleted");
    expect(await store.teams()).not.toContain("never");
  });
});

// The databases undo a transaction; that all is one transaction does not depend on which.
describe.runIf(BACKENDS.includes("sqlite"))("a fork whose process is killed", () => {
  const at = stage("sqlite");
  it("is whole or absent, and the original is as it was", { timeout: 300_000 }, async () => {
    const random = randomFrom(FUZZ.seed);
    const { store, seats } = await at.crew(["alice"]);
    await store.board.addAll(
      Array.from({ length: 2_000 }, (_, nth) => ({ subject: `${nth}` })),
      PERSON,
    );
    const point = await lastSeq(at.url, store.team);
    await at.clock.advance(1);
    for (let nth = 0; nth < 400; nth += 1)
      await store.board.complete(held(seats[0] as Seat, await claimed(store, seats[0] as Seat)), "done");
    const before = await whole(at.url, store.team);
    let absent = 0;
    for (let nth = 0; nth < KILLS; nth += 1) {
      const to = `killed-${nth}`;
      const child = start({
        url: at.url,
        team: store.team,
        job: "fork",
        to,
        seq: point,
        waitMs: nth === 0 ? 0 : random(120), // a fast machine ends a fork before most of these
      });
      await child.ended();
      const rows = await inSnapshot(at.url, (ask) =>
        ask(`select (select count(*) from tasks where team = '${to}' and status = 'pending') as tasks,
          (select count(*) from teams where name = '${to}') as teams, (select count(*) from events where team = '${to}') as facts`),
      );
      expect([
        { tasks: 0, teams: 0, facts: 0 },
        { tasks: 2_000, teams: 1, facts: 2_005 },
      ]).toContainEqual({ ...rows[0] });
      if (Number(rows[0]?.teams) === 0) absent += 1;
    }
    expect(absent).toBeGreaterThan(0);
    expect(await whole(at.url, store.team)).toBe(before);
  });
});
