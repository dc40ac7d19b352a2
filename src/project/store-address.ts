/** The address of a team's store: a SQLite file or a PostgreSQL database. */
import { resolve } from "node:path";
import { badInput } from "../core/errors.ts";
import { quote } from "../core/ids.ts";
import type { Settings } from "../core/settings/settings.ts";

/** With the path of a SQLite file made absolute. @throws EkidenError `bad_input` for another kind of database */
export function storeUrl({ store }: Pick<Settings, "store">, cwd: string): string {
  const path = sqlitePath(store, cwd);
  return path === null ? store : `sqlite:${path}`;
}

/** Null for PostgreSQL. */
export function sqlitePath(url: string, cwd: string): string | null {
  if (/^postgres(ql)?:/.test(url)) return null;
  if (url.startsWith("sqlite:")) return resolve(cwd, url.slice("sqlite:".length));
  if (/^[a-z][\w+.-]+:/i.test(url))
    throw badInput(
      `the store ${quote(url)} is of an unknown kind. Use sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE.`,
    );
  return resolve(cwd, url);
}
