/**
 * Protected files that did not exist when a confined command began. A mount cannot keep a name free without leaving an empty file
 * in the project, so what appears is set aside when the command has ended. A file stays when a commit holds it that no command can have
 * made: a merge or a checkout brings such files.
 */

import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  renameSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isWithin } from "../../../core/paths/paths.ts";
import { READ_ONLY_IN_SANDBOX } from "../../../core/paths/protected-names.ts";
import { nameShown } from "../../../core/text/hidden.ts";
import { succeeds, tried } from "../../../core/tried.ts";
import type { Program } from "../../../ports/shell.ts";
import { inHeldFolder } from "../../held-folder.ts";
import { removeTree } from "../../remove-tree.ts";
import { bytesIn, foldersIn, namesIn } from "../../small-files.ts";
import { findProgram } from "../bubblewrap.ts";
import { foreignCommits } from "../git-folders.ts";
import { presentIn } from "../place.ts";
import { printedBy, type Reads } from "../reads.ts";
import { replacedFolders } from "../stage.ts";
import { isNested, isRepository, type NestedNames, runsNothing } from "./nested.ts";

type Env = Program["env"];

/** For a shell whose `$0` is git. Prints `MODE TYPE ID\tPATH`, each with a zero byte, of the commits. */
const COMMITTED = 'for c in $EKIDEN_COMMITS; do "$0" ls-tree -r -z "$c" -- "$@" 2>/dev/null; done; true';
/** More branches and tags than this are not looked at. */
const COMMITS_MAX = 200;

/** More files and folders than this are not compared with a commit. */
const FILES_MAX = 2_000;

export class NewFiles {
  private readonly folder: string;
  private readonly workspace: string;
  private readonly inWorktrees: boolean;
  private readonly confine: Reads["confine"];
  /** By path: how many running commands may have made it. */
  private readonly suspects = new Map<string, number>();
  private readonly accepted = new Set<string>();
  /** By folder that members work in: the commits that were there before any command. */
  private readonly before = new Map<string, readonly string[]>();
  private readonly nested: NestedNames;

  /**
   * `folder`: where files are kept that were set aside. `confine`: for git, as the configuration of a repository may name programs
   * that git runs when an object is missing.
   */
  constructor(
    folder: string,
    workspace: string,
    inWorktrees: boolean,
    nested: NestedNames,
    confine: Reads["confine"],
  ) {
    this.folder = folder;
    this.workspace = workspace;
    this.inWorktrees = inWorktrees;
    this.nested = nested;
    this.confine = confine;
  }

  /** A member may write this file, so it stays. */
  accept(path: string): void {
    for (const suspect of this.suspects.keys()) if (isWithin(suspect, path)) this.accepted.add(suspect);
    for (let at = path; dirname(at) !== at; at = dirname(at)) if (isNested(at)) this.accepted.add(at);
  }

  /** `folders`: of `roots`, those that are looked at to some depth. To be called before a command starts; the function that it returns, once, after the command has ended. */
  watch(
    roots: readonly string[],
    env: Env,
    protectedIn: (root: string) => readonly string[] = () => READ_ONLY_IN_SANDBOX,
    folders: readonly string[] = [],
  ): () => Promise<string | null> {
    for (const root of roots) if (!this.before.has(root)) this.before.set(root, this.foreignIn(root));
    for (const path of this.accepted) if (isNested(path) && !isThere(path)) this.accepted.delete(path);
    const below = new Map(folders.map((root) => [root, new Set(this.nested.known(root))]));
    const watched = roots.map((root) => {
      const all = protectedIn(root);
      const present = presentIn(root, all);
      const missing = [...this.missingIn(root, all, new Set(present)), ...emptyTargets(root, present)];
      // A mount covers what a link leads to, so a command can replace the link itself.
      const links = new Map(
        present.flatMap((name) => {
          const to = missing.includes(name) ? null : linkAt(join(root, name));
          return to === null ? [] : [[name, to] as const];
        }),
      );
      return { root, names: [...missing, ...links.keys()], links };
    });
    const paths = watched.flatMap(({ root, names }) => names.map((name) => join(root, name)));
    for (const path of paths) this.suspects.set(path, (this.suspects.get(path) ?? 0) + 1);
    return async () => {
      const found: string[] = [];
      for (const { root, names, links } of watched) {
        const isMade = (name: string): boolean =>
          !this.accepted.has(join(root, name)) &&
          !(links.has(name) && links.get(name) === linkAt(join(root, name)));
        const made = [...presentIn(root, names).filter(isMade), ...this.madeBelow(root, below.get(root))];
        if (made.length > 0) found.push(...this.setAside(root, made, await this.committed(root, made, env)));
      }
      for (const path of paths) {
        const others = (this.suspects.get(path) ?? 1) - 1;
        if (others > 0) this.suspects.set(path, others);
        else this.suspects.delete(path);
      }
      return found.length === 0
        ? null
        : `[sandbox: ${found.map(nameShown).join(", ")} ${found.length === 1 ? "is a protected file" : "are protected files"} and did not exist before, so the sandbox moved ${found.length === 1 ? "it" : "them"} to ${this.folder}. Write such a file with write_file, which asks the person, or leave it to the person]`;
    };
  }

  /** A repository stays while nothing in it runs: members make some. */
  private madeBelow(root: string, before: ReadonlySet<string> | undefined): string[] {
    if (before === undefined) return [];
    const repositories = [...before].filter(isRepository).map((path) => join(root, path));
    const known = new Set(repositories.map((path) => (basename(path) === "HEAD" ? dirname(path) : path)));
    return this.nested.find(root).filter((name) => {
      const path = join(root, name);
      if (before.has(name) || this.accepted.has(path)) return false;
      return !isRepository(name) || !runsNothing(path, root, known);
    });
  }

  /** Commands move every ref of a clone, and none of the project that it was made of. */
  private foreignIn(root: string): string[] {
    return foreignCommits(isTaskTree(root) ? this.workspace : root);
  }

  private missingIn(root: string, all: readonly string[], present: ReadonlySet<string>): string[] {
    return all.filter((name) => {
      const path = join(root, name);
      if (!present.has(name)) this.accepted.delete(path);
      return !present.has(name) || this.suspects.has(path);
    });
  }

  /** `ID\tPATH` of what commits hold. */
  private async committed(root: string, names: readonly string[], env: Env): Promise<ReadonlySet<string>> {
    const git = findProgram("git", env.PATH, [this.workspace, root, ...replacedFolders()]);
    if (git === null) return new Set();
    // Where members have clones, commands move nothing in the project, so its branches may have moved on.
    const commits = new Set([
      ...(this.before.get(root) ?? []),
      ...(this.inWorktrees || isTaskTree(root) ? this.foreignIn(root) : []),
    ]);
    const variables = { ...env, EKIDEN_COMMITS: [...commits].slice(0, COMMITS_MAX).join(" ") };
    const plain = { file: "/bin/sh", args: ["-c", COMMITTED, git.path, ...names], cwd: root, env: variables };
    const printed = (await printedBy(plain, this.confine)) ?? "";
    return new Set(printed.split("\0").map((line) => line.replace(/^\d+ \w+ /, "")));
  }

  /** The paths that were set aside, below `root`. */
  private setAside(root: string, made: readonly string[], committed: ReadonlySet<string>): string[] {
    const names = [...new Set(made.map((name) => linkAbove(root, name) ?? name))];
    const gone = names.flatMap((name) => {
      const files = filesIn(root, name);
      const foreign = files.filter(
        (file) => !idsOf(join(root, file)).some((id) => committed.has(`${id}\t${file}`)),
      );
      return foreign.length === files.length ? [name] : foreign;
    });
    if (gone.length === 0) return [];
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const kept = mkdtempSync(
      join(this.folder, `${new Date().toISOString().slice(0, 19).replace(/:/g, "-")}-`),
    );
    return gone.filter((name) => {
      mkdirSync(join(kept, dirname(name)), { recursive: true });
      // A command may have exchanged a folder on the way; it is looked at when that ends.
      return succeeds(() => inHeldFolder(root, name, (path) => move(path, join(kept, name))));
    });
  }
}

const isTaskTree = (root: string): boolean => root.includes("/.ekiden/worktrees/");

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Where a link leads; null for what is no link. */
const linkAt = (path: string): string | null => tried(() => readlinkSync(path), null);

/** Protected names that are links to nothing: a command may make the file or folder that one leads to, within the root. */
function emptyTargets(root: string, present: readonly string[]): string[] {
  return present.flatMap((name) => {
    let path = join(root, name);
    for (let links = 0; links < LINKS_MAX; links += 1) {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined) return isWithin(root, path) ? [path.slice(root.length + 1)] : [];
      if (!stat.isSymbolicLink()) return [];
      path = resolve(dirname(path), readlinkSync(path));
    }
    return [];
  });
}
const LINKS_MAX = 40;

/** The first folder on the way to a file that is a link; null for none. The command did not make the files behind it. */
function linkAbove(root: string, name: string): string | null {
  const parts = name.split("/");
  for (let end = 1; end < parts.length; end += 1) {
    const path = parts.slice(0, end).join("/");
    if (lstatSync(join(root, path), { throwIfNoEntry: false })?.isSymbolicLink()) return path;
  }
  return null;
}

/** Files and links, in folders too, relative to `root`; the name alone where they are too many or too deep. */
function filesIn(root: string, name: string): string[] {
  const found: string[] = [];
  const waiting = [name];
  let looks = 0;
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    looks += 1;
    if (looks > FILES_MAX || one.length > LENGTH_MAX) return [name];
    if (lstatSync(join(root, one), { throwIfNoEntry: false })?.isDirectory() !== true) found.push(one);
    else for (const entry of namesIn(join(root, one))) waiting.push(`${one}/${entry}`);
  }
  return found;
}
/** The system opens no longer path, and `root` is in front of it. */
const LENGTH_MAX = 1_024;

/** The ids that git gives a blob with this content, by either hash. */
function idsOf(path: string): string[] {
  const to = linkAt(path);
  const content = to === null ? bytesIn(path, COMPARED_MAX) : Buffer.from(to);
  return ["sha1", "sha256"].flatMap((hash) =>
    content === null ? [] : createHash(hash).update(`blob ${content.length}\0`).update(content).digest("hex"),
  );
}
/** A larger file is taken for one of the command. */
const COMPARED_MAX = 32 * 1024 * 1024;

/** @throws an error of the system when it is still there */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
    return;
  } catch {
    // A folder that may not be written cannot be moved to another one.
    openFolders(from);
  }
  try {
    renameSync(from, to);
  } catch {
    // Another file system. Pipes and sockets cannot be copied, and hold nothing.
    tried(() => cpSync(from, to, { recursive: true, verbatimSymlinks: true }), null);
    removeTree(from);
  }
}

/** The folder and those in it become ones that their owner may write; no link is followed. */
function openFolders(path: string): void {
  let folder: number;
  try {
    folder = openSync(path, PLACE_ONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch {
    return; // no folder
  }
  try {
    const held = `/proc/self/fd/${folder}`;
    chmodSync(held, 0o700);
    for (const name of foldersIn(held)) openFolders(`${held}/${name}`);
  } catch {
    // Another user's: it cannot be moved.
  } finally {
    closeSync(folder);
  }
}
/** O_PATH, which Node does not name: to hold a folder that may not be read. */
const PLACE_ONLY = 0o10000000;
