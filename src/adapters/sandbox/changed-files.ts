/**
 * Finds the files of the repository that a confined command changed. The folders that hold tracked files are watched: that costs
 * a command nothing, where a look at each file takes tens of milliseconds. It is news and no boundary: a command may change the index.
 */
import { type FSWatcher, lstatSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isWithin, relativeTo } from "../../core/paths/paths.ts";
import { cutEnd } from "../../core/text/valid.ts";
import { checkoutOf } from "./git-folders.ts";
import { trackedIn } from "./tracked.ts";

/** No changes are shown of a repository with more folders. */
const FOLDERS_MAX = 2_000;
const NAMES_MAX = 8;
const NAME_MAX = 120;
/** Paths that a command may touch and that are looked at, most of them of files that it makes. */
const SEEN_MAX = 10_000;
/** The kernel's time of a change may be that much earlier than the clock. */
const GRAIN_MS = 10;

type Seen = (path: string) => unknown;

export class ChangedFiles {
  /** By folder that members work in. */
  private readonly trees = new Map<string, Tree>();

  /** `roots`: folders that the command may write. Call it before the command starts, and its result once after the end: a line on changes. */
  async watch(roots: readonly string[], cwd: string): Promise<() => Promise<string | null>> {
    const [root] = roots.filter((one) => isWithin(one, cwd)).sort((a, b) => b.length - a.length);
    if (root === undefined) return async () => null;
    const tree = this.trees.get(root) ?? new Tree(root);
    this.trees.set(root, tree);
    const before = tree.refresh();
    // Changes that were reported until now are older than the command.
    await turns();
    const began = Date.now() - GRAIN_MS;
    const seen = new Set<string>();
    const end = tree.report((path) => seen.size < SEEN_MAX && seen.add(path));
    return async () => {
      await turns();
      end();
      const after = tree.refresh();
      const tracked = after === before ? before : new Set([...before, ...after]);
      const own = [...seen].filter((path) => tracked.has(path));
      if (own.length === seen.size) return noteOf(own);
      const folders = foldersOf(tracked);
      // A folder that came or went.
      const moved = new Set([...seen].filter((path) => folders.has(path)));
      return noteOf(moved.size === 0 ? own : [...own, ...tree.changedBelow(moved, tracked, began)]);
    };
  }

  close(): void {
    for (const tree of this.trees.values()) tree.close();
    this.trees.clear();
  }
}

/** The kernel has told of all changes until now. */
async function turns(): Promise<void> {
  for (let i = 0; i < 2; i += 1) await setImmediate();
}

class Tree {
  private readonly root: string;
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly listeners = new Set<Seen>();
  private stamp = "";
  private tracked: ReadonlySet<string> = new Set();

  constructor(root: string) {
    this.root = root;
  }

  report(seen: Seen): () => void {
    this.listeners.add(seen);
    return () => void this.listeners.delete(seen);
  }

  /** The tracked files below the root, relative to it. */
  refresh(): ReadonlySet<string> {
    const checkout = checkoutOf(this.root);
    const index = checkout && join(checkout.git, "index");
    const about = index === null ? undefined : lstatSync(index, { throwIfNoEntry: false });
    const stamp = `${index} ${about?.ino} ${about?.size} ${about?.ctimeMs}`;
    if (stamp !== this.stamp) {
      this.stamp = stamp;
      const all = checkout && index ? trackedIn(index).map((path) => join(checkout.top, path)) : [];
      const own = all.filter((path) => isWithin(this.root, path));
      this.tracked = new Set(own.map((path) => relativeTo(this.root, path)));
      this.watchFolders();
    }
    return this.tracked;
  }

  /** The tracked files in the folders that are gone or new. */
  changedBelow(folders: ReadonlySet<string>, tracked: ReadonlySet<string>, began: number): string[] {
    return [...tracked].filter((one) => {
      if (!above(one).some((folder) => folders.has(folder))) return false;
      const about = lstatSync(join(this.root, one), { throwIfNoEntry: false });
      return about === undefined || about.ctimeMs >= began;
    });
  }

  private watchFolders(): void {
    const wanted = foldersOf(this.tracked);
    if (wanted.size > FOLDERS_MAX) wanted.clear();
    for (const [folder, watcher] of this.watchers)
      if (!wanted.has(folder)) {
        watcher.close();
        this.watchers.delete(folder);
      }
    for (const folder of wanted) if (!this.watchers.has(folder)) this.start(folder);
  }

  private start(folder: string): void {
    try {
      const watcher = watch(join(this.root, folder), { persistent: false }, (_, name) => {
        if (name === null) return;
        const path = join(folder, name);
        // A folder that is moved or removed takes its watch along; another one may have its name now.
        if (this.watchers.has(path)) this.again(path);
        // A folder that is removed names itself.
        if (name !== basename(folder) || this.tracked.has(path))
          for (const seen of this.listeners) seen(path);
      });
      watcher.on("error", () => {});
      this.watchers.set(folder, watcher);
    } catch {
      // It is not there, or nothing more can be watched.
    }
  }

  private again(path: string): void {
    for (const [folder, watcher] of [...this.watchers])
      if (isWithin(path, folder)) {
        watcher.close();
        this.watchers.delete(folder);
        this.start(folder);
      }
  }

  close(): void {
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }
}

function foldersOf(paths: ReadonlySet<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) for (let at = dirname(path); !folders.has(at); at = dirname(at)) folders.add(at);
  return folders;
}

/** The folders around a file, without the root. */
function above(path: string): string[] {
  const folders: string[] = [];
  for (let at = dirname(path); at !== "."; at = dirname(at)) folders.push(at);
  return folders;
}

function noteOf(changed: readonly string[]): string | null {
  const paths = [...new Set(changed)].sort();
  if (paths.length === 0) return null;
  const names = paths.slice(0, NAMES_MAX).map(shown);
  const rest = paths.length - names.length;
  return `[changed: ${names.join(", ")}${rest > 0 ? ` and ${rest} more files` : ""}]`;
}

/** A name is a text of others, and must not look like more than a name. */
function shown(path: string): string {
  const name = cutEnd(path, NAME_MAX);
  return /^[\w./@+~-]+$/.test(name) ? name : JSON.stringify(name);
}
