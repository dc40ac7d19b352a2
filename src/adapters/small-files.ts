/** Small files and folders that may be missing, damaged or another user's: a reader finds nothing in them. A file is replaced whole. */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { isWithin } from "../core/paths/paths.ts";
import { parseJson } from "../core/plain-data.ts";
import { tried } from "../core/tried.ts";
import { makeFolder } from "./make-folder.ts";

/** Where a path leads through links; null for what is not there. An exception costs ten times the look. */
export const real = (path: string): string | null =>
  existsSync(path) ? tried(() => realpathSync.native(path), null) : null;

/** A file of a project that is larger is named and not read. */
export const PROJECT_FILE_MAX = 1024 * 1024;

type Reading = {
  /** A link is refused. */
  readonly noLink?: boolean;
  /** The file that was opened must be in this folder, whatever links led to it. */
  readonly within?: string;
};

/**
 * The text of a file that others made. Never waits: a pipe or a device is refused, also one that takes the file's place meanwhile.
 * @throws Error with the reason, without the name of the file; one of the system keeps its `code`
 */
export const readRegular = (path: string, max: number, how: Reading = {}): string =>
  readRegularBytes(path, max, how).toString();

/** The same as bytes. */
export function readRegularBytes(path: string, max: number, { noLink = false, within }: Reading): Buffer {
  refuseOther(noLink ? lstatSync(path) : statSync(path), max); // opening some devices does something
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (noLink ? constants.O_NOFOLLOW : 0);
  const file = openSync(path, flags);
  try {
    refuseOther(fstatSync(file), max);
    if (within !== undefined && !isWithin(realpathSync(within), placeOf(file, path)))
      throw new Error("it is a link out of its folder");
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** The same as bytes; null for what cannot be read. A link is refused. */
export const bytesIn = (path: string, max: number): Buffer | null =>
  tried(() => readRegularBytes(path, max, { noLink: true }), null);

/** Where an open file is. The path may lead to another one by now; only the system knows. */
const placeOf = (file: number, path: string): string =>
  realpathSync(process.platform === "linux" ? `/proc/self/fd/${file}` : path);

function refuseOther(found: Stats, max: number): void {
  if (found.isSymbolicLink()) throw new Error("it is a link, and links are not followed");
  const kind = kindOf(found);
  if (kind !== "file") throw new Error(`it is a ${kind}, not a regular file`);
  if (found.size > max) throw new Error(`it has ${found.size} bytes; the limit is ${max}`);
}

export const kindOf = (found: Stats): string =>
  found.isFile()
    ? "file"
    : found.isDirectory()
      ? "folder"
      : found.isFIFO()
        ? "pipe"
        : found.isSocket()
          ? "socket"
          : "device";

/** The reason why a file cannot be read, in words: that of `readRegular`, or the code of the system. */
export function whyNotRead(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined
    ? message
    : code === "ELOOP"
      ? "it is a link, and links are not followed"
      : `cannot be read (${code})`;
}

/** The size limit of the program's own files. */
const OWN_FILE_MAX = 64 * 1024 * 1024;

/** "" for a file that cannot be read, and for a pipe or a device, without waiting for it. */
export function textIn(path: string, encoding: "utf8" | "latin1" = "utf8"): string {
  let file: number | null = null;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return fstatSync(file).isFile() ? readFileSync(file, encoding) : "";
  } catch {
    return "";
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** Null for a file that cannot be read or is not JSON that may be used. */
export const jsonIn = <T>(path: string): T | null =>
  tried(() => parseJson(readRegular(path, OWN_FILE_MAX)) as T, null);

/** A file of this person: its folder is made, too. */
export function replaceOwnFile(path: string, text: string): void {
  makeFolder(dirname(path), 0o700);
  replaceFile(path, text);
}

/** A file that this person alone may read. */
export const isOurs = (path: string): boolean =>
  tried(() => {
    const { mode, uid } = lstatSync(path);
    return (mode & 0o077) === 0 && (process.getuid === undefined || uid === process.getuid());
  }, false);

/** Whether a file or folder was made: false where one of that name is there already. @throws what else the system says */
export function isMade(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** [] for a folder that cannot be read. */
export const namesIn = (folder: string): string[] => tried(() => readdirSync(folder), []);

/** The names of the folders in it, without links to folders. */
export function foldersIn(folder: string): string[] {
  // An exception costs ten times the look.
  const entries = existsSync(folder) ? tried(() => readdirSync(folder, { withFileTypes: true }), []) : [];
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** By a rename: nobody reads half of it, and a link in its place is replaced and never followed. */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  renameSync(draft, path);
}
