/** Estimates the time of the open tasks of a board from the times of finished ones. Pure. */
import { inOrder } from "./order.ts";
import type { Status } from "./task.ts";

export type Timed<Id> = {
  readonly id: Id;
  readonly status: Status;
  readonly blockedBy: readonly Id[];
  readonly estimate: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
};

/** In milliseconds. `chain`: the longest chain of tasks that wait for each other, however many work. */
export type TimeLeft = { readonly all: number; readonly chain: number };

/** The work that says how fast the team is now. */
const LATEST = 200;
/** A task that takes longer than estimated is taken to need this share of its time still. */
const REST = 0.1;
/** In milliseconds; less is not told apart. */
const SHORT = 45_000;

/**
 * `workers`: how many work at a time. Null when nothing is open, or nothing has been completed that tells how long an estimate of one takes.
 * Tasks that wait for a failed task are not counted: they do not begin by themselves.
 */
export function timeLeft<Id>(
  tasks: ReadonlyMap<Id, Timed<Id>>,
  workers: number,
  now: number,
): TimeLeft | null {
  const unit = timeOfOne([...tasks.values()]);
  if (unit === null) return null;
  const chains = new Map<Id, number>();
  const stuck = new Set<Id>();
  let [sum, chain] = [0, 0];
  for (const id of inOrder(tasks)) {
    const task = tasks.get(id) as Timed<Id>;
    const { status, startedAt } = task;
    if (status === "completed") continue;
    if (status === "failed" || status === "cancelled" || task.blockedBy.some((one) => stuck.has(one))) {
      stuck.add(id);
      continue;
    }
    const whole = unit * task.estimate;
    const spent = status === "in_progress" && startedAt !== null ? Math.max(0, now - startedAt) : 0;
    const own = Math.max(whole - spent, whole * REST);
    const before = Math.max(0, ...task.blockedBy.map((one) => chains.get(one) ?? 0));
    chains.set(id, before + own);
    sum += own;
    chain = Math.max(chain, before + own);
  }
  return chains.size === 0 ? null : { all: Math.max(chain, sum / Math.max(1, workers)), chain };
}

/** The median time of a task for each unit of its estimate, of those that were completed last. */
export function timeOfOne(tasks: readonly Omit<Timed<unknown>, "id" | "blockedBy">[]): number | null {
  const done = tasks.filter(
    ({ status, startedAt, endedAt }) => status === "completed" && startedAt && endedAt,
  );
  const times = done
    .sort((a, b) => (b.endedAt as number) - (a.endedAt as number))
    .slice(0, LATEST)
    .map(
      ({ startedAt, endedAt, estimate }) =>
        ((endedAt as number) - (startedAt as number)) / Math.max(1, estimate),
    )
    .sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? null;
}

/** "about 12 min left" */
export const leftWords = (ms: number): string => `${aboutWords(ms)} left`;

/** "about 12 min", "less than a minute" */
export const aboutWords = (ms: number): string => `${ms < SHORT ? "" : "about "}${aboutSpan(ms)}`;

/** "12 min", "2 h 5 min": no more exact than it can be known. */
export function aboutSpan(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (ms < SHORT) return "less than a minute";
  if (minutes < 60) return `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), Math.round((minutes % 60) / 5) * 5];
  if (hours >= 24) return `${Math.round(minutes / 60 / 24)} d ${Math.round((minutes / 60) % 24)} h`;
  return rest === 0 ? `${hours} h` : rest === 60 ? `${hours + 1} h` : `${hours} h ${rest} min`;
}
