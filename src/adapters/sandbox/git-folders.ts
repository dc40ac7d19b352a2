/**
 * The git directories that a confined command may write, and what in them decides which programs git runs. A `.git` file is
 * believed only when the directory that it names points back: a command could otherwise write one that names any repository.
 */
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isWithin } from "../../core/paths.ts";
import { type GitFolder, GUARDED_GIT_PATHS } from "../../core/sandbox.ts";
import { foldersIn } from "../small-files.ts";

const MODULE_DEPTH = 4;

/** The repository of a folder, and the `.git` file that leads to it, which must not be rewritten. */
export type Repository = { readonly folders: readonly GitFolder[]; readonly link: string | null };

export function repositoryOf(root: string): Repository {
  const found = findGit(root);
  if (found === null) return { folders: [], link: null };
  const { git, link } = found;
  const common = commonOf(git);
  const own = guardedIn(git);
  const shared = common === git ? [] : guardedIn(common);
  const path = common;
  const others = worktreesOf(common, git);
  return {
    folders: [
      {
        path,
        guarded: [
          ...new Set([...shared, ...own, ...others.guarded, ...modulesOf(join(common, "modules"), 0)]),
        ],
      },
      ...(common === git && others.guarded.length === 0
        ? []
        : others.writable.map((own) => ({ path: own, guarded: [] }))),
      ...(isWithin(common, git) ? [] : [{ path: git, guarded: own }]),
    ],
    link,
  };
}

/** In the folder, or above it, as git looks. */
function findGit(root: string): { git: string; link: string | null } | null {
  for (let folder = root; ; folder = dirname(folder)) {
    const at = join(folder, ".git");
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return { git: at, link: null };
    if (stat?.isFile()) {
      const git = believed(at, folder);
      return git === null ? null : { git, link: at };
    }
    if (stat || folder === "/" || dirname(folder) === folder) return null;
  }
}

function believed(link: string, folder: string): string | null {
  const named = /^gitdir: (.+)$/m.exec(text(link))?.[1]?.trim();
  if (named === undefined) return null;
  const git = real(resolve(folder, named));
  if (git === null) return null;
  const back = text(join(git, "gitdir")).trim();
  if (back !== "" && real(resolve(git, back)) === real(link)) return git;
  const worktree = /^\s*worktree\s*=\s*(.+)$/im.exec(text(join(git, "config")))?.[1]?.trim();
  return worktree !== undefined && real(resolve(git, worktree)) === real(folder) ? git : null;
}

function commonOf(git: string): string {
  const named = text(join(git, "commondir")).trim();
  if (named === "") return git;
  return real(isAbsolute(named) ? named : resolve(git, named)) ?? git;
}

/** Existing guarded paths. `hooks` is made where it is missing, so that no command can make it. */
function guardedIn(git: string): string[] {
  if (existsSync(join(git, "HEAD")) && existsSync(join(git, "objects")))
    try {
      mkdirSync(join(git, "hooks"), { recursive: true });
    } catch {
      // not writable for us either, so not for a command
    }
  const guarded = GUARDED_GIT_PATHS.map((name) => join(git, name)).filter((path) => existsSync(path));
  const config = text(join(git, "config"));
  // A hooks folder or a further configuration in the working tree would otherwise be writable.
  for (const [, value = ""] of config.matchAll(/^\s*(?:hookspath|path)\s*=\s*"?([^"\n]+?)"?\s*$/gim)) {
    for (const base of [dirname(git), git]) {
      const path = real(resolve(base, value));
      if (path !== null && isWithin(dirname(git), path)) guarded.push(path);
    }
  }
  return guarded.flatMap((path) => {
    const target = real(path);
    // A link can be replaced although its target is read-only, so the folder it is in becomes read-only too.
    return target === null ? [] : lstatSync(path).isSymbolicLink() ? [dirname(path), target] : [target];
  });
}

/** Read-only as a whole but for the one in use: files of a worktree that another member removes cannot be mounted one by one. */
function worktreesOf(common: string, own: string): { guarded: string[]; writable: string[] } {
  const folder = join(common, "worktrees");
  return foldersIn(folder).length === 0
    ? { guarded: [], writable: [] }
    : { guarded: [folder], writable: isWithin(folder, own) ? [own] : [] };
}

function modulesOf(folder: string, depth: number): string[] {
  if (depth >= MODULE_DEPTH) return [];
  return foldersIn(folder).flatMap((name) => {
    const path = join(folder, name);
    return existsSync(join(path, "HEAD"))
      ? [...guardedIn(path), ...modulesOf(join(path, "modules"), depth + 1)]
      : modulesOf(path, depth + 1);
  });
}

const text = (path: string): string => {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
};

const real = (path: string): string | null => {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
};
