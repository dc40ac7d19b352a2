/** Finds the tasks that nobody can work on, because each teammate that could take them cannot work now. */
import type { Name, TaskId } from "../ids.ts";
import { oneLine } from "../text/one-line.ts";
import { RESTING } from "./lifecycle.ts";
import type { Member } from "./member.ts";
import type { Task } from "./task.ts";

const [TASKS_SHOWN, WHY_SHOWN] = [5, 200];

/** `why`: the words of the first of them. `isAll`: no teammate is at work on anything else. */
export type Stalled = {
  readonly tasks: readonly TaskId[];
  readonly members: readonly Name[];
  readonly why: string;
  readonly isAll: boolean;
};

/** Whether a member rests because it cannot work, or because nothing can land. */
export const rests = ({ activity }: Pick<Member, "activity">): boolean =>
  activity.phase === "idle" && (RESTING.has(activity.reason) || activity.reason === "awaiting_base");

const whyOf = (activity: Member["activity"] | undefined): string =>
  activity?.phase !== "idle"
    ? ""
    : activity.reason === "awaiting_base"
      ? "the gate fails on the target branch itself"
      : (activity.note ?? "");

export const stalledWords = ({ tasks, members, why }: Pick<Stalled, "tasks" | "members" | "why">): string =>
  `nobody can work on ${tasks.length > TASKS_SHOWN ? `${tasks.length} tasks` : tasks.map((id) => `#${id}`).join(", ")} now: ${members.join(", ")} cannot work${why === "" ? "" : ` (${oneLine(why, WHY_SHOWN)})`}. They try again automatically.`;

/** Null: somebody is able to work on each task that is ready. */
export function stalledIn(members: readonly Member[], tasks: readonly Task[]): Stalled | null {
  const mates = members.filter(
    ({ kind, host, activity }) => kind === "teammate" && host !== null && activity.phase !== "shutdown",
  );
  const resting = new Set(mates.filter(rests).map(({ name }) => name));
  const stuck = tasks.filter((task) => {
    // A member that tries again holds a task for a moment.
    if (task.status === "in_progress") return resting.has(task.owner);
    if (task.status !== "pending" || task.openBlockers > 0) return false;
    const fit = mates.filter(({ name, role }) =>
      task.assignee ? task.assignee === name : task.role === null || task.role === role,
    );
    return fit.length > 0 && fit.every(({ name }) => resting.has(name));
  });
  if (stuck.length === 0) return null;
  const held = new Set(stuck.map(({ id }) => id));
  const isBusy = tasks.some(({ id, status }) => status === "in_progress" && !held.has(id));
  const first = mates.find(rests)?.activity;
  return {
    tasks: [...held],
    members: [...resting],
    why: whyOf(first),
    isAll: !isBusy,
  };
}
