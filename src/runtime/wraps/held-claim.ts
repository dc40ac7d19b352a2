/** No work on a task whose claim was lost: another member may do it at the same time. */

import type { Claimed } from "../../core/board/task.ts";
import { NO_CLAIM } from "../../core/conversation/lost-claim.ts";
import type { TaskId } from "../../core/ids.ts";
import type { Access, ToolContext } from "../../ports/index.ts";
import type { Wrap } from "../agent/call.ts";

/** Reading, and calls about the team, need no claim. */
export const CHANGES: ReadonlySet<Access> = new Set(["write", "exec"]);

/** A command that does not end is ended for good after a few seconds. Afterwards the new owner begins in any case. */
const HANDS_MS = 15_000;
const POLL_MS = 50;

/**
 * A member whose claim was taken changes and runs nothing before it holds a task again, from the next call on. `hasLost`: the last
 * that its conversation says of a claim is that it was lost. One that got the task by an order begins when the hands of the owner before
 * it are closed.
 */
export function untilClaimed(hasLost: () => boolean): Wrap {
  let last: TaskId | null = null;
  let begun = "";
  return (next) => async (call) => {
    if (CHANGES.has(call.access)) {
      const task = await call.ctx.currentTask();
      if (task) {
        last = task.id;
        const attempt = `${task.id}/${task.attempt}`;
        if (task.attempt > 1 && attempt !== begun) await untilAlone(task, call.ctx);
        begun = attempt;
      } else if (hasLost() || (await wasTaken(last, call.ctx))) throw new Error(NO_CLAIM);
    }
    return await next(call);
  };
}

async function untilAlone({ id }: Claimed, { store, self, clock, signal }: ToolContext): Promise<void> {
  const until = clock.now() + HANDS_MS;
  while (!signal.aborted && clock.now() < until && (await store.board.hasOtherHands(id, self)))
    await clock.sleep(POLL_MS, signal);
  signal.throwIfAborted();
}

/** A member that completed or failed its task stays the owner. */
async function wasTaken(last: TaskId | null, { store, self }: ToolContext): Promise<boolean> {
  if (last === null) return false;
  const task = await store.board.task(last);
  return task === null || !("owner" in task) || task.owner !== self;
}
