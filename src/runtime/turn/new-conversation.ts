/** `/clear`: the person begins the conversation anew. Neither notes nor earlier words of the person stay. */
import type { Summary } from "../../core/conversation/chat.ts";
import { anewText } from "../../core/conversation/summary.ts";
import { PERSON } from "../../core/ids.ts";
import type { Agent } from "../agent/agent.ts";
import { heldFacts } from "./pinned.ts";

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
