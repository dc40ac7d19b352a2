/**
 * Which of the teammates that wait takes which ready task, where they work with different logins. Of a subscription, what is not used before
 * its window ends is lost, so the login whose window resets soonest goes first. Members with a strong model take the tasks that decide the
 * end of the whole. The last part of a long window is left to the lead and to repairs, while others can do the rest. Pure.
 */
import type { Instant, Name } from "../ids.ts";
import type { Notice } from "./window.ts";

/** Per cent of the long window from which on a login is kept. */
const KEPT_FROM = 85;
/** What is left of a window that resets so soon would be lost. */
const RESETS_SOON_MS = 3 * 60 * 60_000;

/** A teammate and the login that it works with. */
export type Standing = {
  readonly name: Name;
  /** Equal for those that share a login: they leave nothing to each other. */
  readonly login: string;
  /** Infinity: no short window of it is open. */
  readonly resetsAt: number;
  /** The last part of its long window is kept. */
  readonly isKept: boolean;
  readonly isStrong: boolean;
};

export function standingOf(
  who: Pick<Standing, "name" | "login" | "isStrong">,
  windows: readonly Notice[],
  now: Instant,
): Standing {
  const open = windows.filter(({ resetsAt }) => resetsAt === undefined || resetsAt > now);
  const [short, long] = (["5h", "week"] as const).map((kind) => open.find((one) => one.kind === kind));
  const isKept = (long?.usedPercent ?? 0) >= KEPT_FROM && (long?.resetsAt ?? Infinity) - now > RESETS_SOON_MS;
  return { ...who, resetsAt: short?.resetsAt ?? Infinity, isKept };
}

/** Whether nobody of them would leave a task to another one. */
export const areAlike = (standings: readonly Standing[]): boolean =>
  standings.every(
    ({ resetsAt, isKept, isStrong }) =>
      resetsAt === standings[0]?.resetsAt &&
      isKept === standings[0].isKept &&
      isStrong === standings[0].isStrong,
  );

/** `isIdle`: it waits for tasks; else it is at work. */
export type Taker = Standing & { readonly role: string; readonly isIdle: boolean };
/** `chain`: the estimated work of the task and of the longest chain of those that wait for it. */
export type Ready = Readonly<Record<"chain" | "estimate" | "tries", number>> & { readonly role: string };

/** The task that `own` takes of these, best first; null: each of them is for another one. A task that somebody has tried is for anybody. */
export function chosen<T extends Ready>(tasks: readonly T[], own: Taker, others: readonly Taker[]): T | null {
  const rivals = others.filter(({ login }) => login !== own.login);
  const longest = Math.max(...tasks.map(({ chain }) => chain));
  let waiting = [own, ...rivals.filter(({ isIdle }) => isIdle)];
  for (const task of tasks) {
    if (task.tries > 0) return task;
    const mayTake = ({ role, name }: Taker): boolean => ["", role, `@${name}`].includes(task.role);
    const hasOther = [own, ...rivals].some((one) => !one.isKept && mayTake(one));
    const isCritical = task.chain === longest && task.chain > task.estimate;
    const [best] = waiting
      .filter((one) => mayTake(one) && !(one.isKept && hasOther))
      .sort(
        (a, b) =>
          (isCritical ? Number(b.isStrong) - Number(a.isStrong) : 0) ||
          // Infinity minus Infinity is not a number.
          (a.resetsAt === b.resetsAt ? 0 : a.resetsAt - b.resetsAt),
      );
    if (best === own) return task;
    waiting = waiting.filter((one) => one !== best);
  }
  return null;
}
