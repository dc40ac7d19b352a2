/**
 * Cuts the conversations of members whose changes were undone, each behind its first undone call. The process that runs a member does it at the
 * end of a turn; of one that nobody runs it is written here, fenced as any write of a member.
 */
import type { Seat } from "../../../core/board/member.ts";
import { cutText, hasCall } from "../../../core/conversation/cut.ts";
import { showTask } from "../../../core/conversation/prompt.ts";
import { toldByPerson } from "../../../core/conversation/summary.ts";
import { messageOf } from "../../../core/errors.ts";
import { type Name, PERSON } from "../../../core/ids.ts";
import type { Change } from "../../../core/undo/change.ts";
import type { Store } from "../../../ports/index.ts";
import { liveHosts } from "../../queries/hosts.ts";
import { give } from "../order.ts";

/** Mails of the person, and characters of them. */
const [MAILS, ROOM] = [1_000, 24_000];

/** `of`: the newest first. @returns a sentence for each member. Never rejects: the files are undone already. */
export async function cutConversations(
  store: Store,
  by: Name,
  of: readonly Change[],
  dryRun: boolean,
): Promise<string[]> {
  const first = new Map(of.map((change) => [change.who, change]));
  const said: string[] = [];
  for (const [who, { call, began }] of first) {
    const at = new Date(began).toISOString().slice(11, 19);
    const why = await cut(store, by, who, call, dryRun).catch(messageOf);
    said.push(
      why === null
        ? `the conversation of ${who} ${dryRun ? "would continue" : "continues"} after its call of ${at} UTC`
        : `the conversation of ${who} stays as it is: ${why}`,
    );
  }
  return said;
}

/** @returns why it cannot be cut, or null. @throws what an order throws */
async function cut(
  store: Store,
  by: Name,
  who: Name,
  call: string | undefined,
  dryRun: boolean,
): Promise<string | null> {
  const entries = await store.transcript.current(who);
  if (call === undefined || !hasCall(entries, call))
    return "it was summed up since, or the call was one of a subagent or recorded by an older version";
  if (entries.some((entry) => JSON.stringify(entry).includes('"acp":{"session"')))
    return "its program keeps it by itself";
  if (dryRun) return null;
  const member = await store.roster.member(who);
  if ((await liveHosts(store)).some(({ id }) => id === member?.host)) {
    await give(store, by, { kind: "cut", who, call });
    return null;
  }
  const [task, told] = [await store.board.mine(who), await store.mail.box(who, MAILS, PERSON)];
  const text = cutText([toldByPerson(told, ROOM, []), task ? showTask("own-task", task) : ""]);
  // The seat of nobody: a process that takes the member over meanwhile makes it stale.
  const seat = { name: who, host: member?.host ?? null } as Seat;
  await store.transcript.record(seat, [{ kind: "cut", call, text, ...(task === null && { atRest: true }) }]);
  return null;
}
