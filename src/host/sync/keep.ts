/** Keeps a folder of task files equal to the board until it is told to end: at changes of either side, and now and then without. */
import { hostname } from "node:os";
import { systemClock } from "../../adapters/clock.ts";
import { FolderLock, type Holder } from "../../adapters/layout/folder-lock.ts";
import { TaskFolder } from "../../adapters/layout/task-folder.ts";
import { isAlive } from "../../adapters/process-table.ts";
import { badInput, isEkidenError, messageOf } from "../../core/errors.ts";
import { TASK_CHANGES } from "../../core/event.ts";
import { quote } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import { FolderSync } from "./sync.ts";

export type Keeping = {
  readonly store: Store;
  /** The URL of the store. */
  readonly url: string;
  /** Absolute. */
  readonly dir: string;
  /** `isNews`: nothing is wrong. */
  readonly tell: (text: string, isNews?: boolean) => void;
};

/** Changes of files and of the board wake it. This is how long it sleeps where they do not: on some network file systems. */
const SLOW_MS = 10_000;
/** A file that may be half written is read again after this time. */
const SOON_MS = 500;
/** Changes in quick succession are one. */
const GAP_MS = 50;

export class KeptFolder {
  private readonly keeping: Keeping;
  private readonly folder: TaskFolder;
  private readonly lock: FolderLock;
  private readonly sync: FolderSync;

  /** @throws EkidenError `bad_input` when the folder cannot be used, is kept for another team, or by another process */
  constructor(keeping: Keeping) {
    this.keeping = keeping;
    this.folder = new TaskFolder(keeping.dir);
    this.lock = new FolderLock(this.folder, {
      me: { machine: hostname(), pid: process.pid },
      now: () => systemClock.now(),
      isAlive,
    });
    this.take();
    try {
      this.folder.tidy();
      this.sync = new FolderSync(this.folder, keeping, keeping.tell, () => systemClock.now());
    } catch (error) {
      this.lock.release();
      throw error;
    }
  }

  /** One look at both sides; how many files could not be used. */
  async once(): Promise<number> {
    let found = await this.sync.pass();
    for (; found.again; found = await this.sync.pass()) await systemClock.sleep(SOON_MS);
    return found.faults;
  }

  /** Until the signal aborts; then looks once more. @throws what the store throws, and when another process took the folder over */
  async run(signal: AbortSignal): Promise<void> {
    const { store } = this.keeping;
    const { journal } = store;
    let wake = new AbortController();
    let filesChanged = true;
    const onFiles = (): void => {
      filesChanged = true;
      wake.abort();
    };
    let watcher = this.folder.watch(onFiles);
    const unwatch = store.wake.watch("journal", () => wake.abort());
    const end = (): void => wake.abort();
    signal.addEventListener("abort", end);
    try {
      for (let cursor = await journal.end(); ; ) {
        wake = new AbortController();
        const isLast = signal.aborted;
        const { events, cursor: next } = await journal.read(cursor, { types: TASK_CHANGES });
        cursor = next;
        let again = false;
        if (filesChanged || isLast || events.length > 0) {
          filesChanged = false;
          again = (await this.sync.pass()).again;
        }
        if (isLast) return;
        await systemClock.sleep(again ? SOON_MS : SLOW_MS, wake.signal);
        if (wake.signal.aborted) {
          await systemClock.sleep(GAP_MS);
          continue;
        }
        filesChanged = true;
        if (again) continue;
        this.renew();
        // The folder may be another one of the same name now.
        watcher?.close();
        watcher = this.folder.watch(onFiles);
      }
    } finally {
      unwatch();
      signal.removeEventListener("abort", end);
      watcher?.close();
    }
  }

  /** @throws EkidenError `bad_input` when no file can be written to the folder, or another process keeps it */
  private take(): void {
    const { dir } = this.folder;
    let holder: Holder | null;
    try {
      holder = this.lock.take();
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code ?? messageOf(error);
      throw badInput(
        `${quote(dir)} cannot be used as a folder of task files: no file can be written to it (${why}). Name another folder.`,
      );
    }
    if (holder)
      throw badInput(
        `process ${holder.pid} on ${holder.machine} keeps ${dir} already. End it first; if it is gone, delete .ekiden-sync.lock there.`,
        { details: { held: true } },
      );
  }

  /** The lock is lost with the folder when that is deleted. It is taken again when the folder is back. */
  private renew(): void {
    if (this.lock.renew()) return;
    try {
      this.take();
    } catch (error) {
      if (isEkidenError(error) && error.details.held) throw error;
    }
  }

  close(): void {
    this.lock.release();
  }
}
