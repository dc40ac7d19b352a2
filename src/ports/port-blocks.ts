/** Ports of a machine for the worktrees on it, in blocks of ten. A block is leased to a task until its host is gone, or it is given back. */
import type { TaskId } from "../core/ids.ts";

export interface PortBlocks {
  /**
   * The first port of the block of a task on this machine: the one that it has, unless that is in `used`, or a free one. Null where no
   * host has the task in hand, or no block is free. `used`: blocks with a port that another program listens on.
   */
  take(task: TaskId, machine: string, used: readonly number[]): Promise<number | null>;
  give(task: TaskId, machine: string): Promise<void>;
}
