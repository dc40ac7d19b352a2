/**
 * Makes a new SQLite store by one text of statements: to run the steps of all versions one after the other takes five times as
 * long. The build makes the text from those steps and writes it beside the program; from source there is none.
 */
import { join } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { textIn } from "../../small-files.ts";

export const NEW_STORE = "new-store.sql";

/** "" from source. */
export const newStore = (): string => textIn(join(import.meta.dirname, NEW_STORE));

/** The statements that make a database like this one, which is new. */
export function statementsOf(db: Pick<DatabaseSyncInstance, "prepare">): string {
  const all = (text: string) => db.prepare(text).all() as unknown as Record<string, string>[];
  // Tables before indexes. SQLite makes those without a text itself.
  const made = all("select sql from sqlite_schema where sql is not null order by type = 'index', rowid");
  const meta = all("select name, value from meta order by name");
  return [
    ...made.map(({ sql }) => sql),
    ...meta.map(({ name, value }) => `insert into meta (name, value) values ('${name}', '${value}')`),
  ]
    .map((statement) => `${statement};\n`)
    .join("");
}
