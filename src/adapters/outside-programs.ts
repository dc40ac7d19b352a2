/** Programs that this process starts by a name. One that lies in the project is never taken: a member could have put it there. */

import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { isWithin } from "../core/paths/paths.ts";
import { succeeds, tried } from "../core/tried.ts";

/** Where a system looks without PATH. */
const USUAL = "/usr/local/bin:/usr/bin:/bin";
const WORKTREES = "/.ekiden/worktrees/";

/**
 * The folders of PATH in which no member and no repository can put a program. `npx` and `npm run` begin PATH with `node_modules/.bin` of the
 * folder that they are called in and of those around it.
 */
export function outsideFolders(path: string | undefined, folder: string): string[] {
  const project = realOf(folder).split(WORKTREES)[0] ?? folder;
  return (path ?? USUAL).split(delimiter).filter((place) => {
    if (!isAbsolute(place)) return false;
    const real = realOf(place);
    const packaged = /^(.*)\/node_modules\/\.bin\/*$/.exec(place)?.[1];
    // A team that works in the root of the disk has nothing outside.
    if (project === "/") return true;
    return !isWithin(project, real) && (packaged === undefined || !isWithin(realOf(packaged), project));
  });
}

/** The absolute path of the program in PATH, outside of the project of `folder`; null when there is none. */
export function outsideProgram(name: string, path: string | undefined, folder: string): string | null {
  const project = realOf(folder).split(WORKTREES)[0] ?? folder;
  const files = outsideFolders(path, folder).map((place) => join(place, name));
  return files.find((file) => isProgram(file) && !isWithin(project, realOf(file))) ?? null;
}

const realOf = (path: string): string => tried(() => realpathSync(path), path);

export const isProgram = (path: string): boolean =>
  succeeds(() => accessSync(path, constants.X_OK)) && tried(() => statSync(path).isFile(), false);
