/** A PostgreSQL that goes away: operations wait for it, and each takes effect once. */
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { systemClock } from "../../src/adapters/clock.ts";
import { openStore } from "../../src/adapters/store/index.ts";
import { LEAD } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { type Cuttable, proxyTo } from "../fixtures/proxy.ts";
import { soon } from "../fixtures/soon.ts";
import { connect, stage } from "../fixtures/stage.ts";

const at = stage("postgres");
let proxy: Cuttable;
let stores: Store[] = [];
let giveUp = new AbortController();
let told: string[] = [];

beforeEach(async () => {
  proxy = await proxyTo(inject("postgresUrl"));
  giveUp = new AbortController();
  told = [];
});
afterEach(async () => {
  giveUp.abort();
  await Promise.all(stores.map((store) => store.close()));
  stores = [];
  await proxy.close();
});

async function open(isPatient = true, more: Readonly<Record<string, string>> = {}): Promise<Store> {
  const url = new URL(proxy.url);
  url.username = more.user ?? url.username;
  if (more.options) url.searchParams.set("options", more.options);
  url.searchParams.set("schema", new URL(at.url).searchParams.get("schema") ?? "");
  const outage = {
    onAway: () => void told.push("away"),
    onBack: () => void told.push("back"),
    giveUp: giveUp.signal,
  };
  const options = isPatient ? { outage } : {};
  const store = await openStore({ url: url.href, team: at.team, clock: systemClock, ...options });
  stores.push(store);
  return store;
}

/** A commit comes with the mark of its connection, whose row was inserted before. */
const isCommit = (sent: string): boolean =>
  sent.includes("connection ") && !sent.includes("insert into meta") && !sent.includes("delete from meta");

it.each(["before", "after"] as const)(
  "a write whose commit is cut %s it reaches the server takes effect once",
  async (when) => {
    const store = await open();
    for (let i = 0; i < 5; i += 1) {
      proxy.cutAt(isCommit, when);
      await store.board.add({ subject: `${i}` }, LEAD);
      expect(proxy.cuts).toBe(i + 1);
    }
    expect((await store.board.tasks()).map(({ subject }) => subject)).toEqual(["0", "1", "2", "3", "4"]);
  },
);

it("waits while the server is away, says so once, and continues", async () => {
  const store = await open();
  await store.board.add({ subject: "first" }, LEAD);
  proxy.down();
  const writes = Promise.all(["a", "b", "c"].map((subject) => store.board.add({ subject }, LEAD)));
  const reads = store.board.counts();
  await soon(() => expect(told).toEqual(["away"]));
  proxy.up();
  await Promise.all([writes, reads]);
  expect(told).toEqual(["away", "back"]);
  expect(await store.board.counts()).toMatchObject({ total: 4 });
});

describe("waits for an operator", () => {
  const ask = async (...queries: string[]): Promise<void> => {
    const client = await connect(inject("postgresUrl"));
    for (const query of queries) await client.query(query);
    await client.end();
  };
  const schema = () => new URL(at.url).searchParams.get("schema") ?? "";

  it.each(["lock_timeout", "statement_timeout"])("where a lock of others meets %s", async (limit) => {
    const store = await open(true, { options: `-c ${limit}=100ms` });
    const other = await connect(inject("postgresUrl"));
    await other.query(`begin; lock table ${schema()}.tasks in access exclusive mode`);
    const writing = store.board.add({ subject: "a" }, LEAD);
    await soon(() => expect(told).toEqual(["away"]));
    await other.query("rollback");
    await other.end();
    await writing;
    expect(told).toEqual(["away", "back"]);
  });

  it("while its tables cannot be seen", async () => {
    const store = await open();
    await ask(`alter schema ${schema()} rename to ${schema()}_away`);
    const writing = store.board.add({ subject: "a" }, LEAD);
    await soon(() => expect(told).toEqual(["away"]));
    await ask(`alter schema ${schema()}_away rename to ${schema()}`);
    await writing;
  });

  it("while its login is refused", async () => {
    const role = `${schema()}_login`;
    await ask(`create role ${role} superuser login password '${new URL(proxy.url).password}'`);
    const store = await open(true, { user: role });
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`;
    await ask(`alter role ${role} nologin`, cut);
    const writing = store.board.add({ subject: "a" }, LEAD);
    await soon(() => expect(told).toEqual(["away"]));
    await ask(`alter role ${role} login`);
    await writing;
    await store.close();
    await ask(`reassign owned by ${role} to current_user`, `drop role ${role}`);
  });
});

it("throws once it is told to give up", async () => {
  const store = await open();
  proxy.down();
  const reading = store.board.counts();
  giveUp.abort();
  await expect(reading).rejects.toMatchObject({ code: "store_unavailable" });
});

it("throws at once where nobody asked it to wait, and says when a change is uncertain", async () => {
  const store = await open(false);
  proxy.cutAt(isCommit, "after");
  await expect(store.board.add({ subject: "a" }, LEAD)).rejects.toThrow("It is not known whether");
  proxy.down();
  await expect(store.board.counts()).rejects.toMatchObject({ code: "store_unavailable" });
});

it("is not used through a pooler that drops the search path of connections", async () => {
  proxy.dropOptions();
  await expect(open()).rejects.toMatchObject({
    code: "store_unavailable",
    message: expect.stringMatching(/search path .*public.* and not t_.*pooler/),
  });
});

it("closes while its connections are silent", async () => {
  const store = await open();
  await store.wake.changed(store.wake.mark(), ["board"], 1);
  proxy.silence();
  void store.board.add({ subject: "a" }, LEAD).catch(() => {});
  const closed = store.close().then(() => "closed");
  expect(await Promise.race([closed, pause(30_000, "waits", { ref: false })])).toBe("closed");
});
