/** What a member is told when its claim was taken from it: another member may work on the task now. */
import type { TaskId } from "../ids.ts";
import { type Entry, heard } from "./chat.ts";
import { type Tag, tagged, tagsIn } from "./tags.ts";

export const lostClaim = ({ id, attempt }: { readonly id: TaskId; readonly attempt: number }): Entry =>
  heard(
    tagged(
      "claim-lost",
      { task: id, attempt },
      `You do not hold #${id} any more: the process that ran you was not heard of for too long, and your claim was released. Somebody else may work on it now. Its commands were ended. Do not go on with it unless you claim it again.`,
    ),
  );

const CLAIMS: ReadonlySet<string> = new Set(["auto-claimed", "own-task", "claim-lost"]);

/** The last claim that the conversation tells of; null where there is none. */
export function lastClaim(text: string): Tag | null {
  return tagsIn(text).findLast(({ tag }) => CLAIMS.has(tag)) ?? null;
}

/** Whether the last that a member heard of a claim is that it was lost. */
export function hasLostClaim(entries: readonly Entry[]): boolean {
  for (const entry of entries.toReversed()) {
    const text = entry.kind === "heard" ? entry.text : entry.kind === "result" ? entry.result.text : "";
    const claim = lastClaim(text);
    if (claim) return claim.tag === "claim-lost";
  }
  return false;
}

export const NO_CLAIM =
  "Not run: you hold no task now, and changes are made only for a task that you hold. Claim a task first (claim_task), or end your turn to get the next one. If you had a task, it was taken from you: do not go on with it.";
