/** The end of a stint: what a member does once it found nothing more to do. It may be cut short like any step. */
import { messageOf } from "../core/errors.ts";
import type { Agent } from "./agent.ts";
import { interruptionOf } from "./interruption.ts";
import type { Stops } from "./stops.ts";

/** A failure is a warning in the journal. @throws the reason of `outer` when the member's stay in this process ends. */
export async function endStint(agent: Agent, stops: Stops, outer: AbortSignal): Promise<void> {
  if (!agent.endStint) return;
  const step = stops.step();
  try {
    await agent.endStint(step);
  } catch (error) {
    outer.throwIfAborted();
    if (interruptionOf(step) !== null) return;
    const text = `What ${agent.seat.name} learned was not kept: ${messageOf(error)}`;
    await agent.store.journal.note([{ type: "warning.raised", who: agent.seat.name, text }]);
  } finally {
    stops.endStep();
  }
}
