/**
 * The embedded store: one file, any number of processes on one machine.
 *
 * WAL with synchronous=NORMAL: commits survive the death of any process. A power cut may lose the last commits, because the log is
 * not flushed at each one, but never damages the file. FULL would cost four fifths of the speed.
 */

import { renameSync, rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { EkidenError } from "../../../core/errors.ts";
import { tried } from "../../../core/tried.ts";
import { systemClock } from "../../clock.ts";
import {
  type Dialect,
  type Driver,
  type Op,
  type Opening,
  type Query,
  Raw,
  type Row,
  type Value,
} from "../sql.ts";
import { broughtUp, migrate, readFromCopy, refuseLiving, schemaOf } from "../versions/migration.ts";
import { newStore } from "../versions/new-store.ts";
import { APPLICATION_ID, SCHEMA } from "../versions/schema.ts";
import { WakeHub } from "../wake-hub.ts";
import { SignalFiles } from "./signals.ts";
import { databaseClass, explained, fileIdentity, isBusy, prepareFile, replaced } from "./sqlite-file.ts";

const DIALECT: Dialect = { name: "sqlite", forUpdate: new Raw(""), skipLocked: new Raw(""), clock: null };

/** SQLite's busy handler blocks the event loop (stalls of 1 s with 8 processes), so its limit is short. */
const BUSY_MS = 2;
/** The maximum of a random pause. It does not grow with each try: the longest waiter would ask least often and others would overtake it. */
const PAUSE_MS = 8;
const DEADLINE_MS = 15_000;
const SETTLE_MS = 2_000;

/** A store of an older version is copied to a file beside it before it is brought up to date. */
export async function openSqlite(path: string, { pollMs, reads, tell }: Opening): Promise<Driver> {
  const Database = await databaseClass();
  prepareFile(path);
  let isNew = false;
  const db = await patiently(path, () => {
    const opened = new Database(path, { timeout: BUSY_MS });
    try {
      // An empty file has nothing to lose: its ten waits for the disk would be a quarter of a start. See `settle`.
      isNew = pragma(opened, "page_count") === 0;
      if (isNew) opened.exec("pragma synchronous = off");
      // The mark is written before the log exists: from then on the file's header tells that it is ours.
      if (pragma(opened, "application_id") !== APPLICATION_ID)
        opened.exec(`pragma application_id = ${APPLICATION_ID}`);
      if (pragma(opened, "journal_mode") !== "wal") opened.exec("pragma journal_mode = wal");
      opened.exec(
        // Every step writes the same few pages: with a longer log (16 MB) they are written back less often.
        `${isNew ? "" : "pragma synchronous = normal; "}pragma foreign_keys = on; pragma temp_store = memory; pragma cache_size = -16000; pragma wal_autocheckpoint = 4000; pragma journal_size_limit = 33554432`,
      );
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  });
  const driver = new Sqlite(db, path, pollMs);
  try {
    const statements = isNew ? newStore() : "";
    if (statements !== "") await patiently(path, () => fill(db, statements));
    const version = await driver.schema();
    if (version > 0 && version < SCHEMA && reads) {
      await driver.close();
      tell(readFromCopy(path, version));
      return await readOlder(new Database("", {}), path, version, pollMs);
    }
    if (version > 0 && version < SCHEMA) {
      await driver.read(() => refuseLiving(DIALECT, path, version));
      const { backupSqlite } = await import("../versions/backup.ts");
      const copy = `${path}.schema-${version}`;
      await backupSqlite(path, `${copy}.${process.pid}`, true);
      // Another process may have been first. Then this is a copy of the new version.
      if ((await driver.schema()) === version) renameSync(`${copy}.${process.pid}`, copy);
      else rmSync(`${copy}.${process.pid}`);
    }
    if (version < SCHEMA) await driver.write(() => migrate(DIALECT, path));
    if (version > 0 && version < SCHEMA) tell(broughtUp(path, version, `${path}.schema-${version}`));
    if (isNew) {
      db.exec("pragma synchronous = normal");
      settle(db);
    }
    driver.signals.begin();
    return driver;
  } catch (error) {
    await driver.close();
    throw error;
  }
}

/** `db`: empty and without a name, so that SQLite removes it. */
async function readOlder(
  db: DatabaseSyncInstance,
  path: string,
  version: number,
  pollMs: number,
): Promise<Driver> {
  const { copyOlder, onlyRead } = await import("../versions/older.ts");
  const driver = new Sqlite(db, path, pollMs);
  try {
    db.prepare("attach ? as older").all(path);
    await driver.read(() => copyOlder(DIALECT, version, "older"));
    db.exec("detach older");
    return onlyRead(driver, path, version);
  } catch (error) {
    await driver.close();
    throw error;
  }
}

/** Nothing where another process was first. */
function fill(db: DatabaseSyncInstance, statements: string): void {
  db.exec("begin immediate");
  try {
    if (pragma(db, "schema_version") === 0) db.exec(statements);
    db.exec("commit");
  } catch (error) {
    db.exec("rollback");
    throw error;
  }
}

/**
 * Brings a new store to the disk when its process has begun to work. By a checkpoint: to open and close the file here would take SQLite's
 * locks from it.
 */
function settle(db: DatabaseSyncInstance): void {
  // It may be closed, which did the same; or the next checkpoint says what is wrong.
  const checkpoint = (): void => tried(() => db.exec("pragma wal_checkpoint(passive)"), undefined);
  setTimeout(checkpoint, SETTLE_MS).unref();
}

const pragma = (db: DatabaseSyncInstance, name: string): unknown =>
  Object.values(db.prepare(`pragma ${name}`).get() ?? {})[0];

/** Retries while another connection has the lock, and leaves the event loop free in between. */
async function patiently<T>(path: string, step: () => T): Promise<T> {
  const until = systemClock.uptime() + DEADLINE_MS;
  for (;;) {
    try {
      return step();
    } catch (error) {
      if (!isBusy(error)) throw explained(error, path);
      if (systemClock.uptime() > until)
        throw new EkidenError(
          "store_unavailable",
          `The store ${path} was locked by another process for ${DEADLINE_MS / 1000} s. See which process holds it (for example with \`fuser\`) and end it if it hangs.`,
          { cause: error, details: { passing: true } },
        );
      await pause(Math.random() * PAUSE_MS);
    }
  }
}

class Sqlite implements Driver {
  readonly dialect = DIALECT;
  readonly hub = new WakeHub();
  /** Kept as long as its statements, because the package's statements do not keep it alive. */
  private readonly db: DatabaseSyncInstance;
  private readonly path: string;
  private readonly statements = new Map<string, Prepared>();
  readonly signals: SignalFiles;
  private readonly identity: string | null;
  /** Thrown by every operation after the file was replaced. */
  private lost: EkidenError | null = null;

  constructor(db: DatabaseSyncInstance, path: string, pollMs: number) {
    this.db = db;
    this.path = path;
    this.identity = fileIdentity(path);
    this.signals = new SignalFiles({
      path,
      pollMs,
      hub: this.hub,
      version: () => this.version(),
      query: (text, params) => this.all({ text, params }),
    });
    this.hub.feed = this.signals;
  }

  /** 0 for a new file. */
  async schema(): Promise<number> {
    const tables = this.all({ text: "select name from sqlite_schema where name = 'meta'", params: [] });
    return tables.length > 0 ? await this.read(() => schemaOf(this.path)) : 0;
  }

  look<T>(op: () => Op<T>): Promise<T> {
    return patiently(this.path, () => this.run(op));
  }

  read<T>(op: () => Op<T>): Promise<T> {
    return patiently(this.path, () => this.transaction("begin", op));
  }

  write<T>(op: () => Op<T>): Promise<T> {
    return patiently(this.path, () => this.transaction("begin immediate", op));
  }

  async close(): Promise<void> {
    await this.hub.close();
    this.statements.clear();
    tried(() => this.db.close(), null); // it was closed before
  }

  /** Changes when another connection has committed. @throws `store_foreign`: the file was replaced or deleted. */
  private version(): number {
    if (this.identity !== fileIdentity(this.path)) this.lost = replaced(this.path);
    return Number(this.all({ text: "pragma data_version", params: [] })[0]?.data_version);
  }

  private transaction<T>(begin: string, op: () => Op<T>): T {
    this.prepare(begin).statement.all();
    try {
      const result = this.run(op);
      this.prepare("commit").statement.all();
      return result;
    } catch (error) {
      tried(() => this.prepare("rollback").statement.all(), null); // SQLite rolled back by itself or never began
      throw error;
    }
  }

  private run<T>(op: () => Op<T>): T {
    const steps = op();
    let step = steps.next([]);
    while (!step.done) {
      const asked = step.value;
      step = steps.next("text" in asked ? this.all(asked) : asked.map((query) => this.all(query)));
    }
    return step.value;
  }

  private all({ text, params }: Query): Row[] {
    const { statement, columns, empty } = this.prepare(text);
    const rows = statement.all(...params);
    if (columns.length === 0) return rows as Row[];
    return (rows as unknown as Value[][]).map((values) => {
      const row = { ...empty };
      for (let i = 0; i < columns.length; i += 1) row[columns[i] as string] = values[i] ?? null;
      return row;
    });
  }

  private prepare(text: string): Prepared {
    if (this.lost) throw this.lost;
    const known = this.statements.get(text);
    if (known) return known;
    const prepared = preparedFrom(this.db.prepare(text.replace(/\$\d+/g, "?")));
    if (this.statements.size < 500) this.statements.set(text, prepared);
    return prepared;
  }
}

/**
 * `columns`: their names, if the statement gives its rows as arrays. `empty`: a row without values; to copy it, with all columns from
 * the start, is faster than to add them one by one.
 */
type Prepared = {
  readonly statement: StatementSyncInstance;
  readonly columns: readonly string[];
  readonly empty: Row;
};

/** Objects that SQLite's binding makes take twice the time of arrays. Node 22.13 to 22.15 have no arrays. */
function preparedFrom(statement: StatementSyncInstance): Prepared {
  const canList = "setReturnArrays" in statement && "columns" in statement;
  const columns = canList ? statement.columns().map(({ name }) => name) : [];
  if (columns.length > 0) statement.setReturnArrays(true);
  return { statement, columns, empty: Object.fromEntries(columns.map((name) => [name, null])) };
}
