/** Opens the team's store for commands that do not host anybody. Those that only look never create one. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "../adapters/clock.ts";
import { makeFolder } from "../adapters/make-folder.ts";
import type { Access, StoreOptions } from "../adapters/store/index.ts";
import { notFound } from "../core/errors.ts";
import type { Settings } from "../core/settings/settings.ts";
import type { Store } from "../ports/index.ts";
import { memberShells } from "./member-shell.ts";
import { makeOwnFolders, userFolder } from "./own-folders.ts";
import { makeProjectFolder, refuseLinked } from "./project-folder.ts";
import { secretsOf } from "./secrets.ts";
import { refuseInReach, sqlitePath, storeUrl } from "./store-address.ts";
import { createOwnStore } from "./trust/record.ts";

/** Creates the database of a project that has none, readable by its user alone, and keeps that this person made it. */
export function makeStoreFile(url: string, cwd: string): void {
  const path = sqlitePath(url, cwd);
  if (path === null || existsSync(path)) return;
  makeOwnFolders(cwd);
  if (existsSync(dirname(path))) createOwnStore(userFolder(), cwd, path);
}

/** A project, and its team where that is open already. `say`: see `StoreOptions.tell`. */
export type Place = {
  settings(): Promise<Settings>;
  /** Absolute. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly store?: Store;
  say?(text: string): void;
};

/** As `withTeam`; the caller closes the store. */
export async function openTeam(
  call: Omit<Place, "store">,
  access: Access,
  { signs = true, ...options }: { readonly signs?: boolean } & Pick<StoreOptions, "outage"> = {},
): Promise<Store> {
  const settings = await call.settings();
  const path = sqlitePath(settings.store, call.cwd);
  if (path !== null) refuseLinked(call.cwd, path);
  if (path !== null && !existsSync(path)) {
    if (access !== "make")
      throw notFound(
        `there is no team here yet: ${path} does not exist. Start one with ekiden run GOAL, or put a task on its board with ekiden add SUBJECT.`,
      );
    refuseInReach(settings, call.cwd);
    if (dirname(path) === join(call.cwd, ".ekiden")) makeProjectFolder(call.cwd);
    else makeFolder(dirname(path));
  }
  const { openStore } = await import("../adapters/store/index.ts");
  const url = storeUrl(settings, call.cwd);
  if (access === "make") makeStoreFile(url, call.cwd);
  const open = await openStore({
    url,
    team: settings.team,
    clock: systemClock,
    leaseMs: settings.leaseMs,
    maxAttempts: settings.maxAttempts,
    access,
    tell: (text) => call.say?.(text),
    redact: secretsOf(call.env, settings).redact,
    ...options,
  });
  // A line typed in a member's shell is not the person's word, also in another team.
  const isPerson = signs && memberShells(call.env).length === 0;
  return isPerson ? (await import("./trust/signing.ts")).signing(open, url) : open;
}

/**
 * `signs`: the tasks that `use` adds in the person's name are the person's words.
 * The store is closed when `use` has ended.
 * @throws EkidenError `not_found` when there is no team to look at; what the store throws
 */
export async function withTeam<T>(
  call: Place,
  access: Access,
  use: (store: Store) => Promise<T>,
  opening?: Parameters<typeof openTeam>[2],
): Promise<T> {
  if (call.store) return await use(call.store);
  const store = await openTeam(call, access, opening);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
