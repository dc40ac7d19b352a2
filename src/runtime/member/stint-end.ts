/**
 * What a member does on its way to rest: its hooks may send it back, and it keeps what it learned. Both may be cut short like
 * any step.
 */
import { heard } from "../../core/conversation/chat.ts";
import { messageOf } from "../../core/errors.ts";
import type { Agent } from "../agent/agent.ts";
import { interruptionOf } from "../agent/interruption.ts";
import { appendNote } from "../turn/record.ts";
import type { Interrupts } from "./interrupts.ts";

/** True when the member is to go on, with what `ask` gave for it to hear. @throws the reason of `outer` */
export async function continuedByHook(
  agent: Agent,
  interrupts: Interrupts,
  outer: AbortSignal,
  ask: (signal: AbortSignal) => Promise<string | null>,
): Promise<boolean> {
  if (interrupts.asked) return false; // who is asked to stop is not kept from it
  const step = interrupts.step();
  try {
    const text = await ask(step);
    if (text !== null) await appendNote(agent, heard(text));
    return text !== null;
  } catch (error) {
    outer.throwIfAborted();
    if (interruptionOf(step) === null) throw error;
    return false;
  } finally {
    interrupts.endStep();
  }
}

/** When it has found nothing more to do. A failure is a warning in the journal. @throws the reason of `outer` */
export async function endStint(agent: Agent, interrupts: Interrupts, outer: AbortSignal): Promise<void> {
  if (!agent.endStint) return;
  const step = interrupts.step();
  try {
    await agent.endStint(step);
  } catch (error) {
    outer.throwIfAborted();
    if (interruptionOf(step) !== null) return;
    const text = `What ${agent.seat.name} learned was not kept: ${messageOf(error)}`;
    await agent.store.journal.note([{ type: "warning.raised", who: agent.seat.name, text }]);
  } finally {
    interrupts.endStep();
  }
}
