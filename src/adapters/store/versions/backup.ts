/**
 * A copy of a SQLite store while teams work on it. `vacuum into` reads one snapshot, which no writer disturbs and which disturbs no
 * writer. (SQLite's page-by-page backup begins again whenever another process has written, so it may never end under load.)
 */
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { badInput, EkidenError, messageOf } from "../../../core/errors.ts";
import { databaseClass, prepareFile } from "../databases/sqlite-file.ts";
import { APPLICATION_ID } from "./schema.ts";

/**
 * Writes a checked copy to `file`, or nothing. Returns its size in bytes.
 * @throws EkidenError `bad_input` (the file exists and `replace` is false, or cannot be written) | `store_foreign` | `store_unavailable`
 */
export async function backupSqlite(path: string, file: string, replace: boolean): Promise<number> {
  const Database = await databaseClass();
  prepareFile(path);
  if (!replace && existsSync(file)) throw taken(file);
  const draft = `${file}.${process.pid}.tmp`;
  try {
    // Created here: SQLite would give it the rights of any new file, and it holds conversations.
    closeSync(openSync(draft, "wx", 0o600));
    const db = new Database(path, { timeout: 15_000 });
    try {
      db.prepare("vacuum into ?").all(draft);
    } finally {
      db.close();
    }
    const copy = new Database(draft, { timeout: 0 });
    try {
      const first = (text: string): unknown => Object.values(copy.prepare(text).get() ?? {})[0];
      if (first("pragma quick_check") !== "ok" || first("pragma application_id") !== APPLICATION_ID)
        throw new EkidenError(
          "store_unavailable",
          `The copy of ${path} is damaged. Check the disk, and the store with \`ekiden doctor\`.`,
        );
    } finally {
      copy.close();
    }
    const handle = openSync(draft, "r+");
    fsyncSync(handle);
    closeSync(handle);
    if (replace) renameSync(draft, file);
    else linkSync(draft, file);
    return statSync(file).size;
  } catch (error) {
    if (error instanceof EkidenError) throw error;
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw taken(file);
    throw badInput(
      `${file} cannot be written: ${messageOf(error)}. Nothing was written. Give a file in an existing folder that you can write to.`,
      {
        cause: error,
      },
    );
  } finally {
    rmSync(draft, { force: true });
  }
}

const taken = (file: string): EkidenError =>
  badInput(`${file} exists already. Nothing was written. Name another file, or replace it with --force.`);
