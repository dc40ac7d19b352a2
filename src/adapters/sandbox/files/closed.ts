/**
 * Finds the files that deny rules close, for the sandbox to cover. A pattern with `**` needs a look at the whole project: what a
 * folder holds is kept until the folder changes, so that a further look costs one call of the system a folder.
 */

import { type Dirent, lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { notPermitted } from "../../../core/errors.ts";
import { type ClosedPatterns, type ClosedSearch, closedSearch } from "../../../core/paths/closed-files.ts";
import type { ClosedFile } from "../../../core/sandbox/sandbox.ts";
import { RULE_NAMES } from "../../../core/tool-names.ts";
import { tried } from "../../../core/tried.ts";
import { foldersIn, real } from "../../small-files.ts";

/** bubblewrap reads the whole list of mounts for each further one. */
const COVERED_MAX = 256;
const FOLDERS_MAX = 200_000;
/** Folders that are looked at before other work of this process has its turn. */
const AT_ONCE = 500;
/** Package managers fill it, and its folders are most of a project's. A new file below it is found up to `PACKAGES_MS` later. */
const PACKAGES = "node_modules";
const PACKAGES_MS = 10_000;

type Kind = Omit<ClosedFile, "path">;
type Found = { readonly hidden: readonly ClosedFile[]; readonly fixed: readonly string[] };
type Pattern = ClosedSearch & { readonly use: "read" | "write"; readonly match: string };
/** The content of a folder when it was listed: the paths of folders and links in it, and the names that each pattern may close. */
type Listed = {
  /** Null: there was no folder. */
  readonly about: Stats | null;
  readonly folders: readonly string[];
  readonly links: readonly string[];
  readonly closed: ReadonlyMap<Pattern, readonly string[]>;
};

type LinkTarget = Kind & { readonly use: "read" | "write" };
type Known = {
  /** By the checkout, or "/", and the path of the folder. */
  readonly listed: Map<string, Map<string, Listed>>;
  /** The targets of links. They stay closed when a command removes the link. */
  readonly throughLinks: Map<string, LinkTarget>;
};

/** No rule closes a file. */
export const NOTHING: Found = { hidden: [], fixed: [] };

export class ClosedFiles {
  private readonly project: string;
  private readonly patterns: readonly Pattern[];
  private readonly known: Known = { listed: new Map(), throughLinks: new Map() };
  private packagesAt = Number.NEGATIVE_INFINITY;
  private names: { readonly of: string; readonly paths: readonly string[] } = { of: "", paths: [] };

  /** `project` and `home`: absolute, without links. */
  constructor(closed: ClosedPatterns, project: string, home: string) {
    this.project = project;
    this.patterns = (["read", "write"] as const).flatMap((use) =>
      closed[use].map((match) => ({ ...closedSearch(match, project, home), use, match })),
    );
  }

  /** The files closed now, in the project and in each worktree. @throws EkidenError `not_permitted` where they are too many to cover */
  async find(): Promise<Found> {
    if (this.patterns.length === 0) return NOTHING;
    const now = performance.now();
    const isFresh = now - this.packagesAt < PACKAGES_MS;
    if (!isFresh) this.packagesAt = now;
    const walk = new Walk(this.known, this.patterns, isFresh);
    const found = { read: new Map<string, Kind>(), write: new Map<string, Kind>() };
    for (const [path, { use, ...kind }] of this.known.throughLinks)
      if (statOf(path)) found[use].set(path, kind);
    const checkouts = [this.project, ...worktreesOf(this.project)];
    for (const pattern of this.patterns) {
      const into = found[pattern.use];
      for (const top of isAbsolute(pattern.start) ? ["/"] : checkouts) await walk.collect(top, pattern, into);
      if (into.size > COVERED_MAX)
        throw notPermitted(
          `The rule deny ${RULE_NAMES[pattern.use][0]}(${pattern.match}) closes more than ${COVERED_MAX} files, too many for the sandbox to hide one by one, so commands do not run. Name their folders in the rule, such as secrets/**.`,
        );
    }
    const hidden = [...found.read].map(([path, kind]) => ({ path, ...kind }));
    return {
      hidden: [...hidden, ...(await this.otherNames(hidden, walk))],
      fixed: [...found.write.keys()],
    };
  }

  /** Hard links: the same files under other names in the project. A further link changes the time of the file itself. */
  private async otherNames(hidden: readonly ClosedFile[], walk: Walk): Promise<ClosedFile[]> {
    const linked = hidden.flatMap(({ path, kind }) => {
      const about = kind === "file" ? statOf(path) : null;
      return about && about.nlink > 1 ? [{ path, about }] : [];
    });
    if (linked.length === 0) return [];
    const of = linked.map(({ path, about }) => `${path}:${stampOf(about)}`).join("\0");
    if (this.names.of !== of) {
      const known = new Set(linked.map(({ path }) => path));
      const files = new Set(linked.map(({ about }) => fileOf(about)));
      const paths = (await walk.sameFiles(this.project, files)).filter((path) => !known.has(path));
      this.names = { of, paths };
    }
    return this.names.paths.map((path) => ({ path, kind: "file", isPlaced: true }));
  }
}

class Walk {
  private readonly listed: Known["listed"];
  private readonly patterns: readonly Pattern[];
  /** Folders of packages are taken as they were. */
  private readonly skipsPackages: boolean;
  private readonly throughLinks: Map<string, LinkTarget>;
  /** The folders of this walk. */
  private readonly seen = new Map<string, Map<string, Listed>>();
  private looks = 0;
  private restedAt = 0;

  constructor({ listed, throughLinks }: Known, patterns: readonly Pattern[], skipsPackages: boolean) {
    this.listed = listed;
    this.throughLinks = throughLinks;
    this.patterns = patterns;
    this.skipsPackages = skipsPackages;
  }

  /** Adds the real paths of what the pattern closes below `top`. */
  async collect(top: string, pattern: Pattern, into: Map<string, Kind>): Promise<void> {
    const { start, depth } = pattern;
    const add = (path: string): boolean => {
      const target = real(path);
      const about = target === null ? null : statOf(target);
      if (target === null || !about || !pattern.covers(shownAs(path, top), about.isDirectory())) return false;
      const isLink = target !== path;
      const kind = about.isDirectory() ? "folder" : "file";
      const isPlaced = pattern.isPlaced || isLink || into.get(target)?.isPlaced === true;
      into.set(target, { kind, isPlaced });
      if (isLink) this.throughLinks.set(target, { use: pattern.use, kind, isPlaced });
      return true;
    };
    const first = join(top, start);
    if (start !== "" && (add(first) || depth === 0)) return;
    const waiting: { readonly path: string; readonly left: number }[] = [{ path: first, left: depth }];
    const [listed, seen] = [below(this.listed, top), below(this.seen, top)];
    for (let next = waiting.pop(); next !== undefined && into.size <= COVERED_MAX; next = waiting.pop()) {
      const { path, left } = next;
      // Before the look: found paths are added without a pause. Without a promise for each folder.
      if (this.isLong()) await setImmediate();
      const one = seen.get(path) ?? this.listing(listed, path, top);
      seen.set(path, one);
      const paths = (one.closed.get(pattern) ?? []).map((name) => join(path, name));
      const added = new Set(paths.filter(add));
      if (left <= 1) continue;
      // A search without an end would go through links in circles; their targets in the project are found without them.
      for (const inner of Number.isFinite(left) ? [...one.folders, ...one.links] : one.folders)
        if (!added.has(inner)) waiting.push({ path: inner, left: left - 1 });
    }
  }

  private listing(all: Map<string, Listed>, folder: string, top: string): Listed {
    const known = all.get(folder);
    if (known && this.skipsPackages && folder.includes(`/${PACKAGES}/`)) return known;
    this.count();
    const found = statOf(folder);
    const about = found?.isDirectory() ? found : null;
    if (known && isSame(known.about, about)) return known;
    const entries = about === null ? [] : entriesOf(folder).filter(({ name }) => name !== ".git");
    const paths = (those: readonly Dirent[]): string[] => those.map(({ name }) => join(folder, name));
    const listed: Listed = {
      about,
      folders: paths(entries.filter((one) => one.isDirectory())).filter((path) => !isWorktrees(path)),
      links: paths(entries.filter((one) => one.isSymbolicLink())),
      closed: new Map(
        this.patterns
          .filter(({ start }) => isAbsolute(start) === (top === "/"))
          .map((pattern) => [
            pattern,
            entries.flatMap(({ name }) => {
              const path = shownAs(join(folder, name), top);
              return [true, false].some((isFolder) => pattern.covers(path, isFolder)) ? name : [];
            }),
          ]),
      ),
    };
    // A folder may change again within the grain of its time.
    if (found && Date.now() - found.ctimeMs > GRAIN_MS) all.set(folder, listed);
    else all.delete(folder);
    return listed;
  }

  /** The files below `top` that are one of these, each `DEVICE:INODE`. */
  async sameFiles(top: string, files: ReadonlySet<string>): Promise<string[]> {
    const found: string[] = [];
    const waiting = [top];
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      this.count();
      if (this.isLong()) await setImmediate();
      for (const entry of entriesOf(folder)) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) waiting.push(path);
        const about = entry.isFile() ? statOf(path) : null;
        if (about && files.has(fileOf(about))) found.push(path);
      }
    }
    return found;
  }

  /** True when other work of this process shall have its turn. */
  private isLong(): boolean {
    if (this.looks - this.restedAt < AT_ONCE) return false;
    this.restedAt = this.looks;
    return true;
  }

  private count(): void {
    this.looks += 1;
    if (this.looks > FOLDERS_MAX)
      throw notPermitted(
        `The project has more than ${FOLDERS_MAX} folders, too many to search for files that deny rules cover, so commands do not run. Use rules without **, such as config/.env.`,
      );
  }
}

const shownAs = (path: string, top: string): string => (top === "/" ? path : path.slice(top.length + 1));
const fileOf = ({ dev, ino }: Stats): string => `${dev}:${ino}`;
const GRAIN_MS = 20;

/** The stored listings of the folders below `top`. */
function below(all: Map<string, Map<string, Listed>>, top: string): Map<string, Listed> {
  const inner = all.get(top) ?? new Map<string, Listed>();
  all.set(top, inner);
  return inner;
}

/** The same as equal stamps, without making texts: this runs for every folder before every command. */
const isSame = (a: Stats | null, b: Stats | null): boolean =>
  a === null || b === null
    ? a === b
    : a.ctimeMs === b.ctimeMs && a.ino === b.ino && a.dev === b.dev && a.nlink === b.nlink;

/** Nobody can set the time of a change of status. */
const stampOf = ({ dev, ino, nlink, ctimeMs }: Stats): string => `${dev}:${ino}:${nlink}:${ctimeMs}`;

const statOf = (path: string): Stats | null =>
  tried(() => statSync(path, { throwIfNoEntry: false }) ?? null, null);

const entriesOf = (folder: string): Dirent[] => tried(() => readdirSync(folder, { withFileTypes: true }), []);

const WORKTREES = join(".ekiden", "worktrees");
const isWorktrees = (path: string): boolean => path.endsWith(`/${WORKTREES}`);

/** A worktree lies directly in the folder, or in one of its team. */
function worktreesOf(project: string): string[] {
  const all = join(project, WORKTREES);
  const isTree = (folder: string): boolean =>
    lstatSync(join(folder, ".git"), { throwIfNoEntry: false }) !== undefined;
  return foldersIn(all).flatMap((name) => {
    const folder = join(all, name);
    return isTree(folder)
      ? [folder]
      : foldersIn(folder)
          .map((inner) => join(folder, inner))
          .filter(isTree);
  });
}
