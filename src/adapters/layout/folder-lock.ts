/** One process keeps a folder of task files at a time: a file beside the tasks names it. */

import { linkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { succeeds } from "../../core/tried.ts";
import type { TaskFolder } from "./task-folder.ts";

export type Holder = { readonly machine: string; readonly pid: number; readonly at: number };

const NAME = ".lock";
/** A process on another machine counts as gone when it has not renewed its lock for so long. */
const GONE_MS = 60_000;

type World = {
  readonly me: Omit<Holder, "at">;
  readonly now: () => number;
  /** Whether a process of this machine lives. */
  readonly isAlive: (pid: number) => boolean;
};

export class FolderLock {
  private readonly folder: TaskFolder;
  private readonly world: World;

  constructor(folder: TaskFolder, world: World) {
    this.folder = folder;
    this.world = world;
  }

  /** Null: this process has the lock now. Otherwise its holder. */
  take(): Holder | null {
    const { me, now } = this.world;
    const path = this.path("");
    const own = this.path(`-${me.pid}`);
    try {
      writeFileSync(own, JSON.stringify({ ...me, at: now() }), { mode: 0o600 });
      for (let tries = 0; tries < 3; tries += 1) {
        if (succeeds(() => linkSync(own, path))) return null;
        const before = this.folder.own(NAME);
        const holder = parse(before);
        if (holder && this.lives(holder)) return holder;
        // One of several processes that see a dead holder moves its lock away. The moved lock may be a fresh one of another process.
        const moved = this.path(`-${me.pid}-dead`);
        if (!succeeds(() => renameSync(path, moved))) continue;
        const fresh = this.folder.own(`${NAME}-${me.pid}-dead`) !== before;
        if (fresh) succeeds(() => linkSync(moved, path));
        rmSync(moved, { force: true });
      }
      return parse(this.folder.own(NAME)) ?? { machine: "?", pid: 0, at: 0 };
    } finally {
      rmSync(own, { force: true });
    }
  }

  /** False: another process has taken it, since this one seemed to be gone. */
  renew(): boolean {
    const { me, now } = this.world;
    if (!this.isMine()) return false;
    this.folder.writeOwn(NAME, JSON.stringify({ ...me, at: now() }));
    return true;
  }

  release(): void {
    if (this.isMine()) rmSync(this.path(""), { force: true });
  }

  private isMine(): boolean {
    const holder = parse(this.folder.own(NAME));
    return holder?.machine === this.world.me.machine && holder.pid === this.world.me.pid;
  }

  private lives({ machine, pid, at }: Holder): boolean {
    return machine === this.world.me.machine
      ? this.world.isAlive(pid)
      : Math.abs(this.world.now() - at) < GONE_MS;
  }

  private path(suffix: string): string {
    return join(this.folder.dir, `.ekiden-sync${NAME}${suffix}`);
  }
}

function parse(text: string | null): Holder | null {
  try {
    const { machine, pid, at } = JSON.parse(text ?? "") as Partial<Holder>;
    return typeof machine === "string" && typeof pid === "number" && typeof at === "number"
      ? { machine, pid, at }
      : null;
  } catch {
    return null;
  }
}
