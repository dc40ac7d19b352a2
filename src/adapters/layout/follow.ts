/**
 * Keeps the exported layouts as the board is: it writes each file that differs from the last time, by a rename. The folder shows the
 * board and changes nothing: a file that another program changed is written again. Members can exchange what is in the folder, so nothing
 * is written through a link.
 */
import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MAILBOX_MAX } from "../../core/board/mail.ts";
import { messageOf } from "../../core/errors.ts";
import type { Event } from "../../core/event.ts";
import { quote } from "../../core/ids.ts";
import type { Store } from "../../ports/store.ts";
import { inHeldFolder } from "../held-folder.ts";
import { type Files, placeFiles, readSeeds, seedFiles } from "./write.ts";

/** `stamp`: the state of the file after it was written. */
type Known = { readonly text: string; readonly stamp: string };

/** Whether a fact may change what the files show. */
export const isShown = ({ type }: Event): boolean => /^(?:task|mail|teammate|journal)\./.test(type);

export class FollowedLayouts {
  private readonly store: Store;
  private readonly dir: string;
  private readonly tell: (text: string) => void;
  private readonly known = new Map<string, Known>();
  /** The faults of the last writing: each is told once. */
  private faults = new Set<string>();

  private constructor(store: Store, dir: string, tell: (text: string) => void) {
    this.store = store;
    this.dir = dir;
    this.tell = tell;
  }

  /** Writes all files. `dir`: absolute. @throws EkidenError `bad_input` when an earlier export is in the way and `force` is not given */
  static async begin(
    store: Store,
    dir: string,
    { force, tell }: { readonly force: boolean; readonly tell: (text: string) => void },
  ): Promise<FollowedLayouts> {
    const files = await filesOf(store);
    placeFiles(dir, files, force);
    const followed = new FollowedLayouts(store, realpathSync(dir), tell);
    for (const [path, text] of files) followed.known.set(path, { text, stamp: followed.stamp(path) });
    return followed;
  }

  /** Writes what has changed. A file that cannot be written is named and tried again the next time. */
  async write(): Promise<void> {
    const files = await filesOf(this.store);
    const before = this.faults;
    this.faults = new Set();
    const foreign: string[] = [];
    for (const [path, text] of files) {
      const known = this.known.get(path);
      const isSame = known?.stamp === this.stamp(path);
      if (isSame && known?.text === text) continue;
      if (known && !isSame) foreign.push(path);
      this.attempt(path, () => this.replace(path, text));
    }
    for (const path of this.known.keys()) if (!files.has(path)) this.attempt(path, () => this.remove(path));
    const [first, ...more] = foreign;
    if (first)
      this.tell(
        `${first}${more.length > 0 ? ` and ${more.length} more` : ""} changed in ${quote(this.dir)}: overwritten, because the files only show the board. To change a task: ekiden edit ID.`,
      );
    for (const fault of this.faults) if (!before.has(fault)) this.tell(fault);
  }

  private attempt(path: string, change: () => void): void {
    try {
      change();
    } catch (error) {
      this.known.delete(path);
      const why = (error as NodeJS.ErrnoException).code ?? messageOf(error);
      this.faults.add(
        `${quote(join(this.dir, path))} cannot be written (${why}). Remove what is in its way: it is tried again at the next change of the board.`,
      );
    }
  }

  private replace(path: string, text: string): void {
    this.makeFolders(dirname(join(this.dir, path)));
    this.held(path, (at) => {
      const draft = join(dirname(at), `.ekiden-${randomBytes(6).toString("hex")}.tmp`);
      try {
        writeFileSync(draft, text, { flag: "wx" });
        renameSync(draft, at);
      } finally {
        rmSync(draft, { force: true });
      }
    });
    this.known.set(path, { text, stamp: this.stamp(path) });
  }

  private remove(path: string): void {
    this.held(path, (at) => rmSync(at, { force: true }));
    this.known.delete(path);
  }

  private makeFolders(folder: string): void {
    if (lstatSync(folder, { throwIfNoEntry: false })) return;
    this.makeFolders(dirname(folder));
    inHeldFolder("/", folder.slice(1), (at) => mkdirSync(at));
  }

  /** From the root on: the folders above the export may be exchanged, too. */
  private held<T>(path: string, use: (at: string) => T): T {
    return inHeldFolder("/", join(this.dir, path).slice(1), use);
  }

  private stamp(path: string): string {
    const found = lstatSync(join(this.dir, path), { throwIfNoEntry: false });
    return found ? `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}` : "";
  }
}

const filesOf = async (store: Store): Promise<Files> =>
  new Map(seedFiles(await readSeeds(store, (name) => store.mail.unread(name, MAILBOX_MAX))));
