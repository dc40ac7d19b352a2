/**
 * Groups of commands that have ended and left somebody behind, such as a server. The number of a group is given away again when the
 * last of it is gone, so a group is forgotten then: its end would be the end of another program.
 */
import { groupAlive } from "../process-table.ts";

/** Shorter than a machine takes to give all numbers away. */
const LOOK_MS = 1_000;

export class Leftovers {
  private readonly groups = new Set<number>();
  private readonly gone: (group: number) => void;
  private looks: NodeJS.Timeout | null = null;

  /** `gone`: is told of each group whose last process has ended. */
  constructor(gone: (group: number) => void) {
    this.gone = gone;
  }

  add(group: number): void {
    this.groups.add(group);
    this.looks ??= setInterval(() => this.look(), LOOK_MS).unref();
  }

  /** Those that still live. No further one is noticed. */
  close(): ReadonlySet<number> {
    this.look();
    if (this.looks) clearInterval(this.looks);
    this.looks = null;
    return this.groups;
  }

  private look(): void {
    for (const group of this.groups) {
      if (groupAlive(group)) continue;
      this.groups.delete(group);
      this.gone(group);
    }
    if (this.groups.size > 0 || !this.looks) return;
    clearInterval(this.looks);
    this.looks = null;
  }
}
