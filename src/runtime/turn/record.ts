/** RECORD: what an agent says and hears goes into its own transcript, whoever's seat it acts by. */
import type { Entry } from "../../core/conversation/chat.ts";
import type { WithWrite } from "../../ports/index.ts";
import type { Agent } from "../agent/agent.ts";

/** @throws EkidenError `stale_seat` */
export const record = (
  { store, seat, subagent }: Agent,
  entries: readonly Entry[],
  along: WithWrite = {},
): Promise<void> => store.transcript.record(seat, entries, { ...along, ...(subagent && { subagent }) });

/** The harness says something to the agent. */
export async function appendNote(agent: Agent, entry: Entry): Promise<void> {
  await record(agent, [entry]);
  agent.conversation.add(entry);
}
