/** RECORD: the words of an agent and the texts that it hears go into its own transcript; those of a subagent not into its member's. */
import type { Entry } from "../../core/conversation/chat.ts";
import type { WithWrite, Workplace } from "../../ports/index.ts";

type Recorded = Pick<Workplace, "store" | "seat" | "subagent">;

/** @throws EkidenError `stale_seat` */
export const record = (
  { store, seat, subagent }: Recorded,
  entries: readonly Entry[],
  along: WithWrite = {},
): Promise<void> => store.transcript.record(seat, entries, { ...along, ...(subagent && { subagent }) });

/** Adds a note of the harness to the conversation. */
export async function appendNote(
  agent: Recorded & { readonly conversation: { add(entry: Entry): void } },
  entry: Entry,
): Promise<void> {
  await record(agent, [entry]);
  agent.conversation.add(entry);
}
