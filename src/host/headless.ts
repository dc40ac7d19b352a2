/**
 * The ends of waiting for a run that nobody watches: its deadline, and a limit for background commands that run when nothing else is left.
 * A task that the person does by hand has no limit; it is told.
 */

import { type Job, showJob } from "../core/board/job.ts";
import { IDLE } from "../core/board/lifecycle.ts";
import type { Member } from "../core/board/member.ts";
import type { Task } from "../core/board/task.ts";
import { aboutSpan } from "../core/board/time-left.ts";
import { HARNESS, PERSON } from "../core/ids.ts";
import { deadlineMs } from "../core/settings/deadline.ts";
import { oneLine } from "../core/text/one-line.ts";
import type { Parts } from "./parts.ts";

/** Looks at the jobs until the limit, and the longest time between two looks. */
const LOOKS = 30;
const LOOK_MS = 10_000;
const COMMAND_SHOWN = 80;
const DEADLINE_TOLD_AT = 0.8;

/** Until the signal aborts. */
export async function keepDeadline(
  { settings, clock, store }: Pick<Parts, "settings" | "clock" | "store">,
  signal: AbortSignal,
  finish: (why: string) => Promise<void>,
): Promise<void> {
  if (settings.deadline === undefined) return;
  const ms = deadlineMs(settings.deadline, new Date(clock.now()));
  await clock.sleep(DEADLINE_TOLD_AT * ms, signal);
  if (signal.aborted) return;
  const left = aboutSpan((1 - DEADLINE_TOLD_AT) * ms);
  await store.journal
    .warn(null, `The run will stop in ${left} (deadline ${settings.deadline}).`)
    .catch(() => {});
  await clock.sleep((1 - DEADLINE_TOLD_AT) * ms, signal);
  if (!signal.aborted) await finish(`The deadline ${settings.deadline} is over.`);
}

/**
 * A server never ends, so a member that waits for one would keep the run for ever. The person is told soon; at the limit the commands are ended
 * and their owners told, who then finish their tasks or conclude. A task that the person has taken is told, too. Until the signal aborts. Never rejects.
 */
export async function watchLastWaits(
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
      const { left, byHand, since } = await lastWaits(store);
      const waited = clock.now() - since;
      if ((left.length === 0 && !byHand) || waited < lookMs) continue;
      if (left.length > 0 && waited >= jobWaitMs) {
        const why = `Nothing else was left to do for ${limit}, so the run ended it.`;
        for (const { id } of left) await jobs.stop(id, HARNESS, why);
        continue;
      }
      const text =
        left.length > 0
          ? `The run only waits for ${left.map(shownJob).join(", ")}. It is ended after ${limit}.`
          : `The run only waits for #${byHand?.id} (${byHand?.subject}), which the person does: ekiden done ${byHand?.id}, fail or release.`;
      if (text === told) continue;
      told = text;
      await store.journal.warn(null, text);
    } catch {
      // The store is away, or another machine has the command: the next look tries again.
    }
  }
}

type Waits = { readonly left: readonly Job[]; readonly byHand: Task | null; readonly since: number };

/** The background commands and a task of the person, while every member rests. `since`: when the last of them or of the members began that. */
async function lastWaits({ jobs, roster, board }: Parts["store"]): Promise<Waits> {
  const [running, byHand] = await Promise.all([jobs.running(null), board.mine(PERSON)]);
  const members = (await roster.members()).filter(({ host }) => host !== null);
  if ((running === 0 && !byHand) || !members.every(rests)) return { left: [], byHand: null, since: 0 };
  const left = (await jobs.list(null)).filter(({ state }) => state === "running");
  const times = [...members.map(({ since }) => since), ...left.map(({ startedAt }) => startedAt)];
  return { left, byHand, since: Math.max(...times, byHand?.startedAt ?? 0) };
}

const shownJob = ({ id, owner, command }: Job): string =>
  `${showJob(id)} of ${owner} (${oneLine(command, COMMAND_SHOWN)})`;

/** It waits for nothing that has a limit of its own. */
const rests = ({ activity }: Member): boolean =>
  activity.phase === "shutdown" || (activity.phase === "idle" && !IDLE[activity.reason].hasWork);
