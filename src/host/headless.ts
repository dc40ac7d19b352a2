/** The ends of waiting for a run that nobody watches: its deadline, and a limit for background commands that run when nothing else is left. */
import { deadlineMs } from "../core/deadline.ts";
import { HARNESS } from "../core/ids.ts";
import { type Job, showJob } from "../core/job.ts";
import { IDLE } from "../core/lifecycle.ts";
import type { Member } from "../core/member.ts";
import { oneLine } from "../core/one-line.ts";
import { aboutSpan } from "../core/time-left.ts";
import type { Parts } from "./parts.ts";

/** Looks at the jobs until the limit, and the longest time between two looks. */
const LOOKS = 30;
const LOOK_MS = 10_000;
const COMMAND_SHOWN = 80;

/** Until the signal aborts. */
export async function keepDeadline(
  { settings, clock }: Pick<Parts, "settings" | "clock">,
  signal: AbortSignal,
  finish: (why: string) => Promise<void>,
): Promise<void> {
  if (settings.deadline === undefined) return;
  await clock.sleep(deadlineMs(settings.deadline, new Date(clock.now())), signal);
  if (!signal.aborted) await finish(`The deadline ${settings.deadline} is over.`);
}

/**
 * A server never ends, so a member that waits for one would keep the run for ever. The person is told soon; at the limit the commands are ended
 * and their owners told, who then finish their tasks or conclude. Until the signal aborts. Never rejects.
 */
export async function endLastJobs(
  { settings, store, jobs, clock }: Pick<Parts, "settings" | "store" | "jobs" | "clock">,
  signal: AbortSignal,
): Promise<void> {
  const { jobWaitMs } = settings;
  const lookMs = Math.min(LOOK_MS, jobWaitMs / LOOKS);
  const limit = `${aboutSpan(jobWaitMs)} (setting jobWaitMs)`;
  let told = "";
  while (!signal.aborted) {
    await clock.sleep(lookMs, signal);
    if (signal.aborted) return;
    try {
      const { left, since } = await lastJobs(store);
      const waited = clock.now() - since;
      if (left.length === 0 || waited < lookMs) continue;
      if (waited >= jobWaitMs) {
        const why = `Nothing else was left to do for ${limit}, so the run ended it.`;
        for (const { id } of left) await jobs.stop(id, HARNESS, why);
        continue;
      }
      const shown = left.map(shownJob).join(", ");
      if (shown === told) continue;
      told = shown;
      await store.journal.warn(null, `The run only waits for ${shown}. It is ended after ${limit}.`);
    } catch {
      // The store is away, or another machine has the command: the next look tries again.
    }
  }
}

/** The background commands that run while every member rests. `since`: when the last of them or of the members began that. */
async function lastJobs({ jobs, roster }: Parts["store"]) {
  const nothing: { left: readonly Job[]; since: number } = { left: [], since: 0 };
  if ((await jobs.running(null)) === 0) return nothing;
  const members = (await roster.members()).filter(({ host }) => host !== null);
  if (!members.every(rests)) return nothing;
  const left = (await jobs.list(null)).filter(({ state }) => state === "running");
  const times = [...members.map(({ since }) => since), ...left.map(({ startedAt }) => startedAt)];
  return { left, since: Math.max(...times) };
}

const shownJob = ({ id, owner, command }: Job): string =>
  `${showJob(id)} of ${owner} (${oneLine(command, COMMAND_SHOWN)})`;

/** It waits for nothing that has a limit of its own. */
const rests = ({ activity }: Member): boolean =>
  activity.phase === "shutdown" || (activity.phase === "idle" && !IDLE[activity.reason].hasWork);
