/** Reads from the disk the place of a confined command: repositories, protected files, secrets. */

import { existsSync, lstatSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { isWithin, relativeTo } from "../../core/paths/paths.ts";
import { PROTECTED_ENDS, READ_ONLY_IN_SANDBOX } from "../../core/paths/protected-names.ts";
import {
  type ClosedFile,
  type Confinement,
  type SandboxPlace,
  writableRoots,
} from "../../core/sandbox/sandbox.ts";
import { foldersIn, namesIn, real } from "../small-files.ts";
import { cloneOf, type ObjectMounts, type Repository, repositoryOf, topOf } from "./git-folders.ts";
import type { OwnObjects } from "./own-objects.ts";
import type { Visible } from "./visible.ts";

export type PlaceOptions = {
  /** The project: absolute, without links. */
  readonly workspace: string;
  readonly home: string;
  readonly replaced: SandboxPlace["replaced"];
  /** Members work in clones: commands in the project do not change its repository. */
  readonly inWorktrees: boolean;
  /** Null where nothing can be mounted. */
  readonly objects: OwnObjects | null;
};

export class PlaceReader {
  private readonly options: PlaceOptions;

  constructor(options: PlaceOptions) {
    this.options = options;
  }

  read(cwd: string, wanted: Confinement, visible: Visible): SandboxPlace {
    const { workspace, home, replaced } = this.options;
    const opened = this.opened(wanted);
    const named = [workspace, ...opened];
    const worktree = worktreeAround(workspace, cwd);
    const roots = named.flatMap((root) =>
      root === home ? visibleFolders(home) : writableRoots([root], home),
    );
    if (worktree !== null) roots.push(worktree);
    const repositories = this.repositories(worktree, wanted);
    const guarded = [...new Set([workspace, ...roots])].flatMap((root) =>
      [
        ...presentIn(root, namesOf(root, wanted)),
        ...namesIn(root).filter((name) => PROTECTED_ENDS.test(name)),
      ].flatMap((name) => real(join(root, name)) ?? []),
    );
    const top = topOf(workspace);
    // In a part of a repository, tools look for packages and settings above it.
    const around = top === null || isWithin(top, home) ? [] : [top];
    // One of the workspace is there anyway, and a command may have made a link of it meanwhile.
    const readable = (wanted.readable ?? []).filter((one) => !roots.some((root) => isWithin(root, one)));
    return {
      cwd,
      home,
      opened,
      roots,
      git: repositories.flatMap((one) => one.folders),
      guarded: [...guarded, ...repositories.flatMap((one) => one.guarded)],
      visible: [...visible.folders, ...around, ...readable.flatMap((one) => real(one) ?? [])],
      secretFolders: visible.secretFolders,
      secretFiles: visible.secretFiles,
      replaced,
    };
  }

  /**
   * Further folders. One within another that commands write is writable already, and a command may have made a link of it. Directly in
   * `.ekiden` none can.
   */
  private opened({ writable = [] }: Confinement): string[] {
    const { workspace } = this.options;
    const around = [workspace, ...writable];
    return writable
      .filter(
        (path) =>
          dirname(path) === join(workspace, ".ekiden") ||
          !around.some((root) => root !== path && isWithin(root, path)),
      )
      .flatMap((path) => real(path) ?? []);
  }

  /** The clone of a task is its member's own, and reads the objects of the project. */
  private repositories(clone: string | null, { isLanding }: Confinement): Repository[] {
    const { workspace, inWorktrees, objects } = this.options;
    const isOnlyRead = clone !== null || (inWorktrees && !isLanding);
    const mounts: ObjectMounts = (at) => (isLanding ? [] : (objects?.mounts(at) ?? []));
    const project = repositoryOf(workspace, isOnlyRead ? "look" : "work", mounts);
    return clone === null ? [project] : [project, cloneOf(clone, workspace)];
  }
}

/** What stays read-only in a folder that may be written, relative to it. */
export const namesOf = (root: string, { kept = [] }: Confinement): readonly string[] => {
  const own = kept.filter((path) => isWithin(root, path)).map((path) => relativeTo(root, path));
  return own.length === 0 ? READ_ONLY_IN_SANDBOX : [...READ_ONLY_IN_SANDBOX, ...own];
};

/** Those of the paths that are there, as what a rule closes. */
export const coveredOf = ({ covered = [] }: Confinement): ClosedFile[] =>
  covered.flatMap((one) => {
    const path = real(one);
    if (path === null) return [];
    return { path, kind: statSync(path).isDirectory() ? "folder" : "file", isPlaced: true } as const;
  });

/** For a program that writes nothing. The whole disk is read-only for it, so nothing in a repository needs a mount of its own. */
export const onlyRead = (place: SandboxPlace): SandboxPlace => ({
  ...place,
  guarded: [],
  git: place.git
    .filter(({ path }) => !place.roots.some((root) => isWithin(root, path)))
    .map(({ path }) => ({ path, access: "read", guarded: [] })),
});

/** Those of the names that exist below the folder, also as links that lead nowhere. One listing costs less than a look at each. */
export function presentIn(root: string, names: readonly string[]): string[] {
  const entries = new Set(namesIn(root));
  return names.filter((name) => {
    const top = name.indexOf("/");
    return top === -1
      ? entries.has(name)
      : entries.has(name.slice(0, top)) &&
          lstatSync(join(root, name), { throwIfNoEntry: false }) !== undefined;
  });
}

/** The worktree of a task below `.ekiden/worktrees` that holds the folder. */
function worktreeAround(workspace: string, cwd: string): string | null {
  const all = join(workspace, ".ekiden", "worktrees");
  for (let folder = cwd; isWithin(all, folder) && folder !== all; folder = dirname(folder))
    if (existsSync(join(folder, ".git"))) return folder;
  return null;
}

/** After "commands write only to ". */
export function writableWords(workspace: string, home: string): string {
  if (!isWithin(workspace, home)) return "the workspace and to private folders";
  const why = "Start ekiden in a folder of the project to work without this limit";
  return workspace === home
    ? `folders of the workspace and to private folders, because it is your home folder: not to its files and hidden folders. ${why}`
    : `private folders, because the workspace holds your home folder. ${why}`;
}

/** The shown folders of a home that is the workspace: none with programs that start later (those in PATH, and login items on macOS). */
const visibleFolders = (home: string): string[] => {
  const programs = (process.env.PATH ?? "").split(delimiter).flatMap((path) => real(path) ?? []);
  return foldersIn(home)
    .filter((name) => !name.startsWith(".") && !["Library", "bin"].includes(name))
    .map((name) => join(home, name))
    .filter((path) => !programs.some((one) => isWithin(path, one)));
};
