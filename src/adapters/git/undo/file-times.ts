/**
 * Whether anything in a folder can have changed since git last looked, by the times of its files and folders: most commands change no file,
 * and a process of git takes longer than many of them. A file that is older than the last look is one that git has seen.
 */
import { lstatSync, readdirSync, type Stats, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tried } from "../../../core/tried.ts";
import { isOutside } from "./disk.ts";

/** More files and folders than this are left to git, which asks for them with several threads. */
const KNOWN_MAX = 12_000;
/** A folder without files that git takes, such as `node_modules`, is watched only up to so many folders below it. */
const BELOW_MAX = 300;
/** The kernel sets the time of a file to that of its last tick. */
export const TICK_MS = 10;

export class FileTimes {
  private readonly root: string;
  /** null where git has looked since it was noticed here. */
  private readonly known = new Map<string, Seen | null>();
  private differing: string[] = [];
  readonly hasClock: boolean;
  private lookedAt = 0;
  private isOn: boolean;

  /** `folder`: one on the same disk, in which the clock of the disk is read. */
  constructor(root: string, folder: string) {
    this.root = root;
    this.hasClock = tried(() => isClockOf(join(folder, "clock")), false);
    this.isOn = this.hasClock;
  }

  /** Nothing has changed since the last look. */
  isSame(): boolean {
    if (!this.isOn || this.known.size === 0) return false;
    this.differing = [];
    for (const [path, was] of this.known) {
      const now = statOf(`${this.root}/${path}`);
      if (was && now && isSame(was, now)) continue;
      if (!was && now && now.ctimeMs < this.lookedAt - TICK_MS) this.known.set(path, seen(now));
      else this.differing.push(path);
    }
    return this.differing.length === 0;
  }

  /** It needs the paths of all files at the next look. */
  get isNew(): boolean {
    return this.isOn && this.known.size === 0;
  }

  /** Git has looked. `at`: the time in milliseconds before it did. `paths`: the files that were new, changed or removed. */
  looked(at: number, paths: readonly string[]): void {
    if (!this.isOn) return;
    this.lookedAt = at;
    const folders = new Set(this.known.size === 0 ? ["."] : []);
    for (const path of [...paths, ...this.differing]) {
      const stat = statOf(join(this.root, path));
      if (!stat) this.known.delete(path);
      else if (stat.isDirectory()) folders.add(path);
      else this.known.set(path, null);
      for (let at = dirname(path); !this.known.has(at); at = dirname(at)) {
        folders.add(at);
        this.known.set(at, null);
      }
    }
    for (const folder of folders) this.known.set(folder, null);
    for (const folder of folders) this.addBelow(folder);
    this.isOn = this.known.size <= KNOWN_MAX;
    if (!this.isOn) this.known.clear();
  }

  /** The folders in it that hold no file yet: one that is made there changes nothing above. */
  private addBelow(folder: string): void {
    for (const below of this.foldersIn(folder)) {
      const found = [below];
      for (const one of found) if (found.length <= BELOW_MAX) found.push(...this.foldersIn(one));
      if (found.length <= BELOW_MAX) for (const one of found) this.known.set(one, null);
    }
  }

  private foldersIn(folder: string): string[] {
    const entries = tried(() => readdirSync(join(this.root, folder), { withFileTypes: true }), []);
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name))
      .filter((path) => !this.known.has(path) && !isOutside(path));
  }
}

/** Without strings and further objects: each command waits for thousands of them. */
type Seen = Pick<Stats, "ctimeMs" | "mtimeMs" | "ino" | "size">;
const seen = ({ ctimeMs, mtimeMs, ino, size }: Seen): Seen => ({ ctimeMs, mtimeMs, ino, size });
const isSame = (one: Seen, other: Seen): boolean =>
  one.ctimeMs === other.ctimeMs &&
  one.mtimeMs === other.mtimeMs &&
  one.ino === other.ino &&
  one.size === other.size;

const statOf = (path: string): Stats | undefined =>
  tried(() => lstatSync(path, { throwIfNoEntry: false }), undefined);

/** Whether the clock of the disk is that of this machine: a server may keep another. */
function isClockOf(probe: string): boolean {
  const before = Date.now();
  writeFileSync(probe, `${before}`, { mode: 0o600 });
  const at = lstatSync(probe).ctimeMs;
  return at > before - TICK_MS && at < Date.now() + TICK_MS;
}
