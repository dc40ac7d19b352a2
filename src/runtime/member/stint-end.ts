/**
 * The end of a stint: hooks may send the member back to work, and its features do what is due. Both can be interrupted. The end of a
 * claim or of a life waits for them only a few seconds.
 */
import { heard } from "../../core/conversation/chat.ts";
import { messageOf } from "../../core/errors.ts";
import type { Agent } from "../agent/agent.ts";
import { interruptionOf } from "../agent/interruption.ts";
import { appendNote } from "../turn/record.ts";
import type { Interrupts } from "./interrupts.ts";

/** True when the member must continue; it gets the text of `ask` as a note. @throws the reason of `outer` */
export async function continuedByHook(
  agent: Agent,
  interrupts: Interrupts,
  outer: AbortSignal,
  ask: (signal: AbortSignal) => Promise<string | null>,
): Promise<boolean> {
  if (interrupts.asked) return false; // a hook never delays a stop request
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

/** The member has nothing more to do. An error becomes a warning in the journal. @throws the reason of `outer` */
export async function endStint(agent: Agent, interrupts: Interrupts, outer: AbortSignal): Promise<void> {
  const ending = agent.features.filter((feature) => feature.onStintEnd);
  if (ending.length === 0) return;
  const step = interrupts.step();
  try {
    for (const feature of ending) await feature.onStintEnd?.(agent, step);
  } catch (error) {
    outer.throwIfAborted();
    if (interruptionOf(step) !== null) return;
    const { name } = agent.seat;
    await agent.store.journal.warn(name, messageOf(error));
  } finally {
    interrupts.endStep();
  }
}

const RELEASE_MS = 5_000;

/** Runs before another member may get the task. Never rejects, and takes a few seconds at most, also without store or network. */
export async function beforeRelease({ features, store, seat }: Agent): Promise<void> {
  const due = features.filter((feature) => feature.beforeRelease);
  if (due.length === 0) return;
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, RELEASE_MS);
  });
  const done = (async () => {
    for (const feature of due) await feature.beforeRelease?.(limit.signal);
  })().catch((error: unknown) => store.journal.warn(seat.name, messageOf(error)).catch(() => {}));
  await Promise.race([done, late]);
  clearTimeout(timer);
  limit.abort();
}
