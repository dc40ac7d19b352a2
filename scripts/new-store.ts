/** A build plugin: puts the statements that make a new SQLite store beside the program. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Rolldown } from "tsdown";
import { openSqlite } from "../src/adapters/store/databases/sqlite.ts";
import { databaseClass } from "../src/adapters/store/databases/sqlite-file.ts";
import { statementsOf } from "../src/adapters/store/versions/new-store.ts";

export function newStoreFile(fileName: string): Rolldown.Plugin {
  return {
    name: "new-store",
    async generateBundle() {
      this.emitFile({ type: "asset", fileName, source: await newStoreText() });
    },
  };
}

async function newStoreText(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-new-store-"));
  try {
    const path = join(folder, "new.db");
    await (await openSqlite(path, { pollMs: 1_000, reads: false, tell: () => {} })).close();
    const db = new (await databaseClass())(path, { readOnly: true });
    const text = statementsOf(db);
    db.close();
    return text;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
