/** Migration of a store of schema version 4: columns that were added later are filled from its journal. */
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { systemClock } from "../../src/adapters/clock.ts";
import { databaseClass } from "../../src/adapters/store/databases/sqlite-file.ts";
import { type Access, openStore, teamsAt } from "../../src/adapters/store/index.ts";
import { asTaskId } from "../../src/core/ids.ts";
import { Picture } from "../../src/core/picture/picture.ts";
import { shownOf } from "../../src/core/picture/task.ts";
import type { Cursor, Store } from "../../src/ports/store.ts";
import { BACKENDS, type Backend, connect, dropSchema, host, name } from "../fixtures/stage.ts";
import { takeAway } from "../fixtures/take-away.ts";

/** The tables of version 4, in SQLite's dialect. */
const TABLES = readFileSync(new URL("../fixtures/stores/schema-4.sql", import.meta.url), "utf8");
const APPLICATION_ID = 0x456b646e;

const onPostgres = (text: string): string =>
  text
    .replace(/(seq|id) integer primary key/g, "$1 bigint generated always as identity primary key")
    .replace("CREATE TABLE events (", "$& xid bigint not null default (pg_current_xact_id()::text::bigint),")
    .replaceAll(" integer", " bigint")
    .replaceAll(" real", " double precision")
    .replaceAll(") strict;", ");")
    .concat("create index events_order on events (team, xid, seq);");

const task = (id: number, status: string, owner: string | null, attempt: number): string =>
  `insert into tasks (team, id, status, subject, description, blocked_by, open_blockers, priority, estimate, chain, role, touches,
    needs_plan, owner, attempt, tries, created_by, created_at, updated_at)
  values ('default', ${id}, '${status}', 'Task ${id}', 'Run it', '[]', 0, 0, 1, 1, '', '[]', 0, ${owner ? `'${owner}'` : "null"},
    ${attempt}, ${attempt}, 'person', 1, 1);`;
const fact = (type: string, data: object | string): string =>
  `insert into events (team, at, type, data) values ('default', 1, '${type}', '${typeof data === "string" ? data : JSON.stringify(data)}');`;
const refused = (attempt: number) => ({ task: 1, by: "alice", attempt, why: "gate", evidence: "red\0" });

const ROWS = [
  `insert into meta values ('application', '${APPLICATION_ID}'), ('version', '4');`,
  "insert into teams (name, next_task, created_at) values ('default', 5, 1);",
  "insert into hosts values ('default', 'here', 'machine', 1, 1, 1);",
  "insert into members (team, name, kind, role, model, prompt, needs_plan, phase, since, host, joined_at) values ('default', 'alice', 'teammate', 'C++  Dev', '', '', 0, 'work', 1, 'here', 1);",
  task(1, "in_progress", "alice", 2),
  task(2, "completed", "alice", 1),
  task(3, "pending", null, 0),
  task(4, "pending", null, 0),
  fact("task.reopened", refused(1)),
  fact("task.reopened", refused(2)),
  fact("task.reopened", "{damaged"),
  fact("task.reopened", refused(2)),
  fact("task.landed", { task: 2, by: "alice", branch: "ekiden/2", target: "main", commit: "c0ffee" }),
  fact("task.changed", { task: 3, by: "lead", what: ["description"] }),
  fact("task.changed", { task: 4, by: "lead", what: ["priority"] }),
  fact("mail.sent", { mail: 1, from: "ekiden", to: "alice", kind: "alarm" }),
  `insert into mail (team, sender, recipient, at, urgent, kind, wakes, turn, body)
    values ('default', 'ekiden', 'alice', 1, 0, 'alarm', 1, 2, '${JSON.stringify({ kind: "alarm", cron: "c1", text: 'Look at "kind":"alarm".' })}');`,
].join("\n");

describe.each(BACKENDS)("a store of schema version 4 on %s", (backend: Backend) => {
  const schema = `v4_${process.pid}`;
  let folder = "";
  let url = "";
  let opened: Store | undefined;
  beforeEach(async () => {
    if (backend === "sqlite") {
      folder = mkdtempSync(join(tmpdir(), "ekiden-v4-"));
      const Database = await databaseClass();
      const db = new Database(join(folder, "team.db"), {});
      db.exec(`pragma application_id = ${APPLICATION_ID}; ${TABLES} ${ROWS}`);
      db.close();
      url = `sqlite:${join(folder, "team.db")}`;
    } else {
      url = `${inject("postgresUrl")}?schema=${schema}`;
      const client = await connect(inject("postgresUrl"));
      await client.query(
        `create schema ${schema}; set search_path = ${schema}; ${onPostgres(TABLES)} ${ROWS}`,
      );
      await client.end();
    }
  });
  const open = async (access?: Access, tell?: (text: string) => void): Promise<Store> => {
    opened = await openStore({
      url,
      team: name("default"),
      clock: systemClock,
      ...(access && { access }),
      ...(tell && { tell }),
    });
    return opened;
  };
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
    if (backend === "sqlite") takeAway(folder);
    else await dropSchema(inject("postgresUrl"), schema);
  });
  const run = async (text: string): Promise<void> => {
    if (backend === "sqlite") {
      const db = new (await databaseClass())(join(folder, "team.db"), {});
      db.exec(text);
      db.close();
    } else {
      const client = await connect(inject("postgresUrl"));
      await client.query(`set search_path = ${schema}; ${text}`);
      await client.end();
    }
  };

  it("is read from a copy, which takes no writes, and is unchanged by it", async () => {
    await run("update hosts set lease_until = 9000000000000000"); // a process of the older version lives
    const told: string[] = [];
    const store = await open("look", (text) => told.push(text));
    expect(told).toEqual([expect.stringMatching(/has schema 4\b.*stays unchanged.*`ekiden resume`/)]);
    expect(await teamsAt({ url })).toEqual(["default"]);
    expect((await store.board.tasks()).map(({ id, status }) => [id, status])).toEqual([
      [1, "in_progress"],
      [2, "completed"],
      [3, "pending"],
      [4, "pending"],
    ]);
    expect((await store.journal.read("" as Cursor)).events.length).toBeGreaterThan(4);
    await expect(store.board.change(asTaskId(3), { priority: 1 }, name("lead"))).rejects.toMatchObject({
      code: "store_older",
      message: expect.stringMatching(/schema 4; .* Nothing was changed\. .*ekiden resume/),
    });
    await expect(run("select * from reservations")).rejects.toThrow();
    if (backend === "sqlite") expect(readdirSync(folder)).not.toContain("team.db.schema-4");
  });

  it("is brought up to date beside a reader of this process", async () => {
    const reader = await openStore({ url, team: name("default"), clock: systemClock, access: "look" });
    try {
      const store = await open("use");
      await store.board.change(asTaskId(3), { priority: 7 }, name("lead"));
      expect(await reader.board.task(asTaskId(3))).toMatchObject({ priority: 0 });
      expect(await store.board.task(asTaskId(3))).toMatchObject({ priority: 7 });
    } finally {
      await reader.close();
    }
  });

  it("is not changed while a process that knows only that version has a lease", async () => {
    await run("update hosts set lease_until = 9000000000000000");
    await expect(open()).rejects.toMatchObject({
      code: "store_older",
      message: expect.stringMatching(/pid 1 on machine/),
    });
    await expect(run("select * from reservations")).rejects.toThrow();
    await run("update hosts set lease_until = 1");
    expect(await (await open()).teams()).toEqual(["default"]);
  });

  if (backend === "sqlite")
    it("is copied before it is brought up to date", async () => {
      await open();
      const copy = new (await databaseClass())(join(folder, "team.db.schema-4"), {});
      expect(copy.prepare("select value from meta where name = 'version'").get()).toEqual({ value: "4" });
      expect(copy.prepare("select count(*) as n from tasks").get()).toEqual({ n: 4 });
      copy.close();
      expect(readdirSync(folder).filter((file) => file.includes(".schema-"))).toEqual(["team.db.schema-4"]);
    });

  it("keeps the refusals of the present attempt", async () => {
    const store = await open();
    const held = { seat: { name: name("alice"), host: host("here") }, task: asTaskId(1), attempt: 2 };
    const refusal = { why: "hook", evidence: "still red", failure: "Refused 3 times." } as const;
    expect(await store.board.refuse(held, refusal)).toBe(3);
    expect(await store.board.task(held.task)).toMatchObject({ status: "failed", reason: "Refused 3 times." });
  });

  it("folds roles, so that old members can claim new tasks", async () => {
    const store = await open();
    expect(await store.roster.member(name("alice"))).toMatchObject({ role: "c++ dev" });
  });

  it("does not record a landing twice", async () => {
    const store = await open();
    const landing = { branch: "ekiden/2", target: "main", commit: "c0ffee" };
    await store.board.landed(asTaskId(2), name("alice"), landing);
    const { events } = await store.journal.read("" as Cursor, { types: ["task.landed"] });
    expect(events).toHaveLength(1);
  });

  it("calls the mail of a cron a cron, and leaves its text alone", async () => {
    const store = await open();
    expect(await store.mail.unread(name("alice"))).toMatchObject([
      { body: { kind: "cron", cron: "c1", text: 'Look at "kind":"alarm".' } },
    ]);
    const { events } = await store.journal.read("" as Cursor, { types: ["mail.sent"] });
    expect(events).toMatchObject([{ kind: "cron" }]);
  });

  it("knows who last wrote each description", async () => {
    const store = await open();
    const tasks = await store.board.tasks();
    expect(tasks.map((one) => one.describedBy)).toEqual(["person", "person", "lead", "person"]);
  });

  it("says in the journal what is on the board", async () => {
    await run(
      `insert into events (team, at, type, data) values ('default', 1, 'task.added', '{"task":1,"subject":"Old","by":"person","blockedBy":[]}')`,
    );
    const store = await open();
    const picture = new Picture();
    const { events } = await store.journal.read("" as Cursor);
    for (const event of events) picture.apply(event);
    const tasks = (await store.board.tasks()).map(shownOf);
    const [{ subject, description, role, priority, touches } = {}] = tasks;
    expect(picture.tasks.get(1)).toMatchObject({ subject, description, role, priority, touches });
    expect(subject).not.toBe("Old");
  });

  it("stores each text once, also those of facts that held them", async () => {
    const added = (task: number, description: string) =>
      fact("task.added", { task, by: "person", description });
    await run([added(1, "Run it"), added(2, "Older words")].join("\n"));
    const store = await open();
    const told = async () =>
      (await store.journal.read("" as Cursor, { types: ["task.added"] })).events.map((event) =>
        "description" in event ? event.description : null,
      );
    expect(await told()).toEqual(["Run it", "Older words"]);
    await store.board.change(asTaskId(1), { description: "New" }, name("lead"));
    await store.board.change(asTaskId(2), { description: "New" }, name("lead"));
    expect(await told()).toEqual(["Run it", "Older words"]);
    if (backend === "postgres") return;
    const db = new (await databaseClass())(join(folder, "team.db"), {});
    const rows = db.prepare("select data from events where type in ('task.added', 'task.changed')").all();
    db.close();
    expect(JSON.stringify(rows)).toContain("Older words");
    expect(JSON.stringify(rows)).not.toMatch(/Run it|New/);
  });
});
