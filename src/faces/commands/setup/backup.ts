/** `ekiden backup FILE`: a copy of the SQLite store, also while teams work on it. PostgreSQL has its own tools. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { badInput, notFound } from "../../../core/errors.ts";
import { refuseMember } from "../../../project/member-shell.ts";
import { sqlitePath } from "../../../project/store-address.ts";
import type { Run } from "../entry.ts";

export const run: Run<{ force?: boolean }> = async (call, [file = ""], { force = false }) => {
  if (file.trim() === "") throw badInput("the name of the copy is empty. Name a file, such as team-copy.db.");
  refuseMember(call.env, "a member may not copy the store of its team. Ask the person.");
  const { store } = await call.settings();
  const path = sqlitePath(store, call.cwd);
  if (path === null) throw badInput(postgresAdvice(store));
  if (!existsSync(path)) throw notFound(`there is no store to copy: ${path} does not exist.`);
  const to = resolve(call.cwd, file);
  const { backupSqlite } = await import("../../../adapters/store/versions/backup.ts");
  const bytes = await backupSqlite(path, to, force);
  call.done({ data: { file: to, bytes }, text: `copied the store to ${to} (${bytes} bytes, checked)` });
};

/** Without the password of the address. */
function postgresAdvice(store: string): string {
  const address = new URL(store);
  const schema = address.searchParams.get("schema") ?? "ekiden";
  return `the store is on PostgreSQL, which copies it with its own tool, also while teams work: pg_dump --format=custom --schema=${schema} --file=FILE ${address.pathname.slice(1) || "DATABASE"} (host ${address.hostname || "localhost"}).`;
}
