/**
 * A folder in which several members and the person work, and who of them changed what. Each command is between two looks. The changes
 * between two looks belong to the commands that ran then; without any they are the person's, and nobody's record has them.
 */
import type { Name } from "../../../core/ids.ts";
import type { PathChange } from "../../../core/undo/change.ts";
import type { Seen, WatchedFolder } from "./watched-folder.ts";

/** A command that runs, with what is known of its changes so far. */
export type Running = {
  readonly who: Name;
  readonly paths: Map<string, PathChange>;
  readonly beside: Set<Name>;
  /** The paths that changed while a command of somebody else ran, too. */
  readonly shared: Set<string>;
  readonly left: Set<string>;
};

const running = (who: Name): Running => ({
  ...{ who, paths: new Map(), beside: new Set(), shared: new Set(), left: new Set() },
});

export class SharedFolder {
  private readonly folder: Pick<WatchedFolder, "look">;
  private readonly running = new Set<Running>();
  /** Files that a tool has written since the last look: its own record has them. */
  private readonly written = new Set<string>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(folder: Pick<WatchedFolder, "look">) {
    this.folder = folder;
  }

  /** The first look reads the whole folder; it is worth it to begin early. Never rejects. */
  warm(): void {
    void this.inTurn(async () => {}).catch(() => {});
  }

  /** Resolves when no look is under way: what a tool writes then is in none of them. */
  async quiet(): Promise<void> {
    await this.last.catch(() => {});
  }

  wrote(path: string): void {
    this.written.add(path);
  }

  /** @throws as `WatchedFolder.look` */
  async begin(who: Name): Promise<Running> {
    const own = running(who);
    await this.inTurn(async () => void this.running.add(own));
    return own;
  }

  /** The changes of the command. @throws as `WatchedFolder.look` */
  async end(own: Running): Promise<Running> {
    await this.inTurn(async () => void this.running.delete(own)).finally(() => this.running.delete(own));
    return own;
  }

  /** The changes since the last look, such as those of a background command or a hook. @throws as `WatchedFolder.look` */
  async since(who: Name): Promise<Running> {
    const own = running(who);
    this.running.add(own);
    return await this.end(own);
  }

  private inTurn(after: () => Promise<void>): Promise<void> {
    const turn = this.last
      .catch(() => {})
      .then(async () => {
        this.give(await this.folder.look());
        await after();
      });
    this.last = turn;
    return turn;
  }

  private give({ paths, left }: Seen): void {
    for (const own of this.running) {
      const others = [...this.running].filter((other) => other.who !== own.who);
      for (const one of left) own.left.add(one);
      for (const one of [...left, ...paths.map(({ path }) => path)])
        if (others.length > 0) own.shared.add(one);
      for (const change of paths) {
        if (this.written.has(change.path)) continue;
        const before = own.paths.get(change.path)?.before;
        own.paths.set(change.path, before === undefined ? change : { ...change, before });
        for (const other of others) own.beside.add(other.who);
      }
    }
    this.written.clear();
  }
}
