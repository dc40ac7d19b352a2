/** No work on a task whose claim was lost: another member may do it at the same time. */
import { NO_CLAIM } from "../../core/conversation/lost-claim.ts";
import type { TaskId } from "../../core/ids.ts";
import type { Access, ToolContext } from "../../ports/index.ts";
import type { Wrap } from "../agent/call.ts";

/** Reading, and what concerns the team, needs no claim. */
export const CHANGES: ReadonlySet<Access> = new Set(["write", "exec"]);

/**
 * A member whose claim was taken changes and runs nothing before it holds a task again, from the next call on. `hasLost`: the last
 * that its conversation says of a claim is that it was lost.
 */
export function untilClaimed(hasLost: () => boolean): Wrap {
  let last: TaskId | null = null;
  return (next) => async (call) => {
    if (CHANGES.has(call.access)) {
      const task = await call.ctx.currentTask();
      if (task) last = task.id;
      else if (hasLost() || (await wasTaken(last, call.ctx))) throw new Error(NO_CLAIM);
    }
    return await next(call);
  };
}

/** A member that completed or failed its task stays the owner. */
async function wasTaken(last: TaskId | null, { store, self }: ToolContext): Promise<boolean> {
  if (last === null) return false;
  const task = await store.board.task(last);
  return task === null || !("owner" in task) || task.owner !== self;
}
