/** Before a member comes to rest, its hooks may have it go on. They may be cut short like any step. */
import { heard } from "../core/conversation/chat.ts";
import type { Agent } from "./agent.ts";
import { interruptionOf } from "./interruption.ts";
import { hear } from "./record.ts";
import type { Stops } from "./stops.ts";

/** True when the member is to go on, with what `ask` gave for it to hear. @throws the reason of `outer` */
export async function sentBack(
  agent: Agent,
  stops: Stops,
  outer: AbortSignal,
  ask: (signal: AbortSignal) => Promise<string | null>,
): Promise<boolean> {
  if (stops.asked) return false; // who is asked to stop is not kept from it
  const step = stops.step();
  try {
    const text = await ask(step);
    if (text !== null) await hear(agent, heard(text));
    return text !== null;
  } catch (error) {
    outer.throwIfAborted();
    if (interruptionOf(step) === null) throw error;
    return false;
  } finally {
    stops.endStep();
  }
}
