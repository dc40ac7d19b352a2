/** A PostgreSQL that goes away: operations wait for it, and each takes effect once. */
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { systemClock } from "../../src/adapters/clock.ts";
import { openStore } from "../../src/adapters/store/index.ts";
import { LEAD } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { type Cuttable, proxyTo } from "../fixtures/proxy.ts";
import { soon } from "../fixtures/soon.ts";
import { stage } from "../fixtures/stage.ts";

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

async function open(isPatient = true): Promise<Store> {
  const url = new URL(proxy.url);
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

it("waits while the server is away, says so once, and goes on", async () => {
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
