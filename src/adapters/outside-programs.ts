/** Programs that this process starts by a name. One that lies in the project is never taken: a member could have put it there. */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { isWithin } from "../core/paths.ts";

/** Where a system looks without PATH. */
const USUAL = "/usr/local/bin:/usr/bin:/bin";
const WORKTREES = "/.ekiden/worktrees/";

/** The absolute path of the program in PATH, outside of the project of `folder`; null when there is none. */
export function outsideProgram(name: string, path: string | undefined, folder: string): string | null {
  const project = realOf(folder).split(WORKTREES)[0] ?? folder;
  for (const place of (path ?? USUAL).split(delimiter).filter(isAbsolute)) {
    const file = join(place, name);
    if (isProgram(file) && !isWithin(project, realOf(file)) && !isWithin(project, realOf(place))) return file;
  }
  return null;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
