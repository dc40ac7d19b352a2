/**
 * The shared store: any number of machines, one PostgreSQL. Each operation is one READ COMMITTED transaction. The rows it depends on
 * are locked, or re-checked by the statement that changes them. All tables are in a schema of their own.
 *
 * It uses `pg` instead of `postgres` 3.4.9. When a connection is cut inside a transaction, the latter writes to a closed socket in a
 * callback that nobody can catch (porsager/postgres#1208), and the process ends; the reconnected slot never sends again.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Pool, PoolClient, PoolConfig } from "pg";
import { messageOf } from "../../../core/errors.ts";
import { type Dialect, type Driver, type Op, type Opening, type Query, Raw, type Row } from "../sql.ts";
import { broughtUp, foreign, migrate, readFromCopy, schemaOf } from "../versions/migration.ts";
import { SCHEMA } from "../versions/schema.ts";
import { WakeHub } from "../wake-hub.ts";
import { ListenNotify } from "./listen-notify.ts";
import { isPassing, UnknownCommit } from "./outage.ts";
import { type Address, addressOf, codeOf, isLost, pooled, unavailable } from "./postgres-address.ts";
import { ask } from "./postgres-batch.ts";
import { type Mark, nextMark, readMark, setMark } from "./postgres-marks.ts";

const DIALECT: Dialect = {
  name: "postgres",
  forUpdate: new Raw("for update"),
  skipLocked: new Raw("for update skip locked"),
  clock: new Raw("(extract(epoch from clock_timestamp()) * 1000)::bigint"),
};

const alone = (text: string): Query => ({ text, params: [] });
const BEGIN = alone("begin");
const SNAPSHOT = alone("begin isolation level repeatable read read only");
const COMMIT = alone("commit");
const ROLLBACK = alone("rollback");

/** Serialisation failure and deadlock: the transaction is run again. */
const AGAIN = new Set(["40001", "40P01"]);
const TRIES = 10;
const CLOSE_MS = 2_000;

export async function openPostgres(text: string, opening: Opening): Promise<Driver> {
  const address = addressOf(text);
  const { default: pg } = await import("pg");
  const config: PoolConfig = {
    connectionString: address.url,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // A frozen process must not keep its locks while the others wait for them.
    idle_in_transaction_session_timeout: 10_000,
    max: 10,
  };
  const pool = new pg.Pool(config);
  // The next query reports a dead connection. Without these listeners Node would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  const hub = new WakeHub();
  hub.feed = new ListenNotify(() => new pg.Client(config), pool, `${address.schema}_changed`, hub);
  const driver = new Postgres(pool, address, hub);
  try {
    const older = await driver.prepare(opening);
    if (older === null) return driver;
    await driver.close();
    return await readOlder(new pg.Pool({ ...config, max: 1, idleTimeoutMillis: 0 }), address, older);
  } catch (error) {
    await driver.close();
    throw error;
  }
}

/** `pool`: one connection, which keeps the temporary tables. Nobody is woken: the copy does not change. */
async function readOlder(pool: Pool, address: Address, version: number): Promise<Driver> {
  const { copyOlder, onlyRead } = await import("../versions/older.ts");
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
    void client.query("set search_path = pg_temp").catch(() => {});
  });
  const driver = new Postgres(pool, address, new WakeHub());
  try {
    await driver.write(() => copyOlder(DIALECT, version, `"${address.schema}"`));
    return onlyRead(driver, address.shown, version);
  } catch (error) {
    await driver.close();
    throw error;
  }
}

class Postgres implements Driver {
  readonly dialect = DIALECT;
  readonly hub: WakeHub;
  private readonly pool: Pool;
  private readonly address: Address;
  /** Once the schema is there, each transaction leaves a mark. */
  private marks = false;

  constructor(pool: Pool, address: Address, hub: WakeHub) {
    this.pool = pool;
    this.address = address;
    this.hub = hub;
  }

  /** Creates the schema or brings it up to date, one process at a time. Returns its version where that is older and only read. */
  async prepare(opening: Opening): Promise<number | null> {
    const older = await this.migrate(opening);
    this.marks = true;
    return older;
  }

  private async migrate({ reads, tell }: Opening): Promise<number | null> {
    const { schema, shown } = this.address;
    const found = await this.look(function* (): Op<Row | undefined> {
      const text = `select count(*) as tables, count(*) filter (where table_name = 'meta') as meta, current_setting('search_path') as path
        from information_schema.tables where table_schema = $1`;
      return ((yield { text, params: [schema] }) as Row[])[0];
    });
    if (found?.path !== schema) throw pooled(this.address, String(found?.path));
    if (Number(found?.tables) > 0 && Number(found?.meta) === 0) throw foreign(shown);
    const version = Number(found?.meta) > 0 ? await this.look(() => schemaOf(shown)) : 0;
    if (version === SCHEMA) return null;
    if (version > 0 && reads) {
      tell(readFromCopy(shown, version));
      return version;
    }
    await this.write(function* (): Op<void> {
      yield alone("set local lock_timeout = 0"); // another process may be at it
      yield {
        text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
        params: [`ekiden schema ${schema}`],
      };
      const known = yield { text: "select 1 as one from pg_namespace where nspname = $1", params: [schema] };
      if (known.length === 0) yield { text: `create schema "${schema}"`, params: [] };
      yield* migrate(DIALECT, shown);
    });
    if (version > 0) tell(broughtUp(shown, version, null));
    return null;
  }

  look<T>(op: () => Op<T>): Promise<T> {
    return this.guard(async () => {
      const client = await this.pool.connect();
      try {
        return (await run(client, op, []))[0];
      } finally {
        client.release();
      }
    });
  }

  read<T>(op: () => Op<T>): Promise<T> {
    return this.guard(() => this.transaction(SNAPSHOT, op));
  }

  async write<T>(op: () => Op<T>): Promise<T> {
    try {
      return await this.tried(op);
    } catch (error) {
      throw error instanceof Undecided ? this.unknown(op, error as Undecided<T>) : error;
    }
  }

  private unknown<T>(op: () => Op<T>, lost: Undecided<T>): UnknownCommit<T> {
    const { mark, result } = lost;
    const { message } = unavailable(lost.cause, this.address) as Error;
    const decide = async (): Promise<T> => {
      let rows: Row[];
      try {
        rows = await this.look(function* (): Op<Row[]> {
          return (yield readMark(mark)) as Row[];
        });
      } catch (error) {
        throw isPassing(error) ? this.unknown(op, lost) : error;
      }
      return rows[0]?.value === mark.value ? result : await this.write(op);
    };
    return new UnknownCommit(message, decide, { cause: lost.cause });
  }

  private tried<T>(op: () => Op<T>): Promise<T> {
    return this.guard(async () => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await this.transaction(BEGIN, op);
        } catch (error) {
          if (tries === TRIES || !AGAIN.has(codeOf(error))) throw error;
          await pause(Math.random() * 10 * tries);
        }
      }
    });
  }

  /** Waits a short time only: silent connections must not keep a process whose work is done. */
  async close(): Promise<void> {
    const closed = this.hub.close().then(() => this.pool.end());
    await Promise.race([closed, pause(CLOSE_MS, undefined, { ref: false })]);
  }

  /** Sends `begin` and blind queries together with the next query whose rows are needed, or with the commit. */
  private async transaction<T>(begin: Query, op: () => Op<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      const mark = begin === BEGIN && this.marks ? await nextMark(client) : null;
      const [result, unsent] = await run(client, op, [begin]);
      try {
        await ask(client, [...unsent, ...(mark ? [setMark(mark)] : []), COMMIT]);
      } catch (error) {
        throw mark && isLost(error) ? new Undecided(mark, result, error) : error;
      }
      return result;
    } catch (error) {
      await ask(client, [ROLLBACK]).catch((lost: unknown) => {
        broken = new Error(messageOf(lost));
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  private async guard<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      throw error instanceof Undecided ? error : unavailable(error, this.address);
    }
  }
}

/** The connection was lost during the commit. */
class Undecided<T> extends Error {
  readonly mark: Mark;
  readonly result: T;

  constructor(mark: Mark, result: T, cause: unknown) {
    super(messageOf(cause), { cause });
    this.mark = mark;
    this.result = result;
  }
}

/** Returns the result of the operation and the blind queries that were not sent yet. */
async function run<T>(client: PoolClient, op: () => Op<T>, before: readonly Query[]): Promise<[T, Query[]]> {
  const steps = op();
  let unsent = [...before];
  let step = steps.next([]);
  while (!step.done) {
    const asked = step.value;
    if ("text" in asked && asked.blind) {
      unsent.push(asked);
      step = steps.next([]);
      continue;
    }
    const first = unsent.length;
    const rows = await ask(client, unsent.concat(asked));
    unsent = [];
    step = steps.next("text" in asked ? (rows[first] ?? []) : rows.slice(first));
  }
  return [step.value, unsent];
}
