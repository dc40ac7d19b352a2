/**
 * The shared store: any number of machines, one PostgreSQL. Each operation is one READ COMMITTED transaction; what it relies on
 * is locked as a row or re-checked by the statement that changes it. Everything lies in a schema of its own.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Sql, TransactionSql } from "postgres";
import { EkidenError, messageOf } from "../../core/errors.ts";
import type { Topic } from "../../ports/store.ts";
import { type Feed, Hub } from "./hub.ts";
import { foreign, isCurrent, migrate } from "./schema.ts";
import { type Dialect, type Driver, type Op, type Query, Raw, type Row } from "./sql.ts";

const DIALECT: Dialect = {
  name: "postgres",
  forUpdate: new Raw("for update"),
  skipLocked: new Raw("for update skip locked"),
};

/** Serialisation failure, deadlock: run again. */
const AGAIN = new Set(["40001", "40P01"]);
const TRIES = 10;

/** Where the server is, fit to be shown: without the password. */
type Address = {
  readonly url: string;
  readonly schema: string;
  readonly shown: string;
  readonly password: string;
};

function read(text: string): Address {
  try {
    const url = new URL(text);
    const schema = url.searchParams.get("schema") ?? "ekiden";
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) throw new Error(`"${schema}" is not a usable schema name`);
    url.searchParams.delete("schema");
    const shown = `postgres://${url.host}${url.pathname} (schema ${schema})`;
    return { url: url.href, schema, shown, password: decodeURIComponent(url.password) };
  } catch (error) {
    throw new EkidenError(
      "store_unavailable",
      `The address of the PostgreSQL store cannot be read: ${messageOf(error).replace(text, "…")}. Write it as postgres://user:password@host:5432/database.`,
    );
  }
}

export async function openPostgres(text: string): Promise<Driver> {
  const address = read(text);
  const { default: postgres } = await import("postgres");
  const sql = postgres(address.url, {
    max: 10,
    connect_timeout: 10,
    fetch_types: false,
    onnotice: () => {},
    // Ids and milliseconds fit into 2^53.
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
    connection: { search_path: address.schema, application_name: "ekiden" },
  });
  const driver = new Postgres(sql as unknown as Sql, address);
  try {
    await driver.prepare();
    return driver;
  } catch (error) {
    await driver.close();
    throw error;
  }
}

class Postgres implements Driver {
  readonly dialect = DIALECT;
  readonly hub = new Hub();
  readonly #sql: Sql;
  readonly #address: Address;

  constructor(sql: Sql, address: Address) {
    this.#sql = sql;
    this.#address = address;
    this.hub.feed = new Notices(sql, `${address.schema}_changed`, this.hub);
  }

  /** Creates or brings up to date the schema, one process at a time. */
  async prepare(): Promise<void> {
    const { schema, shown } = this.#address;
    const [found] = await this.#guard(
      () => this.#sql<{ tables: number; meta: number }[]>`
        select count(*)::int as tables, count(*) filter (where table_name = 'meta')::int as meta
        from information_schema.tables where table_schema = ${schema}`,
    );
    if (found && found.tables > 0 && found.meta === 0) throw foreign(shown);
    if (found && found.meta > 0 && (await this.look(() => isCurrent(shown)))) return;
    await this.#guard(() =>
      this.#sql.begin(async (tx) => {
        await tx`select pg_advisory_xact_lock(hashtextextended(${`ekiden schema ${schema}`}, 0))`;
        const [known] = await tx`select 1 from pg_namespace where nspname = ${schema}`;
        if (!known) await tx.unsafe(`create schema "${schema}"`);
        await run(tx, () => migrate(DIALECT, shown));
      }),
    );
  }

  look<T>(op: () => Op<T>): Promise<T> {
    return this.#guard(() => run(this.#sql, op));
  }

  read<T>(op: () => Op<T>): Promise<T> {
    return this.#guard(() => this.#transaction("isolation level repeatable read read only", op));
  }

  async write<T>(op: () => Op<T>): Promise<T> {
    return this.#guard(async () => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await this.#transaction("", op);
        } catch (error) {
          if (tries === TRIES || !AGAIN.has(codeOf(error))) throw error;
          await pause(Math.random() * 10 * tries);
        }
      }
    });
  }

  async close(): Promise<void> {
    await this.hub.close();
    await this.#sql.end({ timeout: 5 });
  }

  #transaction<T>(mode: string, op: () => Op<T>): Promise<T> {
    return this.#sql.begin(mode, (tx) => run(tx, op)) as Promise<T>;
  }

  async #guard<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      throw explained(error, this.#address);
    }
  }
}

async function run<T>(on: Sql | TransactionSql, op: () => Op<T>): Promise<T> {
  const steps = op();
  let step = steps.next([]);
  while (!step.done) step = steps.next(await query(on, step.value));
  return step.value;
}

async function query(on: Sql | TransactionSql, { text, params }: Query): Promise<Row[]> {
  // The one character that PostgreSQL's text cannot hold.
  const fit = params.map((param) =>
    typeof param === "string" && param.includes("\0") ? param.replaceAll("\0", "\uFFFD") : param,
  );
  return (await on.unsafe<Row[]>(text, fit, { prepare: true })) as Row[];
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? "");

/** Connection, login, limits, shutdown of the server: classes 08, 28, 3D, 53, 57, and the client's own words. */
const UNAVAILABLE = /^(08|28|3D|53|57P)|^CONNECT|^E(CONN|HOST|NET|NOTFOUND|AI_AGAIN|PIPE|TIMEDOUT)/;

function explained(error: unknown, { shown, password }: Address): unknown {
  if (error instanceof EkidenError || !UNAVAILABLE.test(codeOf(error))) return error;
  const text = messageOf(error) || codeOf(error);
  const said = password === "" ? text : text.replaceAll(password, "…");
  return new EkidenError(
    "store_unavailable",
    `The store ${shown} cannot be used: ${said}. Check that the server runs and that name, password and database are right.`,
    { cause: codeOf(error) },
  );
}

const JOURNAL_MS = 25;

/**
 * LISTEN/NOTIFY. The notice is a statement of its own after the commit: inside a transaction it would make commits queue up
 * behind one lock. Losing one is possible only with the connection, and then everybody is woken.
 */
class Notices implements Feed {
  readonly #sql: Sql;
  readonly #channel: string;
  readonly #hub: Hub;
  readonly #self = randomUUID();
  #listening: Promise<unknown> | null = null;
  readonly #late = new Set<string>();
  #later: NodeJS.Timeout | null = null;
  readonly #sending = new Set<Promise<unknown>>();

  constructor(sql: Sql, channel: string, hub: Hub) {
    this.#sql = sql;
    this.#channel = channel;
    this.#hub = hub;
  }

  start(): void {
    this.#listening ??= this.#sql
      .listen(
        this.#channel,
        (payload) => this.#hear(payload),
        () => this.#hub.wakeAll(),
      )
      .catch(() => {
        this.#listening = null; // the next sleeper tries again; until then its own time-out wakes it
      });
  }

  pause(): void {}

  publish(team: string, topics: ReadonlySet<Topic>): void {
    if (topics.size === 1 && topics.has("journal")) {
      this.#late.add(team);
      this.#later ??= setTimeout(() => this.#flush(), JOURNAL_MS).unref();
    } else this.#send([...topics].map((topic) => [team, topic]));
  }

  async close(): Promise<void> {
    this.#flush();
    await Promise.all(this.#sending);
    await this.#listening;
  }

  #flush(): void {
    if (this.#later) clearTimeout(this.#later);
    this.#later = null;
    if (this.#late.size > 0) this.#send([...this.#late].map((team) => [team, "journal"]));
    this.#late.clear();
  }

  #send(news: readonly (readonly [string, Topic])[]): void {
    const payloads = JSON.stringify(news.map(([team, topic]) => `${this.#self} ${team}/${topic}`));
    const sent: Promise<unknown> = this.#sql`
      select pg_notify(${this.#channel}, payload) from json_array_elements_text(${payloads}::text::json) as payload`
      .catch(() => {}) // whoever writes next meets the fault
      .finally(() => this.#sending.delete(sent));
    this.#sending.add(sent);
  }

  #hear(payload: string): void {
    const [from, place = ""] = payload.split(" ");
    if (from === this.#self) return;
    const slash = place.indexOf("/");
    this.#hub.wake(place.slice(0, slash), [place.slice(slash + 1) as Topic]);
  }
}
