/**
 * The index that a first look begins with: that of the repository itself, so that git need not read every file. Only where a file has the
 * bytes of its object: no attribute and no setting converts line ends or runs a filter.
 */
import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { tried } from "../../../core/tried.ts";
import { bytesIn, namesIn, textIn } from "../../small-files.ts";
import { copyIndex } from "../clones/snapshot.ts";

const INDEX_MAX = 64 * 1024 * 1024;
const CONVERTS = /autocrlf|attributesfile|worktreeconfig|\[include/i;
/** Paths are shortened from version 4 on. */
const VERSION_MAX = 3;
const VERSION_AT = 7;

/** Whether it made `to`. `objects`: the folder of objects that the records borrow. */
export function seeded(top: string, objects: string | null, to: string): boolean {
  const git = join(top, ".git");
  if (!lstatSync(git, { throwIfNoEntry: false })?.isDirectory()) return false;
  const isBorrowed = join(git, "objects") === objects;
  const own = namesIn(join(git, "objects")).filter((name) => name !== "info" && name !== "pack");
  if (!isBorrowed && own.length + namesIn(join(git, "objects", "pack")).length > 0) return false;
  const configs = [join(git, "config"), ...personal()];
  if (configs.some((path) => CONVERTS.test(textIn(path)))) return false;
  const index = bytesIn(join(git, "index"), INDEX_MAX);
  if (!index || (index[VERSION_AT] ?? 0) > VERSION_MAX) return false;
  if (index.includes(".gitattributes") || textIn(join(git, "info", "attributes")) !== "") return false;
  return tried(() => {
    copyIndex(join(git, "index"), to);
    return true;
  }, false);
}

const personal = (): string[] => [
  "/etc/gitconfig",
  join(homedir(), ".gitconfig"),
  join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "git", "config"),
  join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "git", "attributes"),
];
