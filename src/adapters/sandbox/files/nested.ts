/**
 * Protected names and repositories below a folder that commands write, to a depth of five. What a folder holds is kept until the folder
 * changes, so that a further look costs one call of the system a folder.
 */
import { type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isWithin } from "../../../core/paths/paths.ts";
import { PROTECTED_ENDS, READ_ONLY_IN_SANDBOX } from "../../../core/paths/protected-names.ts";
import { tried } from "../../../core/tried.ts";
import { bytesIn, namesIn, real } from "../../small-files.ts";
import { guardedIn } from "../git-folders.ts";

const DEPTH = 5;
/** More folders are not looked at: the nearest come first. */
const FOLDERS_MAX = 20_000;
/** bubblewrap reads the whole list of mounts for each further one. */
const GUARDED_MAX = 32;
const GRAIN_MS = 20;
/** A look at 5,000 folders takes about 30 ms. */
const MOMENT_MS = 100;
/** Package managers fill it, and nobody works in it. The clones of tasks are folders of their own. */
const LEFT_OUT = new Set(["node_modules", ".ekiden", ".git"]);
const NAMES = new Set([".git", ...READ_ONLY_IN_SANDBOX.filter((name) => !name.includes("/"))]);

const isProtected = (name: string): boolean => NAMES.has(name) || PROTECTED_ENDS.test(name);

type Listed = {
  readonly about: Stats;
  readonly folders: readonly string[];
  /** Protected names in it, and its `HEAD` where the folder itself is a repository without a work tree, which git finds there, too. */
  readonly found: readonly string[];
};

export class NestedNames {
  private readonly listed = new Map<string, Listed>();
  private last = { root: "", at: 0, found: [] as readonly string[] };

  /** `find`, or what it found a moment ago: before a command starts. */
  known(root: string): readonly string[] {
    return this.last.root === root && performance.now() - this.last.at < MOMENT_MS
      ? this.last.found
      : this.find(root);
  }

  /** Paths below the root, relative to it. Those at the top are looked at by their names, but for a repository. */
  find(root: string): readonly string[] {
    const found: string[] = [];
    let waiting = [root];
    let looks = 0;
    for (let depth = 0; depth <= DEPTH && looks < FOLDERS_MAX; depth += 1) {
      const next: string[] = [];
      for (const folder of waiting) {
        looks += 1;
        const one = this.look(folder);
        if (one === null) continue;
        for (const name of one.found)
          if (depth > 0 || name === ".git" || name === "HEAD" || PROTECTED_ENDS.test(name))
            found.push(join(folder, name).slice(root.length + 1));
        for (const inner of one.folders) next.push(inner);
      }
      waiting = next;
    }
    this.last = { root, at: performance.now(), found };
    return found;
  }

  /** What decides what git runs in the repositories below the root; that of the root itself is treated apart. */
  guarded(root: string): string[] {
    const all = this.known(root).filter((path) => isRepository(path) && dirname(path) !== ".");
    return all.slice(0, GUARDED_MAX).flatMap((path) => {
      const at = join(root, path);
      if (lookAt(at)?.isDirectory()) return guardedIn(at);
      return basename(at) === "HEAD" ? guardedIn(dirname(at)) : [at];
    });
  }

  private look(folder: string): Listed | null {
    const about = lookAt(folder);
    if (!about?.isDirectory()) return null;
    const known = this.listed.get(folder);
    if (known?.about.ctimeMs === about.ctimeMs && known.about.ino === about.ino) return known;
    const entries: Dirent[] = tried(() => readdirSync(folder, { withFileTypes: true }), []);
    const names = new Set(entries.map(({ name }) => name));
    // With `commondir` git looks for the rest in another folder.
    const isBare =
      names.has("HEAD") && (names.has("commondir") || (names.has("objects") && names.has("refs")));
    const listed: Listed = {
      about,
      folders: entries
        .filter((one) => one.isDirectory() && !NAMES.has(one.name) && !LEFT_OUT.has(one.name))
        .map(({ name }) => join(folder, name)),
      found: [...entries.flatMap(({ name }) => (isProtected(name) ? name : [])), ...(isBare ? ["HEAD"] : [])],
    };
    // A folder may change again within the grain of its time.
    if (Date.now() - about.ctimeMs > GRAIN_MS) this.listed.set(folder, listed);
    else this.listed.delete(folder);
    return listed;
  }
}

/** Whether a file of this path, absolute, would be found. */
export const isNested = (path: string): boolean => isProtected(basename(path)) || isRepository(path);
export const isRepository = (path: string): boolean => [".git", "HEAD"].includes(basename(path));

/**
 * Whether git runs nothing that a new repository brings: it has no hooks, and only settings of this list. Members make repositories and
 * clone some. `before`: repositories that were there before, and are the person's.
 */
export function runsNothing(path: string, root: string, before: ReadonlySet<string>): boolean {
  const about = lookAt(path);
  if (about?.isDirectory()) return isPlain(path, root, before);
  if (basename(path) === "HEAD") return isPlain(dirname(path), root, before);
  const named = about?.isFile() ? /^gitdir: (.+)$/m.exec(textOf(path))?.[1] : undefined;
  const git = named === undefined ? null : real(resolve(dirname(path), named.trim()));
  return git !== null && isPlain(git, root, before);
}

const SETTINGS =
  /^(?:\s*|\s*[#;].*|\s*\[(?:core|init|user|remote "[^"\\]*"|branch "[^"\\]*"|submodule(?: "[^"\\]*")?)\]|\s*(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|worktree|defaultbranch|name|email|fetch|remote|merge|rebase|active|url|pushurl)\s*=[^\\]*)$/i;
const DEPTH_OF_GIT = 3;

function isPlain(git: string, root: string, before: ReadonlySet<string>, depth = 0): boolean {
  if (before.has(git)) return true;
  if (!isWithin(root, git) || real(git) !== git || depth > DEPTH_OF_GIT) return false;
  const hooks = namesIn(join(git, "hooks")).filter((name) => !name.endsWith(".sample"));
  const isLink = ["config", "hooks", "commondir"].some((name) => lookAt(join(git, name))?.isSymbolicLink());
  if (hooks.length > 0 || isLink || lookAt(join(git, "config.worktree"))) return false;
  if (
    !textOf(join(git, "config"))
      .split("\n")
      .every((line) => SETTINGS.test(line))
  )
    return false;
  if (lookAt(join(git, "commondir")) === null) return true;
  const common = real(resolve(git, textOf(join(git, "commondir")).trim()));
  return common !== null && isPlain(common, root, before, depth + 1);
}

const FILE_MAX = 100_000;
/** A text that no setting is for a file that cannot be read. */
const textOf = (path: string): string =>
  lookAt(path) === null ? "" : (bytesIn(path, FILE_MAX)?.toString() ?? "unreadable");
const lookAt = (path: string): Stats | null =>
  tried(() => lstatSync(path, { throwIfNoEntry: false }) ?? null, null);
