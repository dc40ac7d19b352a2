/**
 * PostgreSQL reads as much for an operation in a store with much past as in a new one. Its planner has no statistics on teams, so that a
 * statement with two indexes to choose from may read all rows of a team: this shows it.
 */
import { randomUUID } from "node:crypto";
import type { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ManualClock } from "../../src/adapters/clock.ts";
import { openStore } from "../../src/adapters/store/index.ts";
import { heard } from "../../src/core/conversation/chat.ts";
import { LEAD, PERSON } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { claimed, connect, held, host, name, profile } from "../fixtures/stage.ts";
import { type Server, startPostgres } from "../postgres.ts";

let server: Server;
let client: Client;

beforeAll(async () => {
  server = await startPostgres();
  const first = await connect(server.url);
  await first.query("alter system set shared_preload_libraries = 'pg_stat_statements'");
  await first.end();
  await server.down("stopped");
  await server.up();
  client = await connect(server.url);
  await client.query("create extension pg_stat_statements");
});

afterAll(async () => {
  await client?.end();
  await server?.stop();
});

const TEAMS = ["alpha", "beta"] as const;
const note = (text: string) => ({ kind: "note", text }) as const;

/**
 * Fills a store as a long life does: done tasks and few that wait, read mail, conversations, facts, requests, jobs. Few members have
 * left, because their names are used again.
 */
async function fill(schema: string, rows: number): Promise<void> {
  await client.query(`set search_path to ${schema}, public`);
  for (const team of TEAMS) {
    const half = rows / 2;
    const columns = `team, id, status, subject, description, blocked_by, open_blockers, priority, estimate, chain, role, touches, needs_plan, owner,
      attempt, created_by, created_at, updated_at`;
    const statements = [
      `insert into tasks (${columns}) select $1, 1000000 + i, 'completed', 's', '', '[]', 0, 0, 1, 1, '', '[]', 0, 'gone-' || i % 100, 1, 'lead', i, i
        from generate_series(1, $2::int) i`,
      `insert into tasks (${columns}) select $1, 2000000 + i, case when i > 50 then 'completed' else 'pending' end, 's', '', '[]',
          case when i > 50 then 0 else 1 end, 0, 1, 1, 'other', '[]', 0, null, 0, 'lead', i, i
        from generate_series(1, $2::int) i`,
      "insert into edges (team, task, blocker) select $1, 2000000 + i, 1000000 + i from generate_series(1, $2::int) i",
      `insert into mail (team, sender, recipient, at, urgent, kind, wakes, turn, body, state)
        select $1, 'lead', 'gone-' || i % 100, i, 0, 'note', 1, 2, '{"kind":"note","text":"t"}', 1 from generate_series(1, $2::int) i`,
      `insert into transcript (team, name, life, at, kind, entry)
        select $1, 'gone-' || i % 100, 0, i, 'heard', '{"kind":"heard","text":"t"}' from generate_series(1, $2::int) i`,
      `insert into events (team, at, type, data) select $1, i, 'tool.called', '{"who":"gone-1"}' from generate_series(1, $2::int) i`,
      `insert into events (team, at, type, data) select $1, i, 'task.checked', '{"task":' || 1000000 + i || '}' from generate_series(1, $2::int) i`,
      `insert into requests (team, id, kind, subject, ask, asker, asked, at, deadline, state)
        select $1, 'r-' || i, 'permission', 's', '{}', 'gone-1', 'person', i, i, 'withdrawn' from generate_series(1, $2::int) i`,
      `insert into jobs (team, id, owner, command, state, machine, host, started_at, output_path)
        select $1, 1000000 + i, 'gone-1', 'true', 'done', 'm', 'h', i, '' from generate_series(1, $2::int) i`,
      `insert into members (team, name, kind, role, model, prompt, needs_plan, phase, since, joined_at)
        select $1, 'gone-' || i, 'teammate', '', '', '', 0, 'shutdown', i, i from generate_series(1, least(100, $2::int)) i`,
    ];
    for (const text of statements) await client.query(text, [team, half]);
  }
}

/** One of everything that happens again and again in a run. */
async function live(store: Store): Promise<void> {
  const { board, mail, roster, transcript, requests, jobs, crons, journal } = store;
  const here = host(randomUUID());
  await roster.open(here, "machine", process.pid);
  await roster.beat(here);
  await roster.join(profile("lead", { kind: "lead" }), here, PERSON);
  const [alice, bob] = [
    await roster.join(profile("alice"), here, LEAD),
    await roster.join(profile("bob", { role: "tester" }), here, LEAD),
  ];
  if (!alice || !bob) throw new Error("nobody joined");
  const end = await journal.end();
  expect(await board.hasProspect(alice.name)).toBe(false);
  const first = await board.add({ subject: "first" }, LEAD);
  await board.addAll(
    [
      { subject: "after it", blockedBy: [first.id] },
      { subject: "with files", touches: ["src/**"] },
      { subject: "a role's", role: "tester" },
      { subject: "kept", assignee: name("bob") },
      { subject: "one more" },
    ],
    LEAD,
  );
  const task = await claimed(store, alice);
  expect(await board.mine(alice.name)).toMatchObject({ id: task.id });
  await transcript.record(alice, [heard("hello")], { mail: [{ to: LEAD, body: note("well") }] });
  await transcript.current(alice.name);
  await board.refuse(held(alice, task), { why: "gate", evidence: "red", failure: "red" });
  await board.complete(held(alice, task), "done", () => heard("done"));
  for (const seat of [bob, alice, bob]) {
    const next = await claimed(store, seat);
    await board.release(held(seat, next), "given_back", "no");
    const again = await board.claim(seat, next.id);
    if (!again.ok) throw new Error(`not claimed: ${again.why}`);
    await board.complete(held(seat, again.task), "done");
  }
  const failing = await claimed(store, alice);
  await board.fail(held(alice, failing), "cannot");
  await board.retry(failing.id, LEAD);
  await board.change(failing.id, { addBlockedBy: [(await board.add({ subject: "before" }, LEAD)).id] }, LEAD);
  await board.assign(failing.id, alice.name, LEAD);
  await board.cancel(failing.id, LEAD, "no");
  await board.hasProspect(alice.name);
  await board.task(first.id);
  await journal.ofTask(first.id, ["task.checked", "task.reviewed"]);
  for (const seat of [alice, bob]) for (;;) if (!(await board.claimNext(seat))) break;
  const taken = await board.mine(alice.name);
  if (!taken) throw new Error("alice has no task");
  await board.takeBack(taken.id, LEAD);
  const id = await mail.send(LEAD, { to: alice.name, body: note("hi") });
  await mail.unread(alice.name);
  await mail.waking(alice.name);
  await mail.deliver(alice, (all) => all.map(() => heard("mail")));
  await mail.box(alice.name, 10);
  await mail.mail(id);
  await mail.take(PERSON);
  const ask = { kind: "permission", tool: "bash", subject: "ls" } as const;
  const request = await requests.ask(alice.name, PERSON, ask, 1e13 as never);
  await requests.open({ of: PERSON });
  await requests.answer(PERSON, request.id, "permission", { yes: true, text: "" });
  await requests.planFor(first.id, 1);
  await requests.expire("late");
  const job = await jobs.add(alice, { command: "true", machine: "machine", outputPath: "/none" });
  await jobs.started(job.id, 1);
  await jobs.running(alice.name);
  await jobs.list(alice.name, 10);
  await jobs.end(job.id, { state: "done", exitCode: 0, signal: null }, "done");
  await jobs.lose(() => "lost");
  await crons.fire();
  await roster.setActivity(alice, { phase: "idle", reason: "no_tool_use" } as never);
  await roster.teammates(10);
  await roster.member(alice.name);
  await roster.wanted(here);
  await roster.hosts();
  await roster.fence(() => true);
  await roster.reap(() => true);
  await journal.read(end, { limit: 100 });
  await journal.read(end, { limit: 100, types: ["task.claimed"] });
  await board.announceQuiet();
  await roster.leave(bob, "asked", "bye");
  await roster.suspend(here);
  await roster.open(here, "machine", process.pid);
  const again = await roster.adopt(alice.name, here, { revive: true });
  if (!again) throw new Error("alice was not adopted");
  await roster.leave(again, "asked", "bye");
}

/** The most blocks that a call of each statement read, by its text. */
async function blocks(): Promise<Map<string, number>> {
  const { rows } = await client.query<{ query: string; blocks: number }>(`
    select regexp_replace(query, '\\s+', ' ', 'g') as query, max((shared_blks_hit + shared_blks_read) / calls)::int as blocks
    from pg_stat_statements group by 1`);
  return new Map(rows.map((row) => [row.query, row.blocks]));
}

async function measured(schema: string, rows: number): Promise<Map<string, number>> {
  const url = `${server.url}?schema=${schema}`;
  await (await openStore({ url, team: name("other"), clock: new ManualClock() })).close();
  if (rows > 0) await fill(schema, rows);
  const all = new Map<string, number>();
  for (const analyzed of [false, true]) {
    if (analyzed) await client.query("analyze");
    await client.query("select pg_stat_statements_reset()");
    const store = await openStore({ url, team: name(analyzed ? "beta" : "alpha"), clock: new ManualClock() });
    await live(store);
    await store.close();
    for (const [query, count] of await blocks()) all.set(query, Math.max(count, all.get(query) ?? 0));
  }
  return all;
}

it("reads as much with much past as without", { timeout: 120_000 }, async () => {
  const small = await measured("small", 0);
  const large = await measured("large", 40_000);
  const more = [...large].filter(([query, count]) => count > 3 * (small.get(query) ?? 0) + 60);
  expect(more).toEqual([]);
});
