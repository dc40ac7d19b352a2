/** Opens the team's store for commands that do not host anybody. Those that only look never create one. */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { systemClock } from "../adapters/clock.ts";
import { makeFolder } from "../adapters/make-folder.ts";
import { EkidenError } from "../core/errors.ts";
import { quote } from "../core/ids.ts";
import type { Settings } from "../core/settings.ts";
import type { Store } from "../ports/index.ts";
import type { Invocation } from "./invocation.ts";
import { memberShells } from "./member-shell.ts";
import { makeProjectFolder, refuseLinked } from "./project-folder.ts";
import { secretsOf } from "./secrets.ts";
import { userFile } from "./settings.ts";
import { createOwnStore } from "./trust/record.ts";

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
    throw new EkidenError(
      "bad_input",
      `the store ${quote(url)} is of an unknown kind. Use sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE.`,
    );
  return resolve(cwd, url);
}

/** Creates the database of a project that has none, readable by its user alone, and keeps that this person made it. */
export function makeStoreFile(url: string, cwd: string): void {
  const path = sqlitePath(url, cwd);
  if (path !== null && !existsSync(path) && existsSync(dirname(path)))
    createOwnStore(dirname(userFile()), cwd, path);
}

/**
 * `signs`: the tasks that `use` adds in the person's name are the person's words.
 * `look`: the team must be there; `make`: it is created if it is not. The store is closed when `use` has ended.
 * @throws EkidenError `not_found` when there is no team to look at; what the store throws
 */
export async function withTeam<T>(
  call: Invocation,
  mode: "look" | "make",
  use: (store: Store) => Promise<T>,
  { signs = true } = {},
): Promise<T> {
  if (call.store) return await use(call.store);
  const settings = await call.settings();
  const path = sqlitePath(settings.store, call.cwd);
  const missing = (where: string): EkidenError =>
    new EkidenError(
      "not_found",
      `no team here yet: ${where}. Start one with ekiden run GOAL, or put a task on its board with ekiden add SUBJECT.`,
    );
  if (path !== null) refuseLinked(call.cwd, path);
  if (path !== null && !existsSync(path)) {
    if (mode === "look") throw missing(`${path} does not exist`);
    if (dirname(path) === join(call.cwd, ".ekiden")) makeProjectFolder(call.cwd);
    else makeFolder(dirname(path));
  }
  const { openStore } = await import("../adapters/store/index.ts");
  const url = storeUrl(settings, call.cwd);
  if (mode === "make") makeStoreFile(url, call.cwd);
  const open = await openStore({
    url,
    team: settings.team,
    clock: systemClock,
    leaseMs: settings.leaseMs,
    maxAttempts: settings.maxAttempts,
    mustExist: mode === "look",
    redact: secretsOf(call.env, settings).redact,
  });
  try {
    // What is typed in a member's shell is not the person's word, also in another team.
    const isPerson = signs && memberShells(call.env).length === 0;
    return await use(isPerson ? (await import("./trust/signing.ts")).signing(open, url) : open);
  } finally {
    await open.close();
  }
}
