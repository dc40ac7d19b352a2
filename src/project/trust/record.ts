/**
 * The person's decisions about a folder, kept in the person's own folder: one file for each project, named by a hash of its real
 * path. A project cannot write there, and neither can a command in the sandbox.
 */

import { createHash } from "node:crypto";
import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isMade, jsonIn, namesIn, replaceOwnFile } from "../../adapters/small-files.ts";
import { badInput, messageOf } from "../../core/errors.ts";

export type FolderRecord = {
  /** The project: absolute, without links. */
  readonly path: string;
  /** The digest of all that the folder brought at the last agreement. */
  readonly digest?: string;
  /** The items of that agreement, and those agreed to by name, by id. */
  readonly items: Readonly<Record<string, { readonly digest: string; readonly text: string }>>;
  /** Stores that this person's processes created in the project: path to identity. */
  readonly stores: Readonly<Record<string, string>>;
};

const fileOf = (userFolder: string, project: string): string =>
  join(userFolder, "trust", `${createHash("sha256").update(project).digest("hex").slice(0, 32)}.json`);

/** Empty for a folder that the person said nothing about, and for a file that cannot be read. */
export function readRecord(userFolder: string, project: string): FolderRecord {
  const empty: FolderRecord = { path: project, items: {}, stores: {} };
  const found = read(fileOf(userFolder, project));
  return found?.path === project ? { ...empty, ...found } : empty;
}

function read(file: string): FolderRecord | null {
  const found = jsonIn<FolderRecord>(file);
  return typeof found === "object" && found !== null && "path" in found ? found : null;
}

export function writeRecord(userFolder: string, record: FolderRecord): void {
  const file = fileOf(userFolder, record.path);
  replaceOwnFile(file, `${JSON.stringify(record, null, 1)}\n`);
}

/** Every folder that the person said something about. */
export function allRecords(userFolder: string): FolderRecord[] {
  const folder = join(userFolder, "trust");
  return namesIn(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => read(join(folder, name)) ?? [])
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The word is taken back; the stores that the person's processes created stay known. False: there was none. */
export function revoke(userFolder: string, project: string): boolean {
  const { items, digest: _, ...record } = readRecord(userFolder, project);
  if (Object.keys(items).length === 0) return false;
  if (Object.keys(record.stores).length === 0) rmSync(fileOf(userFolder, project), { force: true });
  else writeRecord(userFolder, { ...record, items: {} });
  return true;
}

/** Changes when a file is replaced by another one, and when it is copied. */
export function identityOf(path: string): string {
  const { dev, ino, birthtimeMs } = statSync(path);
  return `${dev}:${ino}:${Math.trunc(birthtimeMs)}`;
}

/** Creates an empty database file for its user alone and records that this person made it. False: it exists already. @throws EkidenError `bad_input` */
export function createOwnStore(userFolder: string, project: string, path: string): boolean {
  if (!isMade(() => closeSync(openSync(path, "wx", 0o600)))) return false;
  const record = readRecord(userFolder, project);
  try {
    writeRecord(userFolder, { ...record, stores: { ...record.stores, [path]: identityOf(path) } });
  } catch (error) {
    // Without the record the tasks would count as those of somebody else, also in this process.
    rmSync(path, { force: true });
    throw badInput(
      `${userFolder} cannot be written, and Ekiden notes there that the team is yours: ${messageOf(error).replace(/\.$/, "")}. Make room there, or set XDG_CONFIG_HOME to another folder.`,
      { cause: error },
    );
  }
  return true;
}
