/** The message to a member whose claim was taken from it: another member may work on the task now. */
import type { TaskId } from "../ids.ts";
import { type Entry, heard, type Message } from "./chat.ts";
import { type Tag, tagged, tagsIn } from "./tags.ts";

export const lostClaim = (
  { id, attempt }: { readonly id: TaskId; readonly attempt: number },
  why: "owner_died" | "owner_stopped" = "owner_died",
): Entry =>
  heard(
    tagged(
      "claim-lost",
      { task: id, attempt },
      `You no longer hold #${id}: ${LOST[why]}, and your claim was released. Somebody else may work on it now. Its commands were ended. Do not continue with it unless you claim it again.`,
    ),
  );

const LOST = {
  owner_died: "the process that ran you was not heard of for too long",
  owner_stopped: "you were stopped",
} as const;

/** The same after its task was given back for it, because its stint was ended. `why`: without a full stop. */
export const gaveBack = (
  { id, attempt }: { readonly id: TaskId; readonly attempt: number },
  why: string,
): Entry =>
  heard(
    tagged(
      "claim-lost",
      { task: id, attempt },
      `#${id} was given back to the board: ${why}. Somebody else may work on it now. Do not continue with it unless you claim it again.`,
    ),
  );

const CLAIMED: ReadonlySet<string> = new Set(["auto-claimed", "own-task"]);
const isLoss = ({ tag, attributes }: Tag): boolean =>
  tag === "claim-lost" || (tag === "mail" && attributes.kind === "claim_taken");

/** The last news of a claim that a member got: in mail, in the words of the program or as the result of a call. */
export type LastClaim = { readonly claim: Tag; readonly isLost: boolean };

/** Null where it heard of none. The loss of an earlier claim says nothing about a later one. `claims`: tools that claim. */
export function lastClaim(
  messages: readonly Message[],
  claims: (tool: string) => boolean = () => true,
): LastClaim | null {
  const lost: Tag[] = [];
  for (const message of messages.toReversed()) {
    if (message.role !== "user") continue;
    for (const part of message.content.toReversed()) {
      if (part.type === "image" || (part.type === "result" && (part.isError || !claims(part.tool)))) continue;
      for (const tag of tagsIn(part.text).toReversed()) {
        if (isLoss(tag)) lost.push(tag);
        if (CLAIMED.has(tag.tag)) return { claim: tag, isLost: lost.some((one) => isSame(one, tag)) };
      }
    }
  }
  return lost[0] ? { claim: lost[0], isLost: true } : null;
}

const isSame = ({ attributes: a }: Tag, { attributes: b }: Tag): boolean =>
  a.task === b.task && Number(a.attempt) >= Number(b.attempt);

export const NO_CLAIM =
  "Not run: you hold no task now, and changes are made only for a task that you hold. Claim a task first (claim_task), or end your turn to get the next one. If you had a task, it was taken from you: do not continue with it.";
