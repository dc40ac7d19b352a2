/**
 * The git directories that a confined command may write, and what in them decides which programs git runs. A `.git` file is
 * believed only when the directory that it names points back: a command could otherwise write one that names any repository.
 */
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isWithin } from "../../core/paths.ts";
import { type GitFolder, GUARDED_GIT_PATHS } from "../../core/sandbox.ts";
import { foldersIn } from "../small-files.ts";

const MODULE_DEPTH = 4;
/** Git itself follows no more. */
const INCLUDE_DEPTH = 10;

/** The repository of a folder, and the `.git` file that leads to it, which must not be rewritten. */
export type Repository = { readonly folders: readonly GitFolder[]; readonly link: string | null };

export function repositoryOf(root: string): Repository {
  const found = findGit(root);
  if (found === null) return { folders: [], link: null };
  const { git, link } = found;
  // A `.git` folder has no such file, so a command wrote it: git would take another folder's configuration.
  if (link === null) rmSync(join(git, "commondir"), { force: true, recursive: true });
  const common = link === null ? git : commonOf(git);
  const own = guardedIn(git);
  // A relative folder of hooks is one of the work tree that git runs in.
  const shared = common === git ? [] : guardedIn(common, link === null ? [] : [dirname(link)]);
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

/** Guarded paths. Those that git would read are made where they are missing, so that no command can make them. */
function guardedIn(git: string, workTrees: readonly string[] = []): string[] {
  const own = join(git, "config");
  const configs = [own, ...(existsSync(join(git, "commondir")) ? [join(commonOf(git), "config")] : [])];
  if (existsSync(join(git, "HEAD")) && existsSync(join(git, "objects"))) make(join(git, "hooks"), "folder");
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
