/**
 * Finds lines that commands wrote into files of the project: no call shows them. A file is the work of the members whose commands name it, or
 * of the only one that made a call since the last look. Looked at only when a limit comes near, because it walks the whole folder.
 */
import { basename, relative } from "node:path";
import { changedFiles } from "../adapters/disk/changed-files.ts";
import type { Name } from "../core/ids.ts";
import type { Found } from "../core/progress/file-changes.ts";
import type { Gains, Step } from "../core/progress/gains.ts";
import { settledFile } from "../core/progress/volatile.ts";
import type { Clock } from "../ports/index.ts";

export class WrittenFiles {
  private readonly workspace: string;
  private readonly clock: Pick<Clock, "now">;
  private since: number;
  /** By member: the words of its calls since the last look. */
  private readonly words = new Map<Name, Set<string>>();
  private readonly wrote = new Set<Name>();

  constructor(workspace: string, clock: Pick<Clock, "now">) {
    this.workspace = workspace;
    this.clock = clock;
    this.since = clock.now();
  }

  book(who: Name, steps: readonly Step[]): void {
    const words = this.words.get(who) ?? new Set();
    this.words.set(who, words);
    for (const { input } of steps)
      for (const word of JSON.stringify(input ?? "").match(/[\p{L}\d_.-]+/gu) ?? []) words.add(word);
  }

  /** The new lines of each file that changed since the last look. */
  async look(gains: Gains): Promise<Found[]> {
    const { since, workspace } = this;
    this.since = this.clock.now();
    const found: Found[] = [];
    for (const { path, content } of await changedFiles(workspace, since)) {
      const lines = gains.found(asCalled(workspace, path), settledFile(content));
      found.push(lines);
      if (lines.changed + lines.grown > 0) this.note(basename(path));
    }
    this.words.clear();
    return found;
  }

  /** Whether new lines of the member were found since the last question. */
  take(who: Name): boolean {
    return this.wrote.delete(who);
  }

  private note(file: string): void {
    for (const [who, words] of this.words) if (this.words.size === 1 || words.has(file)) this.wrote.add(who);
  }
}

/** The path as calls write it, so that a file of both is one file. */
const asCalled = (workspace: string, path: string): string =>
  relative(workspace, path).replace(/^\.ekiden\/worktrees\/[^/]+\//, "");
