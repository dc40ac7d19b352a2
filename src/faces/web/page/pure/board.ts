/** Works out the words of the board: why a task waits, and the counts. Pure. */

import { overlapping } from "../../../../core/board/touches.ts";
import type { Event } from "../../../../core/event.ts";
import { type Look, lookOf, looksOf } from "../../../../core/picture/looks.ts";
import type { PictureMember as Member } from "../../../../core/picture/member.ts";
import type { Picture } from "../../../../core/picture/picture.ts";
import type { Task } from "../../../../core/picture/task.ts";

export { LOOKS, type Look, lookOf, looksOf } from "../../../../core/picture/looks.ts";

/** As a bar shows them, from the left. */
export const BY_PROGRESS = [
  ...(["done", "failed", "cancelled", "busy", "asks", "away", "ready", "waiting"] as const),
] satisfies readonly Shown[];
export const LOOK_WORDS: Readonly<Record<Look, string>> = {
  waiting: "Waiting",
  ready: "Ready",
  busy: "In progress",
  done: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** As a person sees a task: a task in progress that nobody works on is not shown as work. */
export type Shown = Look | "asks" | "away";
export const SHOWN_WORDS: Readonly<Record<Shown, string>> = {
  ...LOOK_WORDS,
  asks: "Asks you",
  away: "Not running",
};

type Tasks = ReadonlyMap<number, Task>;

/** One sentence with the condition for the task to continue; "" where there is none. */
export function whyWaiting(task: Task, model: Picture): string {
  const { tasks, members } = model;
  const look = lookOf(task, tasks);
  if (look === "waiting") return whyBlocked(task, tasks);
  if (look === "ready") return whyUnclaimed(task, editing(model), [...members.values()]);
  if (look === "busy") return whyHeld(task, task.owner === null ? undefined : members.get(task.owner));
  return "";
}

function whyBlocked(task: Task, tasks: Tasks): string {
  const open = task.blockedBy.filter((id) => tasks.get(id)?.status !== "completed");
  const dead = open.filter((id) => ["failed", "cancelled"].includes(tasks.get(id)?.status ?? ""));
  if (dead.length > 0)
    return `Waits for ${list(dead)}, which ${tasks.get(dead[0] as number)?.status === "failed" ? "failed" : "was cancelled"}: it does not start before that is retried.`;
  const busy = open.flatMap((id) => {
    const one = tasks.get(id);
    return one?.status === "in_progress" && one.owner ? [`${one.owner} works on #${id}`] : [];
  });
  return `Waits for ${list(open)}${busy.length > 0 ? `; ${busy.slice(0, 3).join(", ")}` : ""}.`;
}

const edited = new WeakMap<Picture, { readonly board: number; readonly tasks: readonly Task[] }>();

/** The tasks in progress that say what they edit. Kept until a task changes: a list asks for each of its rows. */
function editing(model: Picture): readonly Task[] {
  const known = edited.get(model);
  if (known?.board === model.board) return known.tasks;
  const tasks = [...model.tasks.values()].filter(
    ({ status, touches }) => status === "in_progress" && touches.length > 0,
  );
  edited.set(model, { board: model.board, tasks });
  return tasks;
}

function whyUnclaimed(task: Task, editing: readonly Task[], members: readonly Member[]): string {
  const crew = members.filter(isThere);
  if (crew.length === 0) return "Ready. Nobody is at work: start the team again.";
  if (task.assignee !== "") return `Ready, and kept for ${task.assignee}.`;
  if (task.role !== null && !crew.some((member) => member.role === task.role))
    return `Ready, but only for the role ${task.role}, and no teammate has it.`;
  const other = editing.find(({ touches }) => overlapping(task.touches, touches));
  if (other) return `Ready, but #${other.id} edits the same files; they take turns.`;
  return "Ready: the next free teammate takes it.";
}

const PAUSES: Readonly<Record<string, string>> = {
  awaiting_permission: "asks for a permission",
  awaiting_answer: "waits for your answer",
  awaiting_plan: "waits for an answer to its plan",
  awaiting_base: "waits until the target branch is repaired",
  rate_limited: "waits for the model provider",
  cannot_work: "cannot work and tries again",
  at_limit: "waits for the end of its limit",
};

/** The reason why nobody works on a task in progress; "" while its owner works. `away`: no process runs its owner. */
export type Pause = "away" | "asks" | "gate" | "queued" | "";

export function pauseOf(
  { status, owner, landing }: Pick<Task, "status" | "owner" | "landing">,
  { members }: Pick<Picture, "members">,
): Pause {
  if (status !== "in_progress") return "";
  const member = owner === null ? undefined : members.get(owner);
  if (member && !isThere(member)) return "away";
  if (member && isAsking(member)) return "asks";
  if (member?.reason === "awaiting_base") return "queued";
  return landing?.is === "gate" || landing?.is === "queued" ? landing.is : "";
}

export function shownOf(task: Task, model: Pick<Picture, "tasks" | "members">): Shown {
  const pause = pauseOf(task, model);
  return pause === "asks" || pause === "away" ? pause : lookOf(task, model.tasks);
}

/** The number of tasks with each look. */
export function shownCounts(model: Picture): Readonly<Record<Shown, number>> {
  const counts = { ...looksOf(model).counts, asks: 0, away: 0 };
  for (const { task: id } of model.members.values()) {
    const task = id === null ? undefined : model.tasks.get(id);
    const pause = task ? pauseOf(task, model) : "";
    if (pause !== "asks" && pause !== "away") continue;
    counts[pause] += 1;
    counts.busy -= 1;
  }
  return counts;
}

/** A process runs the member, as far as is known. */
export const isThere = ({ phase, hosted }: Pick<Member, "phase" | "hosted">): boolean =>
  hosted && phase !== "shutdown";

/** The member does nothing before a person answers. */
export const isAsking = ({ phase, reason }: Pick<Member, "phase" | "reason">): boolean =>
  phase === "idle" && /^awaiting_(?:permission|plan|answer)$/.test(reason);

/** Adds the tasks that are queued to land, which the tables do not say. Facts of an earlier claim do not count. */
export function putInLine(model: Picture, facts: readonly Event[]): void {
  for (const event of facts) {
    const task = "task" in event ? model.tasks.get(event.task as number) : undefined;
    if (task?.status === "in_progress" && event.at >= (task.startedAt ?? 0)) model.apply(event);
  }
}

function whyHeld(task: Task, owner: Member | undefined): string {
  if (owner && !owner.hosted && owner.frozen !== undefined)
    return `${owner.name} stands still: ${frozenWords(owner.frozen)}`;
  if (owner && !owner.hosted)
    return `${owner.name} is not running: its process has ended. The next run of the team continues with the task.`;
  if (owner?.reason === "awaiting_base") return "Waits until the target branch is repaired.";
  if (task.landing?.is === "queued") return "Waits to land: others are first.";
  if (task.landing?.is === "gate") return "Its gate runs.";
  if (!owner) return "";
  const pause = owner.phase === "idle" ? PAUSES[owner.reason] : undefined;
  return pause ? `${owner.name} ${pause}.` : "";
}

const list = (ids: readonly number[]): string =>
  ids.length <= 4
    ? ids.map((id) => `#${id}`).join(", ")
    : `${ids
        .slice(0, 3)
        .map((id) => `#${id}`)
        .join(", ")} and ${ids.length - 3} more`;

/** The reason why a board with open tasks stands still, and a way out; "" where somebody works or nothing is open. */
export function whyNobody(model: Picture): string {
  const questions = model.questions.size;
  const there = [...model.members.values()].filter(isThere);
  const { counts, of } = looksOf(model);
  if (counts.busy + counts.ready + counts.waiting === 0) return "";
  if (there.some(({ phase }) => phase === "work")) return "";
  const frozen = frozenIn(model);
  if (there.length === 0 && frozen !== null) return `Nobody works: ${frozenWords(frozen)}`;
  if (there.length === 0 && counts.busy + counts.ready > 0)
    return "Nobody works: no process runs this team. Start it again.";
  if (questions > 0)
    return `Nobody works before you have answered ${questions === 1 ? "a question" : `${questions} questions`}.`;
  const isLimited = there.some(({ phase, reason }) => phase === "idle" && reason === "rate_limited");
  if (isLimited) return "Nobody works: the model provider does not answer. They continue by themselves.";
  // Between two tasks everybody is idle for a moment, which is no news.
  if (counts.busy + counts.ready > 0) return "";
  const dead = deadBlocker(model);
  const task = [...model.tasks.values()].find(
    ({ id, blockedBy }) => of.get(id) === "waiting" && (dead === null || blockedBy.includes(dead)),
  );
  return task ? `Nobody works. #${task.id}: ${whyWaiting(task, model)}` : "";
}

/** The process of the team that stands still, such as one that was stopped by a signal, or in a debugger. */
const frozenIn = ({ members }: Pick<Picture, "members">): number | null =>
  [...members.values()].find(({ hosted, frozen }) => !hosted && frozen !== undefined)?.frozen ?? null;

const frozenWords = (pid: number): string =>
  `process ${pid} stands still. It continues with kill -CONT ${pid}, or ends with kill -9 ${pid}.`;

/** Some process runs members of the team. */
export const isHosted = ({ members }: Pick<Picture, "members">): boolean =>
  [...members.values()].some(isThere);

/** The ended task that keeps what is left of the board from being begun; null where something can be done without it. */
export function deadBlocker(model: Picture): number | null {
  const { counts, of } = looksOf(model);
  if (counts.busy + counts.ready > 0) return null;
  for (const { id, blockedBy } of model.tasks.values()) {
    if (of.get(id) !== "waiting") continue;
    const dead = blockedBy.find((one) => ["failed", "cancelled"].includes(of.get(one) ?? ""));
    if (dead !== undefined) return dead;
  }
  return null;
}

/** The team in a word, with the tone of its dot and a sentence. */
export function teamState(model: Picture): {
  readonly word: string;
  readonly tone: string;
  readonly title: string;
} {
  const there = [...model.members.values()].filter(isThere);
  const questions = model.questions.size;
  const atWork = there.filter((member) => member.phase === "work").length;
  const { counts } = looksOf(model);
  const open = counts.busy + counts.ready + counts.waiting;
  if (there.length > 0 && questions > 0)
    return { word: "Needs you", tone: "needs", title: `${questions} open: see Questions` };
  if (atWork > 0) return { word: "Working", tone: "works", title: `${atWork} of ${there.length} at work` };
  if (there.length > 0) return { word: "Idle", tone: "rests", title: "Everybody waits for something" };
  const frozen = frozenIn(model);
  if (frozen !== null) return { word: "Stands still", tone: "needs", title: frozenWords(frozen) };
  if (model.tasks.size > 0 && open === 0)
    return { word: "Finished", tone: "ended", title: "Nothing is left to do, and nobody is at work" };
  if (model.tasks.size + model.members.size === 0)
    return { word: "Not started", tone: "stopped", title: "There is no team yet" };
  return { word: "Stopped", tone: "stopped", title: "No process runs this team" };
}
