/** No work on a task whose claim was lost: another member may do it at the same time. */
import { NO_CLAIM } from "../../core/conversation/lost-claim.ts";
import type { Access } from "../../ports/index.ts";
import type { Wrap } from "../agent/call.ts";

/** Reading, and what concerns the team, needs no claim. */
export const CHANGES: ReadonlySet<Access> = new Set(["write", "exec"]);

/** For a member that lost its claim: it changes and runs nothing before it holds a task again. */
export function untilClaimed(): Wrap {
  let claimed = false;
  return (next) => async (call) => {
    if (!claimed && CHANGES.has(call.access)) {
      if ((await call.ctx.currentTask()) === null) throw new Error(NO_CLAIM);
      claimed = true;
    }
    return await next(call);
  };
}
