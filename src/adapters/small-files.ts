/** Small files and folders that may be missing, damaged or another user's: a reader finds nothing in them. A file is replaced whole. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** "" for a file that cannot be read. */
export function textIn(path: string, encoding: "utf8" | "latin1" = "utf8"): string {
  try {
    return readFileSync(path, encoding);
  } catch {
    return "";
  }
}

/** Null for a file that cannot be read or is not JSON. */
export function jsonIn<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as T;
  } catch {
    return null;
  }
}

/** [] for a folder that cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The names of the folders in it, without links to folders. */
export function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

/** By a rename: nobody reads half of it, and a link in its place is replaced and never followed. */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  renameSync(draft, path);
}
