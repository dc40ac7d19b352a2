/** The texts that a summary keeps word for word, because the harness knows it better than the model's notes. */

import type { Claimed } from "../../core/board/task.ts";
import { showTask } from "../../core/conversation/prompt.ts";
import { planLine, toldByPerson, unreadLine } from "../../core/conversation/summary.ts";
import { type MailId, PERSON } from "../../core/ids.ts";
import { headAndTail } from "../../core/text/valid.ts";
import type { Agent } from "../agent/agent.ts";

/** The number of mails of the person that are searched. */
const TOLD_LIMIT = 1_000;

/**
 * The words of the person, the current task, an open plan, unread mail.
 *
 * @param room characters for each of them
 * @param forgets the person's mail up to this one is left out
 */
export async function pinned(
  agent: Agent,
  room: number,
  forgets = agent.conversation.carried.forgets,
): Promise<string[]> {
  const { store, seat, subagent, conversation, workspaceOf } = agent;
  if (subagent) return []; // it has neither a task nor a mailbox
  const [told, task, me, plans] = await Promise.all([
    store.mail.box(seat.name, TOLD_LIMIT, PERSON),
    store.board.mine(seat.name),
    store.roster.member(seat.name),
    store.requests.open({ by: seat.name, kind: "plan" }),
  ]);
  return [
    toldByPerson(
      told.filter(({ id }) => id > (forgets ?? 0)),
      room,
      conversation.news,
    ),
    ...(task ? [showTask("own-task", within(task, room), workspaceOf?.(task))] : []),
    ...plans.flatMap(({ ask }) => (ask.kind === "plan" ? [planLine(ask.task, ask.attempt)] : [])),
    ...(me && me.unread > 0 ? [unreadLine(me.unread)] : []),
  ];
}

/** Everything that must survive a change of the conversation. */
export const heldFacts = async (agent: Agent, room: number, forgets?: MailId): Promise<string[]> => [
  ...(await (agent.holds?.() ?? pinned(agent, room, forgets))),
  ...agent.features.map((feature) => feature.pinned?.() ?? ""),
];

const within = (task: Claimed, room: number): Claimed => ({
  ...task,
  description: headAndTail(task.description, room, "the board has the rest"),
});
