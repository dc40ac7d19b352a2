/** A task that is too large: its owner puts parts of it on the board, and continues with it when they have ended. */

import type { NewTask, Part, Task } from "../core/board/task.ts";
import type { Entry } from "../core/conversation/chat.ts";
import type { TaskId } from "../core/ids.ts";
import type { Held } from "./held.ts";

export interface Splitting {
  /**
   * Adds parts and gives the claim up: the task waits for them and for its earlier parts that have not ended, and is kept for its
   * owner. The try does not count. A part that fails or is cancelled ends the wait. Parts inherit role, priority, runbook and whether
   * a plan is needed. Returns the new parts. @throws `stale_claim` | `stale_seat` | `bad_input` | `not_found` | `cycle`
   */
  split(
    claim: Held,
    parts: readonly NewTask[],
    note: string,
    entry?: (parts: readonly Task[]) => Entry,
  ): Promise<Task[]>;
  /** The parts of a task, of all its splits. */
  parts(id: TaskId): Promise<Part[]>;
}
