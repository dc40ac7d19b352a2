/** Plans on PostgreSQL: a team newer than the statistics must not make a step read its whole board. */
import { expect, inject, it } from "vitest";
import { systemClock } from "../../src/adapters/clock.ts";
import { addressOf } from "../../src/adapters/store/databases/postgres-address.ts";
import { openStore } from "../../src/adapters/store/index.ts";
import type { Store } from "../../src/ports/store.ts";
import { connect, dropSchema, host, name, profile } from "../fixtures/stage.ts";

const SCHEMA = "plans";
const HALF = 500;
const open = (team: string): Promise<Store> =>
  openStore({
    url: `${inject("postgresUrl")}?schema=${SCHEMA}&application_name=${SCHEMA}`,
    team: name(team),
    clock: systemClock,
  });

/** The second half waits for the first, task by task. */
const fill = (store: Store): Promise<unknown> =>
  store.board.addAll(
    Array.from({ length: 2 * HALF }, (_, i) => ({
      subject: `Task ${i + 1}`,
      blockedBy: i < HALF ? [] : [{ nth: i - HALF }],
    })),
    name("person"),
  );

it("plans each statement once, unless the address says otherwise", async () => {
  const modeOf = async (more: string): Promise<unknown> => {
    const client = await connect(addressOf(`${inject("postgresUrl")}?schema=${SCHEMA}${more}`).url);
    const { rows } = await client.query("show plan_cache_mode");
    await client.end();
    return rows[0]?.plan_cache_mode;
  };
  expect(await modeOf("")).toBe("force_generic_plan");
  expect(await modeOf("&options=-c%20plan_cache_mode%3Dauto")).toBe("auto");
});

it("reads a few rows to claim and complete, on a board that is newer than the statistics", async () => {
  const client = await connect(inject("postgresUrl"));
  /** The number of rows that the store's connections have read. PostgreSQL counts them when a connection ends. */
  const read = async (): Promise<number> => {
    const open = `select 1 from pg_stat_activity where application_name = '${SCHEMA}'`;
    await expect.poll(async () => (await client.query(open)).rows.length).toBe(0);
    const { rows } = await client.query(`
      select sum(seq_tup_read) + (select sum(idx_tup_read) from pg_stat_user_indexes where schemaname = '${SCHEMA}') as rows
      from pg_stat_user_tables where schemaname = '${SCHEMA}'`);
    return Number(rows[0]?.rows);
  };

  const old = await open("old");
  await fill(old);
  await client.query(`analyze ${SCHEMA}.tasks, ${SCHEMA}.edges`);
  const young = await old.forTeam(name("young"));
  await fill(young);
  await young.roster.open(host("here"), "this machine", process.pid);
  const me = await young.roster.join(profile("ann"), host("here"), name("person"));
  await young.close();
  await old.close();

  const before = await read();
  const store = await open("young");
  for (let i = 0; i < 3; i += 1) {
    const task = await store.board.claimNext(me);
    if (!task) throw new Error("nothing was ready");
    const ready = await store.board.complete({ seat: me, task: task.id, attempt: task.attempt }, "done");
    expect(ready).toEqual([task.id + HALF]);
  }
  await store.close();
  expect((await read()) - before).toBeLessThan(HALF);

  await client.end();
  await dropSchema(inject("postgresUrl"), SCHEMA);
});
