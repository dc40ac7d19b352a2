/** Conversations that the person begins again (`/clear`: neither notes nor earlier words of the person stay), or cuts by an undo. */
import type { Entry, Summary } from "../../core/conversation/chat.ts";
import { cutText } from "../../core/conversation/cut.ts";
import { anewText } from "../../core/conversation/summary.ts";
import { PERSON } from "../../core/ids.ts";
import type { Agent } from "../agent/agent.ts";
import { heldFacts } from "./pinned.ts";
import { record } from "./record.ts";

/** Mails of the person among which the last delivered one is. */
const RECENT = 100;

/** The summary that replaces the conversation. `room`: characters for each fact. `atRest`: no reply is due. */
export async function newConversation(agent: Agent, room: number, atRest: boolean): Promise<Summary> {
  const told = await agent.store.mail.box(agent.seat.name, RECENT, PERSON);
  // Mail that waits will be heard in the new conversation.
  const forgets = told.findLast(({ deliveredAt }) => deliveredAt !== null)?.id;
  const facts = await heldFacts(agent, room, forgets);
  return {
    kind: "summary",
    text: anewText(facts),
    anew: true,
    ...(atRest && { atRest }),
    ...(forgets !== undefined && { forgets }),
  };
}

/** Notes (false), a new conversation (true), or one that continues after a call. */
export type Shortening = boolean | { readonly call: string };

/** Continues behind the reply with that call, whose changes the person has undone. `room`: characters for each fact. */
export async function cutConversation(
  agent: Agent,
  room: number,
  call: string,
  atRest: boolean,
): Promise<null> {
  const text = cutText(await heldFacts(agent, room));
  const entry: Entry = { kind: "cut", call, text, ...(atRest && { atRest }) };
  await record(agent, [entry]);
  agent.conversation.add(entry);
  return null;
}
