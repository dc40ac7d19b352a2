/** A home for the program and its tests where that of the user cannot be written, as in containers. */
import { accessSync, constants, mkdirSync, mkdtempSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Nothing, or the variable that names another home, which is said in one line. Not below /tmp, which commands in the sandbox do not see. */
export function homeIfNone(): Readonly<Record<string, string>> {
  try {
    mkdirSync(join(homedir(), ".config"), { recursive: true });
    for (const folder of ["", ".config"]) accessSync(join(homedir(), folder), constants.W_OK);
    return {};
  } catch {
    const folder = mkdtempSync("/var/tmp/ekiden-home-");
    console.warn(`The home ${homedir()} cannot be written. ${folder} is used in its place.`);
    return { HOME: folder };
  }
}
