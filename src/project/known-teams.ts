/** The teams that this person has run, in all projects: a small file each in the person's folder. */

import { createHash } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { jsonIn, namesIn, replaceOwnFile } from "../adapters/small-files.ts";
import { type Name, name } from "../core/ids.ts";
import type { Settings } from "../core/settings/settings.ts";
import { tried } from "../core/tried.ts";
import { userFolder } from "./own-folders.ts";
import { sqlitePath } from "./store-address.ts";

export type KnownTeam = {
  /** Names it in the addresses of the page. */
  readonly id: string;
  readonly cwd: string;
  readonly team: Name;
  /** The file of its database; null: a server, whose address may hold a password and is not noted. */
  readonly file: string | null;
};

const folder = (): string => join(userFolder(), "teams");

/** A folder that cannot be written is no reason not to run. */
export function rememberTeam(cwd: string, { store, team }: Pick<Settings, "store" | "team">): void {
  const known: Omit<KnownTeam, "id"> = { cwd, team, file: sqlitePath(store, cwd) };
  const text = `${JSON.stringify(known)}\n`;
  const path = join(folder(), `${createHash("sha256").update(text).digest("hex").slice(0, 16)}.json`);
  if (!existsSync(path)) tried(() => replaceOwnFile(path, text), null); // else `ekiden ps` does not list it
}

/** A team that was deleted. */
export function forgetTeam({ id }: Pick<KnownTeam, "id">): void {
  rmSync(join(folder(), `${id}.json`), { force: true });
}

/** Those whose project and database are still there; the others are forgotten. */
export function knownTeams(): KnownTeam[] {
  const files = namesIn(folder()).filter((entry) => entry.endsWith(".json"));
  return files.flatMap((entry) => {
    const path = join(folder(), entry);
    const known = readKnown(path);
    if (known === null) rmSync(path, { force: true });
    return known ?? [];
  });
}

function readKnown(path: string): KnownTeam | null {
  const { cwd, team, file } = jsonIn<Partial<KnownTeam>>(path) ?? {};
  const isFile = file === null || (typeof file === "string" && existsSync(file));
  if (typeof cwd !== "string" || typeof team !== "string" || !isFile || !existsSync(cwd)) return null;
  return tried(() => ({ id: basename(path, ".json"), cwd, team: name(team), file }), null); // somebody else wrote it
}
