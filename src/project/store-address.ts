/** The address of a team's store: a SQLite file or a PostgreSQL database. */
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { badInput } from "../core/errors.ts";
import { quote } from "../core/ids.ts";
import { isWithin } from "../core/paths/paths.ts";
import type { Settings } from "../core/settings/settings.ts";
import { tried } from "../core/tried.ts";

/** With the path of a SQLite file made absolute. @throws EkidenError `bad_input` for another kind of database */
export function storeUrl({ store }: Pick<Settings, "store">, cwd: string): string {
  const path = sqlitePath(store, cwd);
  return path === null ? store : `sqlite:${path}`;
}

/**
 * Refuses a file that commands of members can write: they could answer in it as the person. Links are followed.
 * @throws EkidenError `bad_input`
 */
export function refuseInReach({ store }: Pick<Settings, "store">, cwd: string): void {
  const path = sqlitePath(store, cwd);
  if (path === null) return;
  const own = join(cwd, ".ekiden");
  const isOwn = (file: string): boolean => isWithin(own, file) && !isWithin(join(own, "worktrees"), file);
  // A link in the project can be replaced by one to another file.
  if (![path, realOf(path)].some((file) => isWithin(cwd, file) && !isOwn(file))) return;
  throw badInput(
    `the store ${quote(path)} is in the project, where commands of members could write to it and answer in your name. Move the file out of the project, or into .ekiden, and give its new path (--store, setting store).`,
  );
}

/** Where a file is, or would be, behind all links. */
function realOf(path: string): string {
  const real = tried(() => realpathSync(path), null);
  return real ?? (dirname(path) === path ? path : join(realOf(dirname(path)), basename(path)));
}

/** Null for PostgreSQL. */
export function sqlitePath(url: string, cwd: string): string | null {
  if (/^postgres(ql)?:/.test(url)) return null;
  if (url.startsWith("sqlite:")) return resolve(cwd, url.slice("sqlite:".length));
  if (/^[a-z][\w+.-]+:/i.test(url))
    throw badInput(
      `the store ${quote(url)} has an unknown type. Use sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE.`,
    );
  return resolve(cwd, url);
}
