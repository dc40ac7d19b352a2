/**
 * Checks of a file before SQLite may open it, and the choice of the SQLite library. Another program's file is recognised by its
 * first 100 bytes, without opening it as a database: that alone would create files next to it.
 */

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { EkidenError, messageOf } from "../../../core/errors.ts";
import { tried } from "../../../core/tried.ts";
import { foreign } from "../versions/migration.ts";
import { APPLICATION_ID } from "../versions/schema.ts";

type Constructor = new (
  path: string,
  options: { timeout?: number; readOnly?: boolean },
) => DatabaseSyncInstance;

type Binding = { readonly DatabaseSync: Constructor };

const PACKAGE = "@photostructure/sqlite";

/** SQLite of Node itself (from 22.13 on), otherwise the same interface from a package. */
export async function databaseClass(): Promise<Constructor> {
  try {
    const own = builtIn();
    if (own) return own.DatabaseSync;
    // Not by import(): wrapping its native parts as an ES module takes longer than loading them.
    const required = createRequire(import.meta.url);
    return (nativePart(required) ?? (required(PACKAGE) as Binding)).DatabaseSync;
  } catch (error) {
    throw new EkidenError(
      "store_unavailable",
      `This Node (${process.version}) has no SQLite and the package @photostructure/sqlite is not installed: ${messageOf(error)}. Use Node 22.13 or newer, or install that package.`,
      { cause: error },
    );
  }
}

/** Node 22 to 24 print a warning about it at the first use, which says nothing to a person who uses this program. */
function builtIn(): Binding | undefined {
  const { emitWarning } = process;
  process.emitWarning = ((...warning: Parameters<typeof emitWarning>) => {
    if (!/SQLite/.test(String(warning[0]))) emitWarning.apply(process, warning);
  }) as typeof emitWarning;
  try {
    return process.getBuiltinModule?.("node:sqlite") as Binding | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * The file that the package loads for this system: the store needs no more of it. Its own code looks for the file in 5 ms of a start. Null where the
 * package is elsewhere or was compiled here.
 */
function nativePart(required: NodeJS.Require): Binding | null {
  const libc = process.platform === "linux" && existsSync("/etc/alpine-release") ? "musl" : "glibc";
  const name = `prebuilds/${process.platform}-${process.arch}/${PACKAGE.replace("/", "+")}.${libc}.node`;
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const place = join(folder, "node_modules", PACKAGE);
    // The package tells better what is missing.
    const load = (): Binding => required(join(place, name)) as Binding;
    if (existsSync(place)) return existsSync(join(place, "build")) ? null : tried(load, null);
    if (dirname(folder) === folder) return null;
  }
}

/** @throws `store_unavailable` | `store_foreign`. Nothing is changed then. */
export function prepareFile(path: string): void {
  const folder = dirname(path);
  try {
    if (!existsSync(folder)) {
      mkdirSync(folder, { recursive: true });
      if (basename(folder) === ".ekiden") writeFileSync(join(folder, ".gitignore"), "*\n");
    }
    if (!existsSync(path)) {
      accessSync(folder, constants.W_OK);
      return;
    }
    const found = statSync(path);
    if (!found.isFile())
      throw new EkidenError(
        "store_foreign",
        `The store ${path} is a ${found.isDirectory() ? "folder" : "special file"}. Name a file, such as ${join(path, "team.db")}.`,
      );
    accessSync(path, constants.R_OK | constants.W_OK);
    accessSync(folder, constants.W_OK);
    if (found.size > 0) checkHeader(path);
  } catch (error) {
    if (error instanceof EkidenError) throw error;
    throw new EkidenError(
      "store_unavailable",
      `The store ${path} cannot be used: ${messageOf(error)}. Ekiden must be able to read and write the file and its folder.`,
      { cause: error },
    );
  }
}

function checkHeader(path: string): void {
  const header = Buffer.alloc(100);
  const file = openSync(path, "r");
  try {
    readSync(file, header, 0, 100, 0);
  } finally {
    closeSync(file);
  }
  if (header.toString("latin1", 0, 16) !== "SQLite format 3\0")
    throw new EkidenError(
      "store_foreign",
      `${path} is not a SQLite database. Nothing was changed. Name another file for the store.`,
    );
  if (header.readUInt32BE(68) !== APPLICATION_ID) throw foreign(path);
}

/** Identifies the file at a path; null if there is none. */
export function fileIdentity(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : null;
}

/** The open connection would write to a file that has no name any more. */
export const replaced = (path: string): EkidenError =>
  new EkidenError(
    "store_foreign",
    `The store ${path} was ${fileIdentity(path) === null ? "deleted" : "replaced"} while this process used it. Later changes were refused. Restart to use the current file, or restore the old one first.`,
  );

export const isBusy = (error: unknown): boolean =>
  [5, 6].includes(codeOf(error) & 0xff) ||
  (codeOf(error) === 0 && /database( table| schema)? is locked/.test(messageOf(error)));

const codeOf = (error: unknown): number => (error as { errcode?: number }).errcode ?? 0;

/** Adds to SQLite's message what an operator can do. The package lacks some error numbers, so the text decides as well. */
export function explained(error: unknown, path: string): unknown {
  if (error instanceof EkidenError) return error;
  const text = messageOf(error);
  const code = codeOf(error) & 0xff;
  if (code === 11 || code === 26 || /malformed|not a database/.test(text))
    return new EkidenError(
      "store_foreign",
      `The store ${path} is damaged: ${text}. Restore a backup, or move the file away to start with an empty store.`,
      { cause: error },
    );
  if (
    [8, 10, 13, 14].includes(code) ||
    /readonly|disk I\/O|is full|unable to open|not open|is closed/.test(text)
  )
    return new EkidenError(
      "store_unavailable",
      `The store ${path} cannot be used: ${text}. Check the disk, and that the file and its folder are writable.`,
      { cause: error, details: { passing: !/not open|is closed/.test(text) } },
    );
  return error;
}
