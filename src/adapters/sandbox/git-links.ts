/**
 * Finds what may not be in a git directory after a confined command: links, pipes, devices and sockets in the parts that it could write, and files
 * that lead git to another directory. Git outside of the sandbox would follow them. Files that are older than all commands stay.
 */

import { type FSWatcher, lstatSync, readdirSync, rmSync, watch, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { GitFolder } from "../../core/sandbox/sandbox.ts";
import { nameShown } from "../../core/text/hidden.ts";
import { listed } from "../../core/text/listed.ts";
import { tried } from "../../core/tried.ts";
import { bytesIn, replaceFile } from "../small-files.ts";
import { strayPath } from "./files/index-paths.ts";
import { modulesIn, REPLACED } from "./git-folders.ts";
import type { Reads } from "./reads.ts";

/** Deeper than any ref of a person. */
const DEPTH_MAX = 12;
/** In a directory that is not a worktree's, each of them makes git use another configuration. */
const MISLEADING = ["commondir", "gitdir"];

export class GitLinks {
  private running = 0;
  /** By part of a git directory: the number of running commands that can write it, and its files before they could. */
  private readonly parts = new Map<string, { users: number; readonly known: ReadonlySet<string> }>();
  private readonly heads = new Map<string, string>();
  private readonly replaced = new Map<string, ReadonlySet<string>>();
  /** Those that name files of the work tree only, by their state. */
  private readonly indexes = new Map<string, string>();
  private readonly watchers = new Map<string, FSWatcher>();

  /** To be called before a command starts; the function that it returns, once, after the command has ended: a line about what it removed. */
  watch(folders: readonly GitFolder[], reads: Reads): () => Promise<string | null> {
    if (folders.length === 0) return async () => null;
    const parts = folders.flatMap(partsOf);
    const mains = folders.flatMap(({ path, access }) => (access === "write" ? [path] : []));
    this.running += 1;
    for (const part of parts) {
      const known = this.parts.get(part.path) ?? { users: 0, known: new Set(strangeIn(part)) };
      this.parts.set(part.path, { ...known, users: known.users + 1 });
    }
    for (const path of mains) {
      const head = textOf(join(path, "HEAD"));
      if (head !== null) this.heads.set(path, head);
      if (!isWorktree(path)) this.keepOut(path);
      if (!this.replaced.has(path)) this.replaced.set(path, new Set(replacedIn(path)));
    }
    return async () => {
      this.running -= 1;
      const gone = [...parts.flatMap((part) => this.leave(part)), ...mains.flatMap(misleadingIn)];
      for (const path of gone) remove(path);
      for (const path of mains) {
        this.restoreHead(path);
        gone.push(...this.endReplacing(path));
        gone.push(...(await this.endStray(path, reads)));
      }
      return gone.length === 0
        ? null
        : `[sandbox: ${listed(gone.map(nameShown))} removed: git follows links, pipes and foreign directories below .git, and writes every path of an index (git reset makes one again), so none may stay there]`;
    };
  }

  /** The files that a command has made there. */
  private leave(part: Part): string[] {
    const { users, known } = this.parts.get(part.path) ?? { users: 1, known: new Set() };
    if (users > 1) this.parts.set(part.path, { users: users - 1, known });
    else this.parts.delete(part.path);
    return strangeIn(part).filter((path) => !known.has(path));
  }

  close(): void {
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  /** Git of the person may run while the command does. */
  private keepOut(path: string): void {
    if (this.watchers.has(path)) return;
    try {
      const watcher = watch(path, { persistent: false }, (_, name) => {
        if (name !== null && MISLEADING.includes(name) && this.running > 0) remove(join(path, name));
      });
      watcher.on("error", () => {});
      this.watchers.set(path, watcher);
    } catch {
      // No more watches: the rest is removed when the command has ended.
    }
  }

  /** Such a ref as a file cannot be made, but git writes the one file of all others again. */
  private endReplacing(path: string): string[] {
    const known = this.replaced.get(path);
    const added = replacedIn(path).filter((line) => !known?.has(line));
    if (added.length === 0) return [];
    const file = join(path, "packed-refs");
    const lines = (textOf(file) ?? "").split("\n");
    // A line with "^" belongs to the one before it.
    const isAdded = (at: number): boolean =>
      added.includes(lines[at] ?? "") || (lines[at]?.startsWith("^") === true && isAdded(at - 1));
    replaceFile(file, lines.filter((_, at) => !isAdded(at)).join("\n"));
    return added.map((line) => line.slice(line.indexOf(" ") + 1));
  }

  /** An index that names a file which is none of the work tree goes as a whole. */
  private async endStray(path: string, reads: Reads): Promise<string[]> {
    const gone: string[] = [];
    for (const git of [path, ...modulesIn(join(path, "modules"))]) {
      const file = join(git, "index");
      const { ino = 0, mtimeMs = 0, size = 0 } = lstatSync(file, { throwIfNoEntry: false }) ?? {};
      const state = `${ino}:${mtimeMs}:${size}`;
      if (size === 0 || this.indexes.get(file) === state) continue;
      const stray = await strayPath(file, reads);
      if (stray === null) this.indexes.set(file, state);
      else remove(file);
      if (stray !== null) gone.push(`${file} with ${JSON.stringify(stray)}`);
    }
    return gone;
  }

  private restoreHead(path: string): void {
    const head = this.heads.get(path);
    if (head === undefined || lstatSync(join(path, "HEAD"), { throwIfNoEntry: false })) return;
    tried(() => writeFileSync(join(path, "HEAD"), head, { flag: "wx" }), null); // the directory is gone, too
  }
}

type Part = { readonly path: string; readonly depth: number };

/** The folders that a command can write, and how deep each is looked at: the folders of objects have thousands of files. */
function partsOf(folder: GitFolder): Part[] {
  if (folder.access === "read") return [];
  return [{ path: folder.path, depth: SHALLOW.includes(basename(folder.path)) ? 0 : DEPTH_MAX }];
}

const SHALLOW = ["objects", "worktrees", "modules", "lfs"];

function strangeIn({ path, depth }: Part): string[] {
  if (depth < 0) return [];
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
      const at = join(path, entry.name);
      if (entry.isFile()) return [];
      if (!entry.isDirectory()) return [at];
      return strangeIn({
        path: at,
        depth: SHALLOW.includes(entry.name) ? 0 : depth - 1,
      });
    });
  } catch {
    return []; // removed meanwhile
  }
}

const replacedIn = (path: string): string[] =>
  (textOf(join(path, "packed-refs")) ?? "").split("\n").filter((line) => line.includes(` ${REPLACED}/`));

const isWorktree = (path: string): boolean => /\/worktrees\/[^/]+$/.test(path);

const misleadingIn = (path: string): string[] =>
  isWorktree(path)
    ? []
    : MISLEADING.map((name) => join(path, name)).filter((one) => lstatSync(one, { throwIfNoEntry: false }));

/** Another command may have put a folder in its place; it is looked at when that ends. */
const remove = (path: string): void => tried(() => rmSync(path, { recursive: true, force: true }), undefined);

const textOf = (path: string): string | null => bytesIn(path, FILE_MAX)?.toString() ?? null;
const FILE_MAX = 64 * 1024 * 1024;
