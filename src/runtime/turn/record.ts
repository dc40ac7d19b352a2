/** RECORD: the words of an agent and the texts that it hears go into its own transcript; those of a subagent not into its member's. */
import type { Entry } from "../../core/conversation/chat.ts";
import type { WithWrite } from "../../ports/index.ts";
import type { Agent } from "../agent/agent.ts";

/** @throws EkidenError `stale_seat` */
export const record = (
  { store, seat, subagent }: Agent,
  entries: readonly Entry[],
  along: WithWrite = {},
): Promise<void> => store.transcript.record(seat, entries, { ...along, ...(subagent && { subagent }) });

/** Adds a note of the harness to the conversation. */
export async function appendNote(agent: Agent, entry: Entry): Promise<void> {
  await record(agent, [entry]);
  agent.conversation.add(entry);
}
