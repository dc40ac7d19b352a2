/**
 * Groups of commands that have ended and left somebody behind, such as a server. The number of a group is given away again when the
 * last of it is gone, so a group is forgotten then: its end would be the end of another program.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { endAll, groupAlive, processesOf } from "../process-table.ts";

/** Shorter than a machine takes to give all numbers away. */
const LOOK_MS = 1_000;
/** The last of a pipeline ends by itself. */
const SETTLES_MS = 100;

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

/** Ends what a command that has ended left running. @returns the number of its processes; where only groups are seen, 1 for any */
export async function endLeft(tag: string, group: number, graceMs: number): Promise<number> {
  const groups = new Set([group]);
  const there = (): number =>
    process.platform === "linux" ? processesOf(tag, groups).length : Number(groupAlive(group));
  if (there() === 0) return 0;
  await sleep(SETTLES_MS);
  const left = there();
  if (left > 0) await endAll(tag, graceMs, groups);
  return left;
}
