/** Makes a folder with its parents. */
import { mkdirSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { badInput } from "../core/errors.ts";

/**
 * One level at a time: `mkdir` with `recursive` never returns below /proc, where the parent exists and refuses with ENOENT.
 * @throws EkidenError `bad_input` if a file is there; the error of the system if a level is refused
 */
export function makeFolder(path: string, mode?: number): void {
  if (isFolder(path)) return;
  makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  const found = look(path);
  if (found && !found.isDirectory()) throw badInput(`${path} is a file. Give a folder, or another name.`);
  return found !== undefined;
}

/** Below a file there is nothing: Node 20 throws ENOTDIR for that, Node 24 does not. */
function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}
