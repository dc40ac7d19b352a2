/**
 * A store of an older version, for those that only read. Its rows are copied into private tables that are brought to this version, so
 * that the store stays as it is: a process of the older version may still work on it. The tables end with their connection.
 */

import { type Dialect, type Driver, type Op, type Row, sql } from "../sql.ts";
import { run, unmigrated, upgrade } from "./migration.ts";
import { stepsTo } from "./schema.ts";

/** The tables of this connection and their columns. They are made by the steps of all versions, so their names need no quotes. */
const COLUMNS = {
  sqlite: `select tables.name as "table", columns.name as "column" from main.sqlite_schema tables, pragma_table_info(tables.name, 'main') columns
    where tables.type = 'table' order by 1, columns.cid`,
  postgres: `select relname as "table", attname as "column" from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = pg_my_temp_schema() and relkind = 'r' and attnum > 0 and not attisdropped order by 1, attnum`,
};

/** Fills an empty database, or an empty search path, from the schema `source` of the same connection. */
export function* copyOlder(dialect: Dialect, version: number, source: string): Op<void> {
  yield* sql`create table meta (name text primary key, value text not null)`;
  yield* run(stepsTo(version, dialect));
  const columns = new Map<string, string[]>();
  const found = (yield { text: COLUMNS[dialect.name], params: [] }) as Row[];
  for (const { table, column } of found)
    columns.set(String(table), [...(columns.get(String(table)) ?? []), String(column)]);
  // PostgreSQL numbers rows itself, unless it is told not to.
  const numbered = dialect.name === "postgres" ? " overriding system value" : "";
  for (const [table, names] of columns) {
    const list = names.join(", ");
    yield {
      text: `insert into ${table} (${list})${numbered} select ${list} from ${source}.${table}`,
      params: [],
    };
  }
  yield* upgrade(dialect, version);
}

/** Writes would be lost with the copy. */
export const onlyRead = (driver: Driver, where: string, version: number): Driver => ({
  dialect: driver.dialect,
  isCopy: true,
  hub: driver.hub,
  look: (op) => driver.look(op),
  read: (op) => driver.read(op),
  write: () => Promise.reject(unmigrated(where, version)),
  close: () => driver.close(),
});
