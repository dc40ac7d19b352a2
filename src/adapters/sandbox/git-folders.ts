/**
 * Lists the parts of git directories that a confined command sees and may write. A `.git` file is believed only when the directory that it
 * names points back: a command could otherwise write one that names any repository.
 */

import { existsSync, lstatSync, mkdirSync, type Stats, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isWithin } from "../../core/paths/paths.ts";
import { type GitFolder, type GitMount, GUARDED_GIT_PATHS } from "../../core/sandbox/sandbox.ts";
import { tried } from "../../core/tried.ts";
import { storesOf } from "../git-stores.ts";
import { removeTree } from "../remove-tree.ts";
import { bytesIn, foldersIn, namesIn, real } from "../small-files.ts";
import type { Checkout } from "./own-objects.ts";

const MODULE_DEPTH = 4;
/** Git itself follows no more. */
const INCLUDE_DEPTH = 10;
/** The branches of tasks, below `refs/heads`. */
const TASK_BRANCHES = "ekiden";

/** The repository of a folder, and the files of its work tree that decide which programs git runs. */
export type Repository = { readonly folders: readonly GitFolder[]; readonly guarded: readonly string[] };

/**
 * `work`: a folder that members work in, on any branch. `look`: members work in clones, so that nothing but a landing changes the
 * repository of the project, whose objects the clones read.
 */
export type RepositoryUse = "work" | "look";

/** The mounts for the objects of a repository, where commands do not write to its own; see `OwnObjects`. */
export type ObjectMounts = (at: Checkout) => readonly GitMount[];

export function repositoryOf(
  root: string,
  use: RepositoryUse = "work",
  objectsOf: ObjectMounts = () => [],
): Repository {
  const found = findGit(root);
  if (found === null) return { folders: [], guarded: [] };
  const { git, link } = found;
  // A `.git` folder has no such file, so a command wrote it: git would take another folder's configuration.
  if (link === null) removeTree(join(git, "commondir"));
  const common = link === null ? git : commonOf(git);
  const links = link === null ? [] : [link];
  const read = (path: string): GitFolder => ({ path, access: "read", guarded: [] });
  // They may be in a folder that is replaced.
  const [, ...borrowed] = storesOf(join(common, "objects"));
  if (use === "look") {
    const folders = [...new Set([common, git, ...borrowed])].map(read);
    return { folders, guarded: [...links, ...outside(git, guardedIn(git))] };
  }
  const isLinked = common !== git;
  const modules = modulesIn(join(common, "modules"));
  const mounts = [
    ...objectsOf({ common, git }),
    ...modules.flatMap((at) => objectsOf({ common: at, git: at })),
  ];
  const over = new Set(mounts.map(({ path }) => path));
  // A relative folder of hooks is one of the work tree that git runs in.
  const named = guardedIn(common, isLinked && link !== null ? [dirname(link)] : []);
  const guarded = [
    ...named,
    ...make(join(common, REPLACED), "folder"),
    ...foldersNamed(common, "worktrees"),
    ...modules.flatMap((path) => guardedIn(path)),
    // Those of the checkout of the person that is not worked in.
    ...(isLinked ? ["HEAD", "index"].map((name) => join(common, name)).filter(existsSync) : []),
  ];
  const left = [...new Set(guarded)].filter((path) => !over.has(path));
  const own: GitFolder[] = isLinked ? [{ path: git, access: "write", guarded: guardedIn(git) }] : [];
  return {
    folders: [...borrowed.map(read), { path: common, access: "write", guarded: left, mounts }, ...own],
    guarded: links,
  };
}

/**
 * That of the clone of a task, which reads the objects of the project. Hooks of the project in its work tree are not written in the clone either:
 * they land. One of an earlier version becomes a clone before a command runs there.
 */
export function cloneOf(root: string, project: string): Repository {
  const isClone = look(join(root, ".git"))?.isDirectory() === true;
  const { folders, guarded } = repositoryOf(root, isClone ? "work" : "look");
  const found = findGit(project);
  const common = found === null ? null : found.link === null ? found.git : commonOf(found.git);
  const named = common === null ? [] : namedIn(join(common, "config"), [root]);
  return { folders, guarded: [...guarded, ...named] };
}

/** The top of the repository that a folder is in; null for none. */
export function topOf(root: string): string | null {
  const found = findGit(root);
  return found === null ? null : dirname(found.link ?? found.git);
}

/** The commits of the refs of a repository that do not show what a task has done. */
export function foreignCommits(root: string): string[] {
  const found = findGit(root);
  if (found === null) return [];
  const common = found.link === null ? found.git : commonOf(found.git);
  const ids: string[] = [];
  const own = join(common, "refs", "heads", TASK_BRANCHES);
  const look = (folder: string, depth: number): void => {
    if (folder === own || depth < 0) return;
    for (const name of namesIn(folder)) {
      const id = /^[0-9a-f]{40,64}$/.exec(text(join(folder, name)).trim())?.[0];
      if (id !== undefined) ids.push(id);
    }
    for (const name of foldersIn(folder)) look(join(folder, name), depth - 1);
  };
  look(join(common, "refs"), REF_DEPTH);
  const packed = text(join(common, "packed-refs")).matchAll(/^([0-9a-f]{40,64}) refs\/(?!heads\/ekiden\/)/gm);
  // A HEAD without a branch.
  const head = /^[0-9a-f]{40,64}$/.exec(text(join(common, "HEAD")).trim());
  return [...new Set([...ids, ...(head ?? []), ...[...packed].flatMap(([, id]) => id ?? [])])];
}
const REF_DEPTH = 8;

/** Refs by which git shows other objects in the place of some. */
export const REPLACED = "refs/replace";

const outside = (git: string, paths: readonly string[]): string[] =>
  paths.filter((path) => !isWithin(git, path) && !isWithin(path, git));

/** In the folder, or above it, as git looks. */
function findGit(root: string): { git: string; link: string | null } | null {
  for (let folder = root; ; folder = dirname(folder)) {
    const at = join(folder, ".git");
    const stat = look(at);
    const isFolder = stat?.isDirectory() === true;
    if (isFolder && look(join(at, "HEAD"))) return { git: at, link: null };
    if (stat?.isFile()) {
      const git = believed(at, folder);
      return git === null ? null : { git, link: at };
    }
    if ((stat && !isFolder) || dirname(folder) === folder) return null;
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

/** Guarded paths. Those that git would read are made where they are missing, so that no command can make them. */
export function guardedIn(git: string, workTrees: readonly string[] = []): string[] {
  const own = join(git, "config");
  const configs = [own, ...(existsSync(join(git, "commondir")) ? [join(commonOf(git), "config")] : [])];
  if (existsSync(join(git, "HEAD")) && existsSync(join(git, "objects")))
    for (const name of ["hooks", "info", "objects/info"]) make(join(git, name), "folder");
  if (configs.some((file) => /^\s*worktreeconfig\s*(?:$|=\s*"?(?:true|yes|on|1)\b)/im.test(text(file))))
    make(join(git, "config.worktree"), "file");
  const guarded = GUARDED_GIT_PATHS.map((name) => join(git, name)).filter((path) => existsSync(path));
  return [...guarded, ...namedIn(own, [dirname(git), ...workTrees])].flatMap((path) => {
    const target = real(path);
    // A link can be replaced although its target is read-only, so the folder it is in becomes read-only too.
    return target === null ? [] : lstatSync(path).isSymbolicLink() ? [dirname(path), target] : [target];
  });
}

/** The folders of hooks and the further files that a configuration names, in the working tree: they would otherwise be writable. */
function namedIn(config: string, trees: readonly string[], depth = 0): string[] {
  if (depth > INCLUDE_DEPTH) return [];
  const within = (path: string): string[] => (trees.some((tree) => isWithin(tree, path)) ? [path] : []);
  return [...text(config).matchAll(/^\s*(hookspath|path)\s*=\s*"?([^"\n]+?)"?\s*$/gim)].flatMap(
    ([, key = "", value = ""]) => {
      if (key.toLowerCase() === "hookspath")
        return trees.flatMap((tree) => within(resolve(tree, value))).flatMap((path) => make(path, "folder"));
      return within(resolve(dirname(config), value)).flatMap((path) => [
        ...make(path, "file"),
        ...namedIn(path, trees, depth + 1),
      ]);
    },
  );
}

function make(path: string, kind: "file" | "folder"): string[] {
  try {
    if (kind === "folder") mkdirSync(path, { recursive: true });
    else if (!existsSync(path)) writeFileSync(path, "", { flag: "wx" });
  } catch {
    // Not writable for us either, so not for a command.
  }
  return real(path) === null ? [] : [path];
}

/** The folder of this name, where it holds folders. */
const foldersNamed = (git: string, name: string): string[] => {
  const folder = join(git, name);
  return foldersIn(folder).length === 0 ? [] : [folder];
};

/** The git directories of submodules. */
export function modulesIn(folder: string, depth = 0): string[] {
  if (depth >= MODULE_DEPTH) return [];
  return foldersIn(folder).flatMap((name) => {
    const path = join(folder, name);
    return existsSync(join(path, "HEAD"))
      ? [path, ...modulesIn(join(path, "modules"), depth + 1)]
      : modulesIn(path, depth + 1);
  });
}

const text = (path: string): string => bytesIn(path, FILE_MAX)?.toString() ?? "";
/** Packed refs of large repositories have some megabytes. */
const FILE_MAX = 64 * 1024 * 1024;

/** Below a file there is nothing: Node 20 throws ENOTDIR for that. The file may be a place that a command may write. */
const look = (path: string): Stats | null => tried(() => lstatSync(path), null);
