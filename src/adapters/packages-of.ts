/** Where the files of a program are that the person has named by its path: a sandbox shows it these. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isWithin } from "../core/paths/paths.ts";

/**
 * The folders of the files that a command line names, or of the packages that they are in. Of the home folder the file alone, and none for
 * a file of the project: a command may have made a link of it.
 */
export const packagesOf = (words: readonly string[], project: string): string[] =>
  words
    .filter((word) => isAbsolute(word) && !isWithin(project, resolve(word)) && existsSync(word))
    .flatMap((word) => [word, packageOf(word)]);

function packageOf(path: string): string {
  const file = realpathSync(path);
  const own = statSync(file).isDirectory() ? file : dirname(file);
  for (let at = own; dirname(at) !== at && at !== homedir(); at = dirname(at))
    if (["package.json", "pyproject.toml"].some((name) => existsSync(join(at, name)))) return at;
  return own === homedir() ? file : own;
}
