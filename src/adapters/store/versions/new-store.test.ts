/** The text that makes a new store makes what the steps of all versions make. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqlite } from "../databases/sqlite.ts";
import { databaseClass } from "../databases/sqlite-file.ts";
import { statementsOf } from "./new-store.ts";
import { SCHEMA } from "./schema.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ekiden-new-store-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("holds the same tables, indexes and rows", async () => {
  const Database = await databaseClass();
  const path = join(folder, "steps.db");
  await (await openSqlite(path, { pollMs: 1_000, reads: false, tell: () => {} })).close();
  const steps = new Database(path, { readOnly: true });
  const whole = new Database(join(folder, "whole.db"), {});
  try {
    whole.exec(statementsOf(steps));
    for (const { name, type } of objectsOf(steps)) {
      const rows = type === "table" ? `select * from ${name}` : `pragma index_xinfo(${name})`;
      const columns = `pragma table_xinfo(${name})`;
      for (const text of [rows, columns])
        expect(whole.prepare(text).all(), text).toEqual(steps.prepare(text).all());
    }
    expect(objectsOf(whole)).toEqual(objectsOf(steps));
    expect(steps.prepare("select value from meta where name = 'version'").all()).toEqual([
      { value: String(SCHEMA) },
    ]);
  } finally {
    for (const db of [steps, whole]) db.close();
  }
});

type Database = InstanceType<Awaited<ReturnType<typeof databaseClass>>>;

const objectsOf = (db: Database): { type: string; name: string; sql: string | null }[] =>
  db.prepare("select type, name, sql from sqlite_schema order by type, name").all() as never;
