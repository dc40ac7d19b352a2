/** Compares the effects of commands on the disk with who had the task at that time. */
import { byPerson, factOf } from "./claims.ts";
import type { Effect, History } from "./history.ts";

/** `until`: when it was completed; no command begins after it. */
type Claim = { by: string; attempt: number; from: number; until: number | null };

/** A shell may just be starting when the person completes its task by hand; the order then ends it. */
const STARTING_MS = 2_000;

function claimsOf({ events }: History): Map<number, Claim[]> {
  const claims = new Map<number, Claim[]>();
  for (const event of events.toSorted((a, b) => a.seq - b.seq)) {
    if (event.type !== "task.claimed" && event.type !== "task.completed") continue;
    const { task, by, attempt } = factOf(event);
    const list = claims.get(task) ?? [];
    claims.set(task, list);
    if (event.type === "task.claimed") list.push({ by, attempt, from: event.at, until: null });
    else for (const claim of list) claim.until ??= event.at + (claim.by === by ? 0 : STARTING_MS);
  }
  return claims;
}

/** An effect belongs to a claim of the member that made it, and a completed task has the effects of its last attempt. */
export function effectsOfClaims(history: History): string[] {
  const faults: string[] = [];
  const claims = claimsOf(history);
  for (const effect of history.effects) {
    const mine = (claims.get(effect.task) ?? []).filter((claim) => claim.by === effect.who);
    const claim = mine.find(({ attempt }) => effect.attempt === null || attempt === effect.attempt);
    const which = `${effect.what} of #${effect.task} (attempt ${effect.attempt ?? "unknown"}) by ${effect.who}`;
    if (!claim) faults.push(`${which}: no such claim`);
    else if (effect.what === "begin" && claim.until !== null && effect.at > claim.until)
      faults.push(`${which}: began ${effect.at - claim.until} ms too late, after the completion`);
  }
  const byHand = new Set(byPerson(history));
  for (const { id, status, attempt } of history.tasks) {
    if (byHand.has(id)) continue;
    const ended = history.effects.some(
      (effect) =>
        effect.what === "end" &&
        effect.task === id &&
        (effect.attempt === null || effect.attempt === attempt),
    );
    if (status === "completed" && !ended) faults.push(`#${id} is completed, its command never ended`);
  }
  return faults;
}

/** In the order of the log the lines of one execution stand together: others in between mean two executions at once. */
export function oneExecution({ effects }: History): string[] {
  const faults: string[] = [];
  const current = new Map<number, string>();
  const over = new Set<string>();
  for (const effect of effects) {
    const running = current.get(effect.task);
    if (running !== effect.run) {
      if (over.has(key(effect)))
        faults.push(`#${effect.task}: execution ${effect.run} continued after execution ${running} began`);
      if (running !== undefined) over.add(`${effect.task} ${running}`);
      current.set(effect.task, effect.run);
    }
  }
  return faults;
}

const key = ({ task, run }: Effect): string => `${task} ${run}`;
