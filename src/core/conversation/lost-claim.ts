/** What a member is told when its claim was taken from it: another member may work on the task now. */
import type { TaskId } from "../ids.ts";
import { type Entry, heard } from "./chat.ts";
import { tagged } from "./tags.ts";

export const lostClaim = ({ id, attempt }: { readonly id: TaskId; readonly attempt: number }): Entry =>
  heard(
    tagged(
      "claim-lost",
      { task: id, attempt },
      `You do not hold #${id} any more: the process that ran you was not heard of for too long, and your claim was released. Somebody else may work on it now. Its commands were ended. Do not go on with it unless you claim it again.`,
    ),
  );

/** With worktrees nothing may run outside of the one that a claim gives. */
export const NO_CLAIM =
  "Not run: you hold no task now, and changes are made only in the worktree of a task that you hold. Claim a task first (claim_task), or end your turn to get the next one. If you had a task, it was taken from you: do not go on with it.";
